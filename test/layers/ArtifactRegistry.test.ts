import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FromLog from "../../layers/ArtifactRegistry/FromLog.ts"
import { LogReader } from "../../services/LogReader.ts"
import { paragraphHashes } from "../../src/memory/Paragraphs.ts"
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
      const known = (text: string) =>
        Effect.map(registry.matches(paragraphHashes(text)), (found) => [...found.values()].map(({ _tag }) => _tag))
      assert.deepStrictEqual(yield* known(told), [])
      yield* world.process(sync())
      const quoted = `> ${told.replace("port 4400", "port\n> 4400")}`
      for (const copy of [told, other, quoted, `- ${told}`, `  ${told.replaceAll(" ", "  ")}`]) {
        assert.deepStrictEqual(yield* known(copy), ["Reference"], copy)
      }
      assert.deepStrictEqual(yield* known("short"), [])
      assert.deepStrictEqual(yield* known(told.replace("4400", "4401")), [])
      yield* control.remove("port.txt")
      yield* world.process(sync())
      assert.deepStrictEqual(yield* known(told), ["Reference"], "a transcript may still echo it")
    }))
})
