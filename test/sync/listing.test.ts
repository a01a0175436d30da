/** What follows from a listing: what it names twice, leaves out, takes back, or gets wrong by the time of the fetch. */
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
import { paragraph as paragraphChunker } from "../../src/chunk/Paragraph.ts"
import { contentHash } from "../../src/chunk/Pipeline.ts"
import { DocumentContent, DocumentRef } from "../../src/domain/Document.ts"
import { DocId, SourceUri } from "../../src/domain/Ids.ts"
import { ListingRoot } from "../../src/domain/Listing.ts"
import { ManifestEntry } from "../../src/domain/Manifest.ts"
import { defaults as defaultPolicy } from "../../src/sync/DocumentPolicy.ts"
import { exclude, include } from "../../src/sync/exclude.ts"
import {
  document,
  documentsOf,
  failedOf,
  first,
  idsOf,
  linesOf,
  many,
  notes,
  notesOf,
  passages,
  synced,
  text,
  tombstones,
  withoutDisk
} from "./Given.ts"
import { vec } from "./Harness.ts"

const a = DocId.make("a")

const root = (uri: string, status: ListingRoot["status"] = "readable") => ({ uri, status })

describe("a listing", () => {
  it.effect("fails a document by name whose id it names twice, and keeps what was known of it", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.put(document("a", "second"))
      yield* control.setListing({ duplicates: ["a"] })
      const report = yield* run()
      assert.deepInclude(report, { status: "partial", unchanged: 1, changed: 0, removed: 0, fetched: 0, listed: 2 })
      assert.deepInclude(first(report.failed), { doc_id: a, error: "duplicate", retryable: false })
      assert.strictEqual((yield* documentsOf(world)).get("a"), text("a"))
      assert.deepInclude((yield* failedOf(world)).get(a), { outcome: "failed", error: "duplicate" })
      yield* control.setListing({ duplicates: [] })
      assert.deepInclude(yield* run(), { status: "ok", changed: 1, unchanged: 1 })
      assert.strictEqual((yield* failedOf(world)).size, 0)
    }))

  it.effect("counts once what it names as a document and as something else", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.setListing({ skips: [{ doc_id: "a", reason: "a folder" }, { doc_id: "a", reason: "a folder" }] })
      assert.deepInclude(yield* run(), { status: "partial", unchanged: 1, removed: 0, listed: 2 })
      yield* control.remove("a")
      assert.deepInclude(yield* run(), { status: "partial", unchanged: 1, removed: 0, listed: 2 })
      assert.deepStrictEqual(yield* idsOf(world), ["a", "b"])
    }))

  it.effect("that breaks off changes nothing: not one removal, not one new document", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf(many(5))
      yield* run()
      yield* control.remove("d4.txt")
      yield* control.put(document("new.txt"))
      const [lines, manifest] = [yield* world.lines, yield* world.manifest(notes)]
      for (const after of [0, 2, "nothing"] as const) {
        yield* control.setListing({ fails: { after, retryable: true } })
        const report = yield* run({ allowMassRemoval: true })
        assert.deepInclude(report, { status: "failed", listed: 0, removed: 0, fetched: 0 })
        assert.strictEqual(report.error?.code, "ConnectorError")
      }
      assert.deepStrictEqual([yield* world.lines, yield* world.manifest(notes)], [lines, manifest])
      yield* control.setListing({ fails: undefined })
      assert.deepInclude(yield* run(), { status: "ok", new: 1, removed: 1, unchanged: 4 })
    }))

  it.effect("neither changes nor removes what cannot be read now", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.setAvailability("a", "unavailable")
      const report = yield* run()
      assert.deepInclude(report, { status: "ok", unchanged: 1, removed: 0, fetched: 0 })
      assert.deepInclude(first(report.skipped), { doc_id: a, reason: "unavailable" })
      assert.deepStrictEqual(yield* idsOf(world), ["a", "b"])
      yield* control.setAvailability("a", "available")
      assert.deepInclude(yield* run(), { status: "ok", unchanged: 2, fetched: 0 })
    }))

  it.effect("removes nothing under a root that cannot be read, and goes on with the others", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf(
        [{ ...document("a"), root: "vec:///one" }, { ...document("b"), root: "vec:///two" }, {
          ...document("c"),
          root: "vec:///two"
        }],
        { listing: { roots: [root("vec:///one"), root("vec:///two")] } }
      )
      yield* run()
      yield* control.setListing({ roots: [root("vec:///one", "missing"), root("vec:///two")] })
      yield* control.remove("b")
      const report = yield* run()
      assert.deepInclude(report, { status: "partial", unchanged: 1, removed: 1 })
      assert.strictEqual(report.error?.code, "RootNotReadable")
      assert.deepStrictEqual(yield* idsOf(world), ["a", "c"])
    }))

  it.effect("removes nothing under a missing root that lies within a readable one", () =>
    Effect.gen(function*() {
      const inner = "vec:///notes/mounted"
      const { control, run, world } = yield* notesOf(
        [document("a"), { ...document("b"), root: inner }],
        { listing: { roots: [root("vec:///notes"), root(inner)] } }
      )
      yield* run()
      yield* control.setListing({ roots: [root("vec:///notes"), root(inner, "missing")] })
      assert.deepInclude(yield* run(), { status: "partial", unchanged: 1, removed: 0 })
      assert.deepStrictEqual(yield* idsOf(world), ["a", "b"])
    }))

  it.effect("of the same documents at a new root takes them there, and a later removal is no matter of a guard", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b"), document("c")], { cached: true })
      yield* run()
      yield* control.setListing({ roots: [root("vec:///renamed")] })
      assert.deepInclude(yield* run(), { status: "ok", removed: 0, embed_texts: 0 })
      yield* control.remove("c")
      assert.deepInclude(yield* run(), { status: "ok", unchanged: 2, removed: 1 })
      const uris = new Set((yield* passages(world)).map(({ source_uri }) => String(source_uri)))
      assert.deepStrictEqual([...uris], ["vec:///renamed/a", "vec:///renamed/b"])
    }))

  for (const last of ["document", "removal"] as const) {
    it.effect(`that names a document and its removal means what it says last: the ${last}`, () =>
      Effect.gen(function*() {
        const { connector, control } = yield* vec(notes, [document("a"), document("b")], {
          listing: { coverage: "delta" }
        })
        const reversed: DocumentConnector = {
          ...connector,
          list: (known) =>
            Effect.flatMap(
              connector.list(known),
              (listing) =>
                Effect.map(Stream.runCollect(listing.documents), (items) => ({
                  ...listing,
                  documents: Stream.fromChunk(Chunk.reverse(items))
                }))
            )
        }
        const world = yield* withoutDisk({ connectors: [last === "removal" ? connector : reversed] })
        yield* synced(world)
        yield* control.put(document("a", "second"))
        yield* control.setListing({ removals: ["a"] })
        yield* control.resetCounts
        yield* synced(world)
        assert.strictEqual((yield* control.counts).fetches, last === "document" ? 1 : 0)
        assert.strictEqual((yield* documentsOf(world)).get("a"), last === "document" ? text("second") : undefined)
        assert.strictEqual((yield* world.manifest(notes)).has(a), last === "document")
        assert.lengthOf(yield* tombstones(world), 3)
      }))
  }

  it.effect("of what changed alone does not make forget what failed", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")], { listing: { coverage: "delta" } })
      yield* control.failFetch("a", { reason: "refused" })
      assert.deepInclude(yield* run(), { status: "partial", new: 1 })
      const failed = yield* failedOf(world)
      assert.deepStrictEqual([...failed.keys()], [a])
      yield* control.remove("a")
      yield* run()
      assert.deepStrictEqual(yield* failedOf(world), failed)
    }))
})

