/** What is embedded, for whom, and what becomes of a document whose texts nobody can embed. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import { Embedder } from "../../services/Embedder.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { type SyncEvent, SyncObserver } from "../../services/SyncObserver.ts"
import { EmbedderUnavailable } from "../../src/domain/EmbedderErrors.ts"
import { DocId, EmbedderFingerprint, SourceUri } from "../../src/domain/Ids.ts"
import { ManifestEntry } from "../../src/domain/Manifest.ts"
import { defaults as defaultPolicy } from "../../src/sync/DocumentPolicy.ts"
import {
  document,
  documentsOf,
  faulty,
  linesOf,
  notes,
  notesOf,
  passages,
  synced,
  text,
  withEmbedder,
  withoutDisk
} from "./Given.ts"
import { vec } from "./Harness.ts"

/** It has a name and a counter, and cannot be loaded. */
const unavailable = Embedder.of({
  ...Hashed.make(),
  embed: () => new EmbedderUnavailable({ embedder: "hashed", detail: "it was told to" })
})

const vectorsOf = (world: Parameters<typeof linesOf>[0]) =>
  Effect.map(
    linesOf(world, "vector"),
    (lines) => lines.flatMap((line) => line.kind === "vector" ? [line.body.embed_sha256] : [])
  )

describe("connectors side by side", () => {
  for (const cached of [true, false]) {
    it.effect(`embed a new text that they share once, and write its vector once (${cached ? "cached" : "bare"})`, () =>
      Effect.gen(function*() {
        const shared = [document("one", "same"), document("two", "same"), document("own", "different")]
        const connectors = yield* Effect.forEach(
          ["a", "b", "c"],
          (name) => Effect.map(vec(name, shared), ({ connector }) => connector)
        )
        const world = yield* withoutDisk({ connectors, cached })
        const of = yield* synced(world)
        for (const name of ["a", "b", "c"]) assert.deepInclude(of(name), { status: "ok", new: 3 })
        assert.deepStrictEqual(yield* world.counts, { calls: (yield* world.counts).calls, texts: 6 })
        const vectors = yield* vectorsOf(world)
        assert.lengthOf(vectors, 6)
        assert.strictEqual(new Set(vectors).size, 6)
        const all = yield* passages(world)
        assert.lengthOf(all, 27)
        assert.isTrue(all.every(({ embedding }) => embedding !== undefined))
      }))
  }

  it.effect("let none count on a vector that another one has not stored yet", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const waits = yield* Ref.make(true)
      const a = yield* vec("a", [document("first", "same")])
      const b = yield* vec("b", [document("second", "same")])
      const world = yield* withoutDisk({ connectors: [a.connector, b.connector], cached: true })
      // Whoever writes first waits for the other one.
      yield* synced(world, {}, (program) =>
        Effect.updateService(program, LogWriter, (writer) => ({
          ...writer,
          append: (groups) =>
            Effect.flatMap(Ref.getAndSet(waits, false), (first) =>
              first
                ? Effect.zipRight(Deferred.await(gate), writer.append(groups))
                : Effect.tap(writer.append(groups), Deferred.succeed(gate, undefined)))
        })))
      const kinds = (yield* world.lines).map(({ record }) => record.kind)
      const group = [...Array(3).fill("reference"), "commit"]
      assert.deepStrictEqual(kinds, ["segment", ...Array(3).fill("vector"), ...group, ...group])
    }))
})

