import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConnectorError } from "../../src/domain/ConnectorErrors.ts"
import { ConnectorName } from "../../src/domain/Ids.ts"
import { drift, type DriftOptions } from "../../src/sync/drift.ts"
import { defaults, sync } from "../../src/sync/sync.ts"
import { inMemory, onDisk, vec } from "./Harness.ts"

const notes = ConnectorName.make("notes")

const text = (of: string): string => ["one", "two"].map((n) => `${of} ${n} `.repeat(30).trim()).join("\n\n")

const options: DriftOptions = { ...defaults, estimate: false }

for (const [name, make] of [["Memory", inMemory], ["Segments", onDisk]] as const) {
  describe(`on the ${name} log`, () => {
    it.scopedLive("a6_drift_report_read_only", () =>
      Effect.gen(function*() {
        const { connector, control } = yield* vec("notes", [
          { doc_id: "same.txt", content: text("same") },
          { doc_id: "edited.txt", content: text("edited") },
          { doc_id: "gone.txt", content: text("gone") }
        ])
        const world = yield* make({ connectors: [connector] })
        yield* world.process(sync())
        yield* control.put({ doc_id: "edited.txt", content: text("edited again") })
        yield* control.put({ doc_id: "new.txt", content: text("new") })
        yield* control.remove("gone.txt")
        yield* control.put({ doc_id: "away.txt", content: text("away") })
        yield* control.setAvailability("away.txt", "unavailable")
        yield* control.resetCounts
        const before = [yield* world.lines, yield* world.manifest(notes), yield* world.counts]

        const report = yield* world.process(drift(options))
        const [found] = report.connectors
        assert.deepInclude(report, { ok: true, drift: true })
        assert.deepInclude(found, { new: 1, changed: 1, unchanged: 1, removed: 1, stale: 0, moved: 0 })
        assert.deepStrictEqual({ ...found?.documents }, {
          new: ["new.txt"],
          changed: ["edited.txt"],
          stale: [],
          moved: [],
          removed: ["gone.txt"]
        })
        assert.deepStrictEqual(found?.skipped?.map(({ doc_id, reason }) => [doc_id, reason]), [
          ["away.txt", "unavailable"]
        ])
        assert.strictEqual((yield* control.counts).fetches, 0)
        assert.deepStrictEqual([yield* world.lines, yield* world.manifest(notes), yield* world.counts], before)

        yield* world.process(sync())
        const [after] = (yield* world.process(drift(options))).connectors
        assert.deepInclude(after, { new: 0, changed: 0, unchanged: 3, removed: 0 })
      }))
  })
}

describe("an estimate", () => {
  it.scopedLive("is what the sync then does", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* vec("notes", [{ doc_id: "a.txt", content: text("a") }])
      const world = yield* inMemory({ connectors: [connector], cached: true })
      yield* world.process(sync())
      yield* control.put({ doc_id: "twin.txt", content: text("a") })
      yield* control.put({ doc_id: "b.txt", content: text("b") })
      yield* control.put({ doc_id: "b2.txt", content: text("b") })
      const [estimated] = (yield* world.process(drift({ ...options, estimate: true }))).connectors
      const before = yield* world.counts
      const [done] = (yield* world.process(sync())).connectors
      const texts = (yield* world.counts).texts - before.texts
      assert.deepInclude({ ...estimated?.estimate }, { documents: 3, passages: 6, embed_texts: 2 })
      assert.strictEqual(texts, 2)
      assert.strictEqual(done?.chunks_added, 6)
    }))

  it.scopedLive("leaves out what a broken connector would do, and says why", () =>
    Effect.gen(function*() {
      const broken = new ConnectorError({
        connector: ConnectorName.make("papers"),
        operation: "open",
        detail: "PAPERLESS_TOKEN is not set",
        advice: "set it",
        retryable: false
      })
      const { connector } = yield* vec("notes", [{ doc_id: "a.txt", content: text("a") }])
      const world = yield* inMemory({ connectors: [broken, connector] })
      const report = yield* world.process(drift(options))
      assert.isFalse(report.ok)
      assert.deepStrictEqual(report.connectors.map(({ status }) => status), ["failed", "ok"])
    }))
})

describe("a connector that is not configured", () => {
  it.scopedLive("is named, with those that are, and nothing is done for the others", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* vec("notes", [{ doc_id: "a.txt", content: text("a") }])
      const world = yield* inMemory({ connectors: [connector] })
      const only = [notes, ConnectorName.make("nots")]
      for (const program of [sync({ ...defaults, only }), drift({ ...options, only })]) {
        const error = yield* Effect.flip(world.process<unknown, unknown>(program))
        assert.include(String(error), "there is no connector \"nots\": there are notes")
      }
      assert.deepStrictEqual([(yield* control.counts).fetches, yield* world.lines], [0, []])
    }))
})