describe("between listing and fetch", () => {
  for (const content_hash of [true, false]) {
    it.effect(`a document that changes is recorded as it was fetched (${content_hash ? "a hash" : "a revision"})`, () =>
      Effect.gen(function*() {
        const { control, run, world } = yield* notesOf([document("a")], {
          listing: { content_hash, revision: !content_hash }
        })
        yield* control.afterListing(control.put(document("a", "second")))
        assert.deepInclude(yield* run(), { status: "ok", new: 1 })
        const hash = contentHash(new TextEncoder().encode(text("second")))
        assert.strictEqual((yield* world.manifest(notes)).get(a)?.content_hash, hash)
        assert.strictEqual((yield* documentsOf(world)).get("a"), text("second"))
        assert.deepInclude(yield* run(), { unchanged: 1, fetched: 0 })
      }))
  }

  it.effect("a document that vanishes is left out, and kept until a complete listing lacks it", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.put(document("a", "second"))
      yield* control.afterListing(control.remove("a"))
      const report = yield* run()
      assert.deepInclude(report, { status: "ok", unchanged: 1, removed: 0 })
      assert.deepInclude(first(report.skipped), { doc_id: a, reason: "gone" })
      assert.strictEqual((yield* documentsOf(world)).get("a"), text("a"))
      assert.deepInclude(yield* run(), { status: "ok", unchanged: 1, removed: 1 })
      assert.deepStrictEqual(yield* idsOf(world), ["b"])
      assert.strictEqual((yield* failedOf(world)).size, 0)
    }))

  it.effect("a document that cannot be read now is left out, and tried again by each sync", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.put(document("a", "second"))
      yield* control.failFetch("a", { reason: "unavailable", retryable: true })
      for (const fetches of [1, 2]) {
        const report = yield* run()
        assert.deepInclude(report, { status: "ok", unchanged: 1, changed: 0, fetched: 0, removed: 0 })
        assert.deepInclude(first(report.skipped), { doc_id: a, reason: "unavailable" })
        assert.strictEqual((yield* control.counts).fetches_by_id.get("a"), 1 + fetches)
        assert.strictEqual((yield* documentsOf(world)).get("a"), text("a"))
      }
      yield* control.healFetch("a")
      assert.deepInclude(yield* run(), { status: "ok", changed: 1, unchanged: 1 })
    }))

  it.effect("what turns out to be no document is left out, and not fetched again while its revision stays", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")], {
        listing: { content_hash: false, revision: true }
      })
      yield* control.failFetch("a", { reason: "unsupported" })
      const left = { doc_id: a, reason: "the source answered with an error" }
      const report = yield* run()
      assert.deepInclude(report, { status: "ok", new: 1 })
      assert.deepInclude(first(report.skipped), left)
      const { files } = world
      const remembered = files.get("/home/log/connectors/notes.failed.jsonl")
      assert.isDefined(remembered)
      const again = yield* run()
      assert.deepInclude(again, { status: "ok", unchanged: 1, listed: 2 })
      assert.deepInclude(first(again.skipped), left)
      assert.strictEqual((yield* control.counts).fetches_by_id.get("a"), 1)
      assert.strictEqual(files.get("/home/log/connectors/notes.failed.jsonl"), remembered)
      yield* control.touch("a")
      yield* run()
      yield* run()
      assert.strictEqual((yield* control.counts).fetches_by_id.get("a"), 2)
      yield* control.healFetch("a")
      yield* control.touch("a")
      assert.deepInclude(yield* run(), { status: "ok", new: 1, unchanged: 1, skipped: [] })
    }))

  it.effect("a document that turns out too large is left out, and not fetched again while it stays so", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* vec(notes, [document("a"), document("b", "b", 1)])
      const unsized: DocumentConnector = {
        ...connector,
        list: (known) =>
          Effect.map(connector.list(known), (listing) => ({
            ...listing,
            documents: Stream.map(
              listing.documents,
              (item) => item instanceof DocumentRef ? new DocumentRef({ ...item, size: undefined }) : item
            )
          }))
      }
      const world = yield* withoutDisk({ connectors: [unsized] })
      const options = { maxDocumentBytes: 300 }
      const report = (yield* synced(world, options))(notes)
      assert.deepInclude(report, { status: "ok", new: 1 })
      assert.deepInclude(first(report.skipped), { doc_id: a, reason: "larger than 300 bytes" })
      yield* control.resetCounts
      assert.deepInclude((yield* synced(world, options))(notes), { unchanged: 1 })
      assert.strictEqual((yield* control.counts).fetches, 0)
      assert.deepInclude((yield* synced(world))(notes), { status: "ok", new: 1, unchanged: 1 })
    }))

  it.effect("a media type that only the fetch knows does not make a document stale", () =>
    Effect.gen(function*() {
      const untyped: DocumentConnector = {
        source_type: "document",
        name: notes,
        kind: "vec",
        limits: (yield* vec("other", [])).connector.limits,
        list: () =>
          Effect.succeed({
            coverage: "complete",
            roots: [new ListingRoot({ uri: SourceUri.make("vec:///notes"), status: "readable" })],
            documents: Stream.make(
              new DocumentRef({ doc_id: a, source_uri: SourceUri.make("vec:///notes/a"), revision: "1" })
            )
          }),
        fetch: () =>
          Effect.succeed(
            new DocumentContent({ bytes: new TextEncoder().encode(text("a")), media_type: "text/markdown" })
          )
      }
      const world = yield* withoutDisk({ connectors: [untyped] })
      const policyOf = () => ({ ...defaultPolicy, markdown: { name: "other", chunker: paragraphChunker } })
      assert.deepInclude((yield* synced(world, { policyOf }))(notes), { new: 1 })
      assert.deepInclude((yield* synced(world, { policyOf }))(notes), { unchanged: 1, stale: 0 })
    }))
})

