/** What every ManifestStore keeps, given a way to make an empty one. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ConnectorName, DocId, Fingerprint, SourceUri, Timestamp } from "../../src/domain/Ids.ts"
import { FailedEntry, ManifestEntry } from "../../src/domain/Manifest.ts"

export const notes = ConnectorName.make("notes")
const papers = ConnectorName.make("papers")

export const entry = (id: string, chunk_count = 1): ManifestEntry =>
  new ManifestEntry({
    doc_id: DocId.make(id),
    source_uri: SourceUri.make(`file:///vault/${encodeURIComponent(id)}`),
    content_hash: Fingerprint.make(`sha256:${"0123456789abcdef".repeat(4)}`),
    chunk_count,
    synced_at: Timestamp.make("2026-11-29T20:00:00.000Z")
  })

export const failed = (id: string, attempts = 1): FailedEntry =>
  new FailedEntry({
    doc_id: DocId.make(id),
    outcome: "failed",
    error: "DocumentError",
    message: "it has gone",
    retryable: true,
    attempts,
    last_at: Timestamp.make("2026-11-29T20:00:00.000Z")
  })

export const keyed = <A extends { readonly doc_id: DocId }>(entries: ReadonlyArray<A>): ReadonlyMap<DocId, A> =>
  new Map(entries.map((entry) => [entry.doc_id, entry]))

/** Each field that has a value, so that an absent one and an undefined one are the same. */
const fields = (entry: object) => Object.entries(entry).filter(([, value]) => value !== undefined).sort()

const content = (entries: ReadonlyMap<DocId, object>) =>
  Array.from(entries, ([id, entry]) => [id, fields(entry)] as const).sort(([a], [b]) => a < b ? -1 : 1)

/** Ids that some map, file name or comparison might take for one another. */
const awkward = [
  "__proto__",
  "constructor",
  "a",
  "A",
  "a ",
  "a\0",
  "a\n",
  "é",
  "e\u0301",
  "\uFEFFa",
  "\u2028",
  "../a",
  "😀",
  "\uFFFD"
]

const manifests = FastCheck.uniqueArray(Arbitrary.make(ManifestEntry), { selector: ({ doc_id }) => doc_id }).map(keyed)
const failures = FastCheck.uniqueArray(Arbitrary.make(FailedEntry), { selector: ({ doc_id }) => doc_id }).map(keyed)

const load = (connector: ConnectorName) => Effect.flatMap(ManifestStore, ({ load }) => load(connector))
const loaded = (connector: ConnectorName) => Effect.map(load(connector), Option.getOrThrow)
const save = (connector: ConnectorName, entries: ReadonlyMap<DocId, ManifestEntry>) =>
  Effect.flatMap(ManifestStore, ({ save }) => save(connector, entries))

export const contract = (
  name: string,
  layer: () => Layer.Layer<ManifestStore>
): void => {
  const withStore = <A, E>(test: Effect.Effect<A, E, ManifestStore>): Effect.Effect<A, E> =>
    Effect.suspend(() => Effect.provide(test, layer()))

  describe(`ManifestStore/${name}`, () => {
    it.effect("has none of a connector that was never saved", () =>
      withStore(Effect.gen(function*() {
        const { loadFailed } = yield* ManifestStore
        assert.deepStrictEqual(yield* load(notes), Option.none())
        assert.deepStrictEqual(yield* loadFailed(notes), new Map())
      })))

    it.effect.prop("comes back field for field", [manifests], ([entries]) =>
      withStore(Effect.gen(function*() {
        yield* save(notes, entries)
        const back = yield* loaded(notes)
        assert.deepStrictEqual(content(back), content(entries))
        for (const value of back.values()) assert.instanceOf(value, ManifestEntry)
      })))

    it.effect.prop(
      "what failed comes back field for field",
      [failures],
      ([entries]) =>
        withStore(Effect.gen(function*() {
          const { loadFailed, saveFailed } = yield* ManifestStore
          yield* saveFailed(notes, entries)
          assert.deepStrictEqual(content(yield* loadFailed(notes)), content(entries))
        }))
    )

    it.effect("keeps apart any two ids that differ", () =>
      withStore(Effect.gen(function*() {
        const entries = keyed(awkward.map((id, i) => entry(id, i)))
        yield* save(notes, entries)
        assert.deepStrictEqual(content(yield* loaded(notes)), content(entries))
        assert.strictEqual((yield* loaded(notes)).size, awkward.length)
        assert.isUndefined(Object.getOwnPropertyDescriptor(Object.prototype, "doc_id"))
      })))

    it.effect("replaces the whole manifest, by an empty one too", () =>
      withStore(Effect.gen(function*() {
        yield* save(notes, keyed([entry("a"), entry("b")]))
        yield* save(notes, keyed([entry("b", 2), entry("c")]))
        assert.deepStrictEqual(content(yield* loaded(notes)), content(keyed([entry("b", 2), entry("c")])))
        yield* save(notes, new Map())
        assert.deepStrictEqual(yield* load(notes), Option.some(new Map()))
      })))

    it.effect("keeps connectors apart, and manifests from what failed", () =>
      withStore(Effect.gen(function*() {
        const { loadFailed, saveFailed } = yield* ManifestStore
        yield* save(notes, keyed([entry("a")]))
        yield* save(papers, keyed([entry("b")]))
        yield* saveFailed(notes, keyed([failed("c")]))
        assert.deepStrictEqual([...(yield* loaded(notes)).keys()], ["a"])
        assert.deepStrictEqual([...(yield* loaded(papers)).keys()], ["b"])
        assert.deepStrictEqual([...(yield* loadFailed(notes)).keys()], ["c"])
        assert.deepStrictEqual(yield* loadFailed(papers), new Map())
        yield* saveFailed(notes, new Map())
        assert.deepStrictEqual(yield* loadFailed(notes), new Map())
      })))

    it.effect("keeps one of two saves that come together, whole", () =>
      withStore(Effect.gen(function*() {
        const manifest = (n: number) => keyed(Array.from({ length: 3000 }, (_, i) => entry(`${i}`, n)))
        yield* Effect.all([save(notes, manifest(1)), save(notes, manifest(2))], { concurrency: 2 })
        const counts = new Set(Array.from((yield* loaded(notes)).values(), ({ chunk_count }) => chunk_count))
        assert.strictEqual(counts.size, 1)
      })))
  })
}
