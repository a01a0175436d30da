import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Vec from "../../layers/SourceConnector/Vec.ts"
import { type DocumentConnector, SourceConnector } from "../../services/SourceConnector.ts"
import { DocumentError } from "../../src/domain/ConnectorErrors.ts"
import { DocumentRef } from "../../src/domain/Document.ts"
import { DocId, SourceUri } from "../../src/domain/Ids.ts"
import { type ListingItem, ListingRemoval, ListingSkip } from "../../src/domain/Listing.ts"
import { contract } from "../contracts/SourceConnector.ts"

const subject = (listing: Partial<Vec.VecListing>) =>
  Effect.map(Vec.make("notes", [], { listing }), ({ connector, control }) => ({
    connector,
    ids: ["a/é x.md", "A/é x.md", "a/e\u0301 x.md", "../..#?%20.md"] as const,
    put: (doc_id: string, content: string) => control.put({ doc_id, content }),
    remove: control.remove,
    touch: control.touch,
    unplug: control.setListing({ roots: [{ uri: "vec:///notes", status: "missing" }] }),
    reads: Effect.map(control.counts, ({ fetches }) => fetches)
  }))

contract("Vec", subject({}))
contract("Vec with revisions", subject({ content_hash: false, revision: true }))

const three = ["a", "b", "c"].map((id) => ({ doc_id: `${id}.md`, content: `text of ${id}` }))

const refTo = (doc_id: string) =>
  new DocumentRef({ doc_id: DocId.make(doc_id), source_uri: SourceUri.make(`vec:///notes/${doc_id}`) })

const show = (item: ListingItem): string =>
  item instanceof ListingSkip
    ? `skip ${item.doc_id}: ${item.reason}`
    : item instanceof ListingRemoval
    ? `remove ${item.doc_id}`
    : item.availability === "available"
    ? item.doc_id
    : `${item.doc_id} (${item.availability})`

/** What a listing delivers, and how it ends. */
const listed = (connector: DocumentConnector) =>
  Effect.gen(function*() {
    const items: Array<ListingItem> = []
    const end = yield* connector.list(new Map()).pipe(
      Effect.flatMap(({ documents }) => Stream.runForEach(documents, (item) => Effect.sync(() => items.push(item)))),
      Effect.either
    )
    return { items: items.map(show), end: Either.match(end, { onLeft: ({ detail }) => detail, onRight: () => "end" }) }
  })

const refs = (connector: DocumentConnector) =>
  connector.list(new Map()).pipe(
    Effect.flatMap(({ documents }) => Stream.runCollect(documents)),
    Effect.map((items) => Chunk.toReadonlyArray(items).filter((item) => item instanceof DocumentRef))
  )

const text = (connector: DocumentConnector, doc_id: string) =>
  Effect.map(connector.fetch(refTo(doc_id)), ({ bytes }) => new TextDecoder().decode(bytes))