describe("the guard against mass removal", () => {
  it.effect("lets through what is few or at most half, and refuses more; moves are no removals", () =>
    Effect.gen(function*() {
      for (const [known, gone, status] of [[20, 10, "ok"], [20, 11, "refused"], [12, 9, "ok"]] as const) {
        const { control, run, world } = yield* notesOf(many(known))
        yield* run()
        for (const { doc_id } of many(gone)) yield* control.remove(doc_id)
        const report = yield* run()
        assert.deepInclude(report, { status, removed: status === "ok" ? gone : 0, unchanged: known - gone })
        assert.lengthOf(yield* tombstones(world), status === "ok" ? gone * 3 : 0)
        const after = { status: "ok" as const, removed: status === "ok" ? 0 : gone, unchanged: known - gone }
        assert.deepInclude(yield* run({ allowMassRemoval: true }), after)
      }
      for (const content_hash of [true, false]) {
        const { control, run } = yield* notesOf(many(20), { listing: { content_hash, revision: true } })
        yield* run()
        for (const { doc_id } of many(20)) yield* control.rename(doc_id, `moved/${doc_id}`)
        assert.deepInclude(yield* run(), { status: "ok", moved: 20, new: 0, removed: 0 })
      }
    }))

  it.effect("keeps its limits as they are set, and never holds back what is stale", () =>
    Effect.gen(function*() {
      const { control, run } = yield* notesOf(many(4))
      yield* run()
      yield* control.remove("d0.txt")
      yield* control.remove("d1.txt")
      const guards = { max_removed_ratio: 0.4, max_removed_min: 2 }
      assert.deepInclude(yield* run({ guards }), { status: "refused", removed: 0 })
      assert.deepInclude(yield* run({ guards: { ...guards, max_removed_min: 3 } }), { status: "ok", removed: 2 })
      const policyOf = () => ({ ...defaultPolicy, max_tokens: 20 })
      assert.deepInclude(yield* run({ guards: { ...guards, max_removed_min: 1 }, policyOf }), {
        status: "ok",
        stale: 2
      })
    }))
})