describe("an embedder that cannot be loaded here", () => {
  it.effect("leaves documents without vectors, is asked once a run, and its vectors follow from the log", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")], { cached: true })
      const first = yield* run({}, withEmbedder(unavailable))
      assert.deepInclude(first, { status: "ok", new: 2, embed_calls: 0, chunks_added: 6 })
      assert.lengthOf(yield* vectorsOf(world), 0)
      assert.strictEqual((yield* world.manifest(notes)).get(DocId.make("a"))?.embedder, "none")
      const lines = yield* world.lines
      assert.deepInclude(yield* run({}, withEmbedder(unavailable)), { status: "ok", unchanged: 2, fetched: 0 })
      assert.deepStrictEqual(yield* world.lines, lines)
      yield* control.resetCounts
      assert.deepInclude(yield* run(), { status: "ok", stale: 2, fetched: 0, embed_texts: 6, chunks_added: 0 })
      assert.strictEqual((yield* control.counts).fetches, 0)
      assert.isTrue((yield* passages(world)).every(({ embedding }) => embedding !== undefined))
      assert.deepInclude(yield* run(), { status: "ok", unchanged: 2 })
    }))

  it.effect("takes no vector away from a document that has them, also where its address changes", () =>
    Effect.gen(function*() {
      for (
        const embedder of [unavailable, Embedder.of({ ...unavailable, fingerprint: EmbedderFingerprint.make("none") })]
      ) {
        const { control, run, world } = yield* notesOf([document("a")], { cached: true })
        yield* run()
        const before = (yield* passages(world)).map(({ embedding }) => embedding)
        yield* control.setListing({ roots: [{ uri: "vec:///elsewhere", status: "readable" }] })
        assert.deepInclude(yield* run({}, withEmbedder(embedder)), { status: "ok", stale: 1, embed_texts: 0 })
        const after = yield* passages(world)
        assert.deepStrictEqual(after.map(({ embedding }) => embedding), before)
        assert.isTrue(after.every(({ source_uri }) => source_uri.startsWith("vec:///elsewhere")))
        assert.deepInclude(yield* run(), { status: "ok", unchanged: 1, embed_texts: 0 })
      }
    }))
})

describe("a document that is stale", () => {
  it.effect("and that the log does not hold (a manifest of another home) is fetched", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.put(document("c"))
      const other = yield* notesOf([document("c")])
      yield* other.run()
      const c = (yield* other.world.manifest(notes)).get(DocId.make("c"))
      assert.isDefined(c)
      const foreign = new ManifestEntry({ ...c, source_uri: SourceUri.make("vec:///notes/c"), seq: undefined })
      const entries = new Map([...yield* world.manifest(notes), [foreign.doc_id, foreign]])
      yield* world.process(Effect.flatMap(ManifestStore, ({ save }) => save(notes, entries)))
      const policyOf = () => ({ ...defaultPolicy, max_tokens: 20 })
      assert.deepInclude(yield* run({ policyOf }), { status: "ok", stale: 3, fetched: 1 })
      assert.strictEqual((yield* documentsOf(world)).get("c"), text("c"))
      assert.lengthOf(yield* linesOf(world, "tombstone"), 6)
    }))
})

describe("who watches a sync", () => {
  it.scoped("hears of each document once, from listed to done, and of each text", () =>
    Effect.gen(function*() {
      const events = yield* Ref.make<ReadonlyArray<SyncEvent>>([])
      const { embedder, inject } = yield* faulty
      const { control, run } = yield* notesOf([document("a"), document("b"), document("c")], { embedder })
      yield* control.failFetch("b", { reason: "refused" })
      yield* inject({})
      const watch = { note: (event: SyncEvent) => Ref.update(events, (all) => [...all, event]) }
      yield* run({}, (program) => Effect.provideService(program, SyncObserver, watch))
      const heard = yield* Ref.get(events)
      const of = (tag: SyncEvent["_tag"]) => heard.filter(({ _tag }) => _tag === tag)
      assert.deepStrictEqual(of("Listed"), [{ _tag: "Listed", connector: notes, documents: 3, toDo: 3 }])
      for (const tag of ["Fetched", "Done"] as const) {
        const ids = of(tag).flatMap((event) => "doc_id" in event ? [String(event.doc_id)] : [])
        assert.sameMembers(ids, ["a", "b", "c"])
      }
      for (const tag of ["Embedding", "Embedded"] as const) {
        assert.strictEqual(of(tag).reduce((n, event) => "texts" in event ? n + event.texts : n, 0), 6)
      }
      yield* Ref.set(events, [])
      yield* run({}, (program) => Effect.provideService(program, SyncObserver, watch))
      assert.deepStrictEqual(yield* Ref.get(events), [{ _tag: "Listed", connector: notes, documents: 3, toDo: 0 }])
    }))
})