describe("SourceConnector/Vec", () => {
  it.effect("lists what was added, changed, renamed and removed", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* Vec.make("notes", three)
      yield* control.put({ doc_id: "d.txt", content: new Uint8Array([0xff]) })
      yield* control.remove("b.md")
      yield* control.rename("a.md", "z.md")
      yield* control.put({ doc_id: "c.md", content: "other" })
      yield* control.rename("nobody", "x")
      yield* control.remove("nobody")
      assert.deepStrictEqual((yield* listed(connector)).items, ["c.md", "d.txt", "z.md"])
      assert.deepStrictEqual([yield* text(connector, "c.md"), yield* text(connector, "z.md")], ["other", "text of a"])
      const { bytes, media_type } = yield* connector.fetch(refTo("d.txt"))
      assert.deepStrictEqual([[...bytes], media_type], [[0xff], "text/plain"])
      bytes.fill(0)
      assert.deepStrictEqual([...(yield* connector.fetch(refTo("d.txt"))).bytes], [0xff])
      assert.deepStrictEqual((yield* control.documents).map(({ doc_id }) => doc_id), ["c.md", "d.txt", "z.md"])
    }))

  it.effect("gives hashes, revisions, both or neither", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* Vec.make("notes", [{ doc_id: "a.md", content: "x" }])
      const given = Effect.map(refs(connector), ([ref]) => [ref?.content_hash?.slice(0, 12), ref?.revision])
      assert.deepStrictEqual(yield* given, ["sha256:2d711", undefined])
      yield* control.setListing({ revision: true })
      assert.deepStrictEqual(yield* given, ["sha256:2d711", "r1"])
      yield* control.touch("a.md")
      assert.deepStrictEqual(yield* given, ["sha256:2d711", "r2"])
      yield* control.setAvailability("a.md", "unavailable")
      assert.deepStrictEqual(yield* given, [undefined, "r2"])
      yield* control.setListing({ content_hash: false, revision: false })
      assert.deepStrictEqual(yield* given, [undefined, undefined])
    }))

  it.effect("names skips, removals, duplicates and what is unavailable", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* Vec.make("notes", three, { listing: { coverage: "delta" } })
      yield* control.setListing({
        skips: [{ doc_id: "big.md", reason: "too large" }],
        removals: ["old.md"],
        duplicates: ["b.md"]
      })
      yield* control.setAvailability("c.md", "unavailable")
      assert.deepStrictEqual((yield* listed(connector)).items, [
        "a.md",
        "b.md",
        "c.md (unavailable)",
        "b.md",
        "skip big.md: too large",
        "remove old.md"
      ])
      assert.strictEqual((yield* connector.list(new Map())).coverage, "delta")
      const failure = yield* Effect.flip(connector.fetch(refTo("c.md")))
      assert.deepStrictEqual([failure.reason, failure.retryable], ["fetch", true])
    }))

  it.effect("lists what lies under readable roots alone", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* Vec.make("notes", [...three, {
        doc_id: "o",
        content: "o",
        root: "vec:///o"
      }])
      const roots = (a: "readable" | "missing", o: "readable" | "unreadable") =>
        control.setListing({ roots: [{ uri: "vec:///a", status: a }, { uri: "vec:///o", status: o }] })
      assert.deepStrictEqual((yield* listed(connector)).items, ["a.md", "b.md", "c.md"])
      yield* roots("readable", "readable")
      assert.deepStrictEqual((yield* refs(connector)).map(({ source_uri }) => String(source_uri)), [
        "vec:///a/a.md",
        "vec:///a/b.md",
        "vec:///a/c.md",
        "vec:///o/o"
      ])
      yield* roots("missing", "readable")
      assert.deepStrictEqual((yield* listed(connector)).items, ["o"])
      assert.deepStrictEqual((yield* connector.list(new Map())).roots.map(({ status }) => status), [
        "missing",
        "readable"
      ])
      assert.strictEqual((yield* Effect.flip(connector.fetch(refTo("a.md")))).retryable, true)
      yield* roots("readable", "unreadable")
      assert.deepStrictEqual((yield* listed(connector)).items, ["a.md", "b.md", "c.md"])
    }))

  it.effect("breaks a listing off where it was told to", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* Vec.make("notes", three)
      yield* control.setListing({ fails: { after: 2, retryable: true } })
      assert.deepStrictEqual(yield* listed(connector), {
        items: ["a.md", "b.md"],
        end: "the listing broke off after 2 items"
      })
      yield* control.setListing({ fails: { after: 0, retryable: true } })
      assert.deepStrictEqual((yield* listed(connector)).items, [])
      yield* control.setListing({ fails: { after: "nothing", retryable: false } })
      const failure = yield* Effect.flip(connector.list(new Map()))
      assert.deepStrictEqual([failure.operation, failure.retryable, failure.connector], ["list", false, connector.name])
      yield* control.setListing({ fails: undefined })
      assert.deepStrictEqual((yield* listed(connector)).end, "end")
    }))

  it.effect("changes a document between its listing and its fetch, once", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* Vec.make("notes", three)
      yield* control.afterListing(control.put({ doc_id: "a.md", content: "later" }))
      yield* control.afterListing(control.remove("b.md"))
      const first = yield* refs(connector)
      assert.deepStrictEqual(first.map(({ doc_id }) => String(doc_id)), ["a.md", "b.md", "c.md"])
      assert.strictEqual(yield* text(connector, "a.md"), "later")
      assert.strictEqual((yield* Effect.flip(connector.fetch(refTo("b.md")))).reason, "gone")
      yield* control.put({ doc_id: "a.md", content: "latest" })
      const [a, ...rest] = yield* refs(connector)
      assert.notStrictEqual(a?.content_hash, first[0]?.content_hash)
      assert.strictEqual(rest.length, 1)
      assert.strictEqual(yield* text(connector, "a.md"), "latest")
    }))

  it.effect("fails a fetch so many times, for good, or in another way", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* Vec.make("notes", three)
      const outcome = (doc_id: string) =>
        Effect.map(
          Effect.either(text(connector, doc_id)),
          Either.match({ onLeft: ({ reason, retryable }) => `${reason} ${retryable}`, onRight: (text) => text })
        )
      yield* control.failFetch("a.md", { times: 2, retryable: true })
      yield* control.failFetch("b.md")
      yield* control.onFetch(
        "c.md",
        new DocumentError({ doc_id: DocId.make("c.md"), reason: "refused", detail: "no", retryable: false })
      )
      assert.deepStrictEqual(yield* Effect.replicateEffect(outcome("a.md"), 3), [
        "fetch true",
        "fetch true",
        "text of a"
      ])
      assert.deepStrictEqual(
        yield* Effect.replicateEffect(outcome("b.md"), 3),
        Array.from({ length: 3 }, () => "fetch false")
      )
      assert.strictEqual(yield* outcome("c.md"), "refused false")
      yield* control.healFetch("b.md")
      assert.strictEqual(yield* outcome("b.md"), "text of b")
    }))

  it.effect("counts fetches, what is in flight, and the most that ever was", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* Vec.make("notes", three)
      const counts = Effect.map(control.counts, ({ fetches, fetches_by_id, in_flight, listings, peak_in_flight }) => [
        listings,
        fetches,
        Object.fromEntries(fetches_by_id),
        in_flight,
        peak_in_flight
      ])
      assert.deepStrictEqual(yield* counts, [0, 0, {}, 0, 0])
      yield* listed(connector)
      yield* control.onFetch("a.md", Effect.sleep("3 seconds"))
      yield* control.onFetch("b.md", Effect.never)
      yield* control.failFetch("c.md")
      const fibers = yield* Effect.forEach(
        ["a.md", "b.md", "c.md"],
        (id) => Effect.fork(Effect.either(connector.fetch(refTo(id))))
      )
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* counts, [1, 3, { "a.md": 1, "b.md": 1, "c.md": 1 }, 2, 3])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* counts)[3], 1)
      yield* Effect.flip(connector.fetch(refTo("c.md")))
      assert.deepStrictEqual(yield* counts, [1, 4, { "a.md": 1, "b.md": 1, "c.md": 2 }, 1, 3])
      yield* control.resetCounts
      assert.deepStrictEqual(yield* counts, [0, 0, {}, 1, 1])
      yield* Fiber.interruptAll(fibers)
      assert.deepStrictEqual(yield* counts, [0, 0, {}, 0, 1])
    }))

  it.effect("is a layer, with its control beside it", () =>
    Effect.gen(function*() {
      const control = yield* Vec.VecConnector
      const connector = yield* SourceConnector
      yield* control.put({ doc_id: "n.md", content: "new" })
      assert.deepStrictEqual([connector.name, connector.kind, connector.source_type], ["notes", "own", "document"])
      assert.strictEqual(connector.limits.max_concurrent_fetches, 2)
      if (connector.source_type === "document") assert.strictEqual(yield* text(connector, "n.md"), "new")
    }).pipe(Effect.provide(Vec.layer("notes", three, { kind: "own", limits: { max_concurrent_fetches: 2 } }))))
})
