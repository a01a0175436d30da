/** The named tests of the sync framework's specification, each on the log in memory and on the real one. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { Projection } from "../../services/Projection.ts"
import { ConnectorName } from "../../src/domain/Ids.ts"
import { Reference } from "../../src/domain/Reference.ts"
import { digest, rebuild } from "../../src/sync/rebuild.ts"
import { sync } from "../../src/sync/sync.ts"
import { inMemory, onDisk, vec, type World, type WorldOptions } from "./Harness.ts"

const notes = ConnectorName.make("notes")

/** Three paragraphs, none of them a crumb, so three passages. */
const text = (of: string): string =>
  ["one", "two", "three"].map((n) => `${of} ${n} `.repeat(30).trim()).join("\n\n") + "\n"

const documents = (...ids: ReadonlyArray<string>) => ids.map((id) => ({ doc_id: `${id}.txt`, content: text(id) }))

const ran = (world: World) =>
  Effect.gen(function*() {
    const report = yield* world.process(sync())
    const [connector] = report.connectors
    assert.isDefined(connector)
    return connector
  })

const kinds = (world: World) =>
  Effect.map(world.lines, (lines) => {
    const counts = new Map<string, number>()
    for (const { record } of lines) counts.set(record.kind, (counts.get(record.kind) ?? 0) + 1)
    return (kind: string) => counts.get(kind) ?? 0
  })

const logs: ReadonlyArray<
  readonly [name: string, make: (options: WorldOptions) => Effect.Effect<World, never, Scope.Scope>]
> = [["Memory", inMemory], ["Segments", onDisk]]

for (const [name, make] of logs) {
  const start = (...ids: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const { connector, control } = yield* vec("notes", documents(...ids))
      return { control, world: yield* make({ connectors: [connector] }) }
    })

  describe(`on the ${name} log`, () => {
    it.scopedLive("a1_initial_sync_all_new", () =>
      Effect.gen(function*() {
        const { control, world } = yield* start("a", "b", "c")
        const report = yield* ran(world)
        assert.deepInclude(report, { status: "ok", listed: 3, new: 3, fetched: 3, embed_texts: 9, chunks_added: 9 })
        assert.strictEqual((yield* control.counts).fetches, 3)
        assert.strictEqual((yield* world.counts).texts, 9)
        const manifest = yield* world.manifest(notes)
        assert.deepStrictEqual([...manifest.keys()], ["a.txt", "b.txt", "c.txt"])
        assert.deepStrictEqual([...manifest.values()].map(({ chunk_count }) => chunk_count), [3, 3, 3])
      }))

    it.scopedLive("a2_unchanged_skipped", () =>
      Effect.gen(function*() {
        const { control, world } = yield* start("a", "b", "c")
        yield* ran(world)
        const [before, lines] = [yield* world.counts, yield* world.lines]
        yield* control.resetCounts
        const report = yield* ran(world)
        assert.deepInclude(report, { status: "ok", unchanged: 3, fetched: 0, embed_texts: 0, embed_calls: 0, new: 0 })
        assert.strictEqual((yield* control.counts).fetches, 0)
        assert.deepStrictEqual(yield* world.counts, before)
        assert.strictEqual((yield* world.lines).length, lines.length)
      }))

    it.scopedLive("a3_changed_doc_replaced", () =>
      Effect.gen(function*() {
        const { control, world } = yield* start("a", "b", "c")
        yield* ran(world)
        const before = yield* world.counts
        const [was] = [yield* kinds(world)]
        yield* control.put({ doc_id: "b.txt", content: text("other") })
        const report = yield* ran(world)
        assert.deepInclude(report, { changed: 1, unchanged: 2, fetched: 1, chunks_added: 3, chunks_tombstoned: 3 })
        const now = yield* kinds(world)
        assert.strictEqual(now("tombstone") - was("tombstone"), 3)
        assert.strictEqual(now("reference") - was("reference"), 3)
        assert.strictEqual((yield* world.counts).texts - before.texts, 3)
      }))

    it.scopedLive("a4_removed_doc_tombstoned", () =>
      Effect.gen(function*() {
        const { control, world } = yield* start("a", "b", "c")
        yield* ran(world)
        yield* control.remove("b.txt")
        const report = yield* ran(world)
        assert.deepInclude(report, { removed: 1, unchanged: 2, chunks_tombstoned: 3, fetched: 0 })
        assert.strictEqual((yield* kinds(world))("tombstone"), 3)
        assert.deepStrictEqual([...(yield* world.manifest(notes)).keys()], ["a.txt", "c.txt"])
      }))

    it.scopedLive("a5_new_doc_added", () =>
      Effect.gen(function*() {
        const { control, world } = yield* start("a", "b", "c")
        yield* ran(world)
        const before = yield* world.counts
        yield* control.resetCounts
        yield* control.put({ doc_id: "d.txt", content: text("d") })
        const report = yield* ran(world)
        assert.deepInclude(report, { new: 1, unchanged: 3, fetched: 1 })
        assert.deepStrictEqual((yield* control.counts).fetches_by_id, new Map([["d.txt", 1]]))
        assert.strictEqual((yield* world.counts).texts - before.texts, 3)
      }))

    it.scopedLive("a8_tombstone_is_append", () =>
      Effect.gen(function*() {
        const { control, world } = yield* start("a", "b", "c")
        yield* ran(world)
        const before = (yield* world.lines).map(({ record }) => record)
        yield* control.remove("a.txt")
        yield* ran(world)
        const after = (yield* world.lines).map(({ record }) => record)
        assert.isAbove(after.length, before.length)
        assert.deepStrictEqual(after.slice(0, before.length), before)
      }))

    it.scopedLive("a9_manifest_roundtrip", () =>
      Effect.gen(function*() {
        const { world } = yield* start("a", "b", "c")
        yield* ran(world)
        const saved = yield* world.manifest(notes)
        const loaded = yield* world.process(Effect.gen(function*() {
          const store = yield* ManifestStore
          yield* store.save(notes, saved)
          return yield* store.load(notes)
        }))
        assert.deepStrictEqual(Option.getOrThrow(loaded), saved)
      }))

    it.scopedLive("a10_rebuild_parity", () =>
      Effect.gen(function*() {
        const { control, world } = yield* start("a", "b", "c")
        yield* ran(world)
        yield* control.put({ doc_id: "b.txt", content: text("other") })
        yield* control.remove("c.txt")
        yield* ran(world)
        const before = yield* world.process(digest)
        const counts = yield* world.counts
        const report = yield* world.process(rebuild)
        assert.deepInclude(report, { ok: true, live_chunks: 6, embed_calls: 0, state_sha256: before.state_sha256 })
        assert.deepStrictEqual(yield* world.counts, counts)
        // What the digest is for: a projection with one row changed by hand is another state.
        const rows = (yield* world.lines).map((line) =>
          line.record.kind === "reference"
            ? {
              ...line,
              record: { ...line.record, body: new Reference({ ...line.record.body, heading_path: ["by hand"] }) }
            }
            : line
        )
        const forged = yield* world.process(
          Effect.flatMap(Projection, ({ apply, clear }) => Effect.zipRight(Effect.zipRight(clear, apply(rows)), digest))
        )
        assert.notStrictEqual(forged.state_sha256, before.state_sha256)
      }))
  })
}
