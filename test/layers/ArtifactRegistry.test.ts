import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FromLog from "../../layers/ArtifactRegistry/FromLog.ts"
import { LogReader } from "../../services/LogReader.ts"
import { sync } from "../../src/sync/sync.ts"
import { inMemory, vec } from "../sync/Harness.ts"

const told = "The demo server listens on port 4400 since the collector took 4317 for itself."
const other = "A second paragraph of the same note, long enough to be known again later on."

describe("ArtifactRegistry/FromLog", () => {
  it.scopedLive("knows each paragraph of a synced document again, however it is quoted", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* vec("notes", [{
        doc_id: "port.txt",
        content: `${told}\n\n${other}\n\nshort\n`
      }])
      const world = yield* inMemory({ connectors: [connector] })
      const reader = yield* world.process(LogReader)
      const registry = yield* FromLog.make.pipe(Effect.provide(Layer.succeed(LogReader, reader)))
      const known = (paragraph: string) => Effect.map(registry.match(paragraph), ({ _tag }) => _tag)
      assert.strictEqual(yield* known(told), "None")
      yield* world.process(sync())
      const quoted = `> ${told.replace("port 4400", "port\n> 4400")}`
      for (const copy of [told, other, quoted, `- ${told}`, `  ${told.replaceAll(" ", "  ")}`]) {
        const found = yield* registry.match(copy)
        assert.isTrue(found._tag === "Some" && found.value._tag === "Reference", copy)
      }
      assert.strictEqual(yield* known("short"), "None")
      assert.strictEqual(yield* known(told.replace("4400", "4401")), "None")
      yield* control.remove("port.txt")
      yield* world.process(sync())
      assert.strictEqual(yield* known(told), "Some", "a transcript may still echo it")
    }))
})