describe("an excluded document", () => {
  it.effect("goes, stays out of every sync, and comes back when it is let in", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")], { cached: true })
      yield* run()
      yield* world.process(exclude(notes, a))
      assert.deepStrictEqual((yield* tombstones(world)).map(({ reason }) => reason), Array(3).fill("excluded"))
      yield* control.put(document("a", "second"))
      yield* control.resetCounts
      for (let i = 0; i < 2; i++) {
        const report = yield* run()
        assert.deepInclude(report, { status: "ok", unchanged: 1, removed: 0, new: 0 })
        assert.deepInclude(first(report.skipped), { doc_id: a, reason: "excluded" })
      }
      assert.strictEqual((yield* control.counts).fetches, 0)
      assert.deepStrictEqual(yield* idsOf(world), ["b"])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(world.process(exclude(notes, a)))))
      yield* control.put(document("a"))
      yield* world.process(include(notes, a))
      assert.deepInclude(yield* run(), { status: "ok", new: 1, unchanged: 1, skipped: [], embed_texts: 0 })
      assert.deepStrictEqual(yield* idsOf(world), ["a", "b"])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(world.process(include(notes, a)))))
    }))

  it.effect("stays excluded when its manifest is lost", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* world.process(exclude(notes, a))
      for (const path of world.files.keys()) if (path.includes("notes.")) world.files.delete(path)
      const report = yield* run()
      assert.deepInclude(report, { status: "ok", unchanged: 1, new: 0, fetched: 0 })
      assert.deepInclude(first(report.skipped), { doc_id: a, reason: "excluded" })
    }))

  it.effect("is gone after the next sync at the latest, when the power went while it was taken out", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      const exit = yield* Effect.exit(world.process(Effect.updateService(exclude(notes, a), LogWriter, (writer) => ({
        ...writer,
        append: () => Effect.die("the power went")
      }))))
      assert.isTrue(Exit.isFailure(exit))
      // Either it was never excluded, or none of it is live; and whoever recovers the manifest sees the same.
      for (let i = 0; i < 2; i++) {
        const report = yield* run()
        assert.deepStrictEqual(yield* idsOf(world), report.unchanged === 2 ? ["a", "b"] : ["b"])
        for (const path of world.files.keys()) if (path.includes("notes.")) world.files.delete(path)
      }
    }))

  it.effect("may be one that never could be stored, as its error advises", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* control.failFetch("a", { reason: "refused" })
      const report = yield* run()
      assert.include(first(report.failed).message, "mem ref rm")
      yield* world.process(exclude(notes, a))
      const after = yield* run()
      assert.deepInclude(after, { status: "ok", unchanged: 1 })
      assert.deepInclude(first(after.skipped), { doc_id: a, reason: "excluded" })
    }))
})

describe("a manifest that is not the last one", () => {
  it.effect("with the specification's five fields alone costs no passage and doubles none", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* world.process(Effect.gen(function*() {
        const store = yield* ManifestStore
        const entries = [...yield* Effect.flatten(store.load(notes))].map(([id, entry]) => {
          const { chunk_count, content_hash, doc_id, source_uri, synced_at } = entry
          return [id, new ManifestEntry({ chunk_count, content_hash, doc_id, source_uri, synced_at })] as const
        })
        yield* store.save(notes, new Map(entries))
      }))
      yield* control.put(document("b", "second"))
      assert.deepInclude(yield* run(), { status: "ok", fetched: 1 })
      assert.deepStrictEqual(yield* documentsOf(world), new Map([["a", text("a")], ["b", text("second")]]))
      yield* run({ policyOf: () => ({ ...defaultPolicy, max_tokens: 20 }) })
      assert.deepStrictEqual(yield* documentsOf(world), new Map([["a", text("a")], ["b", text("second")]]))
    }))

  it.effect("but an older one (from a backup) leaves no version behind the newest", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      const old = yield* world.manifest(notes)
      yield* control.put(document("a", "second"))
      yield* control.put(document("b", "second"))
      yield* run()
      yield* world.process(Effect.flatMap(ManifestStore, ({ save }) => save(notes, old)))
      yield* control.put(document("a", "third"))
      yield* run()
      assert.deepStrictEqual(yield* documentsOf(world), new Map([["a", text("third")], ["b", text("second")]]))
    }))

  it.effect("and one that is ahead of the log (a log from a backup) is corrected by it", () =>
    Effect.gen(function*() {
      const [before, after] = [yield* notesOf([document("a")]), yield* notesOf([document("a"), document("b")])]
      yield* before.run()
      yield* after.run()
      const ahead = yield* after.world.manifest(notes)
      yield* before.world.process(Effect.flatMap(ManifestStore, ({ save }) => save(notes, ahead)))
      yield* before.control.put(document("b"))
      assert.deepInclude(yield* before.run(), { status: "ok", new: 1, unchanged: 1 })
      assert.deepStrictEqual(yield* idsOf(before.world), ["a", "b"])
      assert.lengthOf(yield* linesOf(before.world, "commit"), 2)
      assert.deepStrictEqual([...(yield* before.world.manifest(notes)).keys()], ["a", "b"])
    }))
})
