/** What every connector of documents keeps, given a source that the suite may change. */
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
import { DocumentRef } from "../../src/domain/Document.ts"
import { Fingerprint, Timestamp } from "../../src/domain/Ids.ts"
import { ManifestEntry } from "../../src/domain/Manifest.ts"

/** A connector and its source, which holds nothing at first. */
export interface Subject {
  readonly connector: DocumentConnector
  /** Four ids that the source takes; the more alike, the better. */
  readonly ids: readonly [string, string, string, string]
  /** Adds a document or changes it. */
  readonly put: (doc_id: string, text: string) => Effect.Effect<void>
  readonly remove: (doc_id: string) => Effect.Effect<void>
  /** Moves whatever the source's cheap token hangs on, and not the content. */
  readonly touch: (doc_id: string) => Effect.Effect<void>
  /** Takes away the place where the source is: a disk that is not mounted. */
  readonly unplug: Effect.Effect<void>
  /** How often a document's content was read so far; only for a source that believes an equal revision at once. */
  readonly reads?: Effect.Effect<number>
}

const sha256 = (bytes: Uint8Array) => Fingerprint.make(`sha256:${createHash("sha256").update(bytes).digest("hex")}`)

const nothingKnown: Parameters<DocumentConnector["list"]>[0] = new Map()

const listed = (connector: DocumentConnector, known = nothingKnown) =>
  Effect.gen(function*() {
    const { coverage, documents, roots } = yield* connector.list(known)
    const items = Chunk.toReadonlyArray(yield* Stream.runCollect(documents))
    return { coverage, roots, refs: items.filter((item) => item instanceof DocumentRef) }
  })

const entryOf = (connector: DocumentConnector) => (ref: DocumentRef) =>
  Effect.map(connector.fetch(ref), ({ bytes }) =>
    new ManifestEntry({
      doc_id: ref.doc_id,
      source_uri: ref.source_uri,
      content_hash: sha256(bytes),
      chunk_count: 1,
      synced_at: Timestamp.make("2026-11-29T20:00:00.000Z"),
      ...(ref.revision === undefined ? {} : { revision: ref.revision })
    }))

const textOf = (connector: DocumentConnector) => (ref: DocumentRef) =>
  Effect.map(connector.fetch(ref), ({ bytes }) => new TextDecoder().decode(bytes))

export const contract = <E>(name: string, make: Effect.Effect<Subject, E, Scope.Scope>): void => {
  /** A source of three documents. */
  const filled = Effect.tap(
    make,
    ({ ids: [a, b, c], put }) => Effect.all([put(a, "# A\n\nalpha"), put(b, "# B\n\nbéta 漢"), put(c, "# C\n\ngamma")])
  )

  const refOf = (refs: ReadonlyArray<DocumentRef>, doc_id: string) =>
    Effect.fromNullable(refs.find((ref) => ref.doc_id === doc_id))

  describe(`SourceConnector/${name}`, () => {
    it.scopedLive("lists each document once, with what decides whether it is fetched", () =>
      Effect.gen(function*() {
        const { connector, ids: [a, b, c] } = yield* filled
        const { refs } = yield* listed(connector)
        assert.deepStrictEqual(refs.map(({ doc_id }) => String(doc_id)).sort(), [a, b, c].sort())
        for (const ref of refs) assert.isTrue(ref.content_hash !== undefined || ref.revision !== undefined, ref.doc_id)
      }))

    it.scopedLive("lists them under a readable root, by URIs that hold no user", () =>
      Effect.gen(function*() {
        const { connector } = yield* filled
        const { refs, roots } = yield* listed(connector)
        assert.isNotEmpty(roots)
        for (const { status } of roots) assert.strictEqual(status, "readable")
        for (const { source_uri } of refs) {
          assert.isTrue(roots.some(({ uri }) => source_uri.startsWith(uri)), source_uri)
          assert.match(source_uri, /^[a-z][a-z0-9+.-]*:[!-~]+$/)
          assert.strictEqual(new URL(source_uri).username, "")
        }
        assert.strictEqual(new Set(refs.map(({ source_uri }) => source_uri)).size, refs.length)
      }))

    it.scopedLive("gives as hash the sha256 of what it fetches, if it gives one", () =>
      Effect.gen(function*() {
        const { connector } = yield* filled
        const { refs } = yield* listed(connector)
        for (const ref of refs) {
          const { bytes, revision } = yield* connector.fetch(ref)
          if (ref.content_hash !== undefined) assert.strictEqual(ref.content_hash, sha256(bytes))
          if (ref.revision !== undefined && revision !== undefined) assert.strictEqual(revision, ref.revision)
          if (ref.content_hash !== undefined && ref.size !== undefined) assert.strictEqual(ref.size, bytes.length)
        }
      }))

    it.scopedLive("fetches the text that was put, each time anew", () =>
      Effect.gen(function*() {
        const { connector, ids: [, b] } = yield* filled
        const ref = yield* refOf((yield* listed(connector)).refs, b)
        const first = yield* connector.fetch(ref)
        assert.include(new TextDecoder().decode(first.bytes), "béta 漢")
        const kept = Uint8Array.from(first.bytes)
        first.bytes.fill(0)
        assert.deepStrictEqual((yield* connector.fetch(ref)).bytes, kept)
        assert.match(first.media_type, /^[a-z]+\/[a-z0-9.+-]+/)
      }))

    it.scopedLive("says the same of documents that did not change, whatever is known of them", () =>
      Effect.gen(function*() {
        const { connector } = yield* filled
        const { refs } = yield* listed(connector)
        const entries = yield* Effect.forEach(refs, entryOf(connector))
        const known = new Map(entries.map((entry) => [entry.doc_id, entry]))
        const again = (yield* listed(connector, known)).refs
        const facts = (refs: ReadonlyArray<DocumentRef>) =>
          refs.map(({ doc_id, revision, source_uri }) => [doc_id, source_uri, revision])
        assert.deepStrictEqual(facts(again), facts(refs))
        for (const { content_hash, doc_id } of again) {
          if (content_hash !== undefined) assert.strictEqual(content_hash, known.get(doc_id)?.content_hash)
        }
      }))

    it.scopedLive("says something else of a document that changed, by the same size too", () =>
      Effect.gen(function*() {
        const { connector, ids: [a], put } = yield* filled
        const before = (yield* listed(connector)).refs
        const known = new Map((yield* Effect.forEach(before, entryOf(connector))).map((entry) => [entry.doc_id, entry]))
        yield* put(a, "# A\n\nomega")
        const after = (yield* listed(connector, known)).refs
        const [old, now] = [yield* refOf(before, a), yield* refOf(after, a)]
        assert.notDeepEqual([old.content_hash, old.revision], [now.content_hash, now.revision])
        assert.include(yield* textOf(connector)(now), "omega")
        for (const ref of after.filter(({ doc_id }) => doc_id !== a)) {
          const same = yield* refOf(before, ref.doc_id)
          assert.deepStrictEqual(ref.revision, same.revision)
        }
      }))

    it.scopedLive("reads no document whose revision is the one that is known", () =>
      Effect.gen(function*() {
        const { connector, ids: [a], put, reads = Effect.succeed(0) } = yield* filled
        const { refs } = yield* listed(connector)
        const known = new Map((yield* Effect.forEach(refs, entryOf(connector))).map((entry) => [entry.doc_id, entry]))
        const before = yield* reads
        yield* listed(connector, known)
        assert.strictEqual(yield* reads, before)
        yield* put(a, "# A\n\nomega")
        yield* listed(connector, known)
        assert.isAtMost(yield* reads, before + 1)
      }))

    it.scopedLive("does not call a document changed that was only touched", () =>
      Effect.gen(function*() {
        const { connector, ids: [a], reads = Effect.succeed(0), touch } = yield* filled
        const before = (yield* listed(connector)).refs
        const entries = yield* Effect.forEach(before, entryOf(connector))
        const known = new Map(entries.map((entry) => [entry.doc_id, entry]))
        yield* touch(a)
        const readsBefore = yield* reads
        const now = yield* refOf((yield* listed(connector, known)).refs, a)
        assert.isAtMost(yield* reads, readsBefore + 1)
        const { content_hash } = yield* Effect.fromNullable(known.get(now.doc_id))
        if (now.content_hash !== undefined) assert.strictEqual(now.content_hash, content_hash)
        assert.strictEqual(sha256((yield* connector.fetch(now)).bytes), content_hash)
      }))

    it.scopedLive("gives with what it fetches the revision that the next listing gives", () =>
      Effect.gen(function*() {
        const { connector, ids: [a], put } = yield* filled
        const ref = yield* refOf((yield* listed(connector)).refs, a)
        yield* put(a, "# A\n\nomega and more")
        const { revision } = yield* connector.fetch(ref)
        const now = yield* refOf((yield* listed(connector)).refs, a)
        if (revision !== undefined && now.revision !== undefined) assert.strictEqual(revision, now.revision)
      }))

    it.scopedLive("gives the same content for a document under another name", () =>
      Effect.gen(function*() {
        const { connector, ids: [a, , , d], put, remove } = yield* filled
        const before = (yield* listed(connector)).refs
        const entries = yield* Effect.forEach(before, entryOf(connector))
        const known = new Map(entries.map((entry) => [entry.doc_id, entry]))
        yield* remove(a)
        yield* put(d, "# A\n\nalpha")
        const { refs } = yield* listed(connector, known)
        assert.isUndefined(refs.find(({ doc_id }) => doc_id === a))
        const moved = yield* refOf(refs, d)
        const content_hash = entries.find(({ doc_id }) => doc_id === a)?.content_hash
        if (moved.content_hash !== undefined) assert.strictEqual(moved.content_hash, content_hash)
        assert.strictEqual(sha256((yield* connector.fetch(moved)).bytes), content_hash)
      }))

    it.scopedLive("fetches a document as it is, not as it was listed", () =>
      Effect.gen(function*() {
        const { connector, ids: [a], put } = yield* filled
        const ref = yield* refOf((yield* listed(connector)).refs, a)
        yield* put(a, "# A\n\nomega")
        assert.include(yield* textOf(connector)(ref), "omega")
      }))

    it.scopedLive("keeps ids apart that differ in any byte", () =>
      Effect.gen(function*() {
        const { connector, ids, put } = yield* make
        yield* Effect.forEach(ids, (id, i) => put(id, `text number ${i}`))
        const { refs } = yield* listed(connector)
        assert.strictEqual(refs.length, ids.length)
        yield* Effect.forEach(ids, (id, i) =>
          Effect.map(Effect.flatMap(refOf(refs, id), textOf(connector)), (text) =>
            assert.include(text, `number ${i}`)))
      }))

    it.scopedLive("no longer lists what is gone, and says so when it is fetched", () =>
      Effect.gen(function*() {
        const { connector, ids: [a, b, c], remove } = yield* filled
        const ref = yield* refOf((yield* listed(connector)).refs, b)
        yield* remove(b)
        const failure = yield* Effect.flip(connector.fetch(ref))
        assert.deepStrictEqual([failure.doc_id, failure.reason, failure.retryable], [ref.doc_id, "gone", false])
        const { refs } = yield* listed(connector)
        assert.deepStrictEqual(refs.map(({ doc_id }) => String(doc_id)).sort(), [a, c].sort())
      }))

    it.scopedLive("fails, or says that its root is not readable, where the source is not there", () =>
      Effect.gen(function*() {
        const { connector, unplug } = yield* filled
        const entries = yield* Effect.forEach((yield* listed(connector)).refs, entryOf(connector))
        yield* unplug
        const known = new Map(entries.map((entry) => [entry.doc_id, entry]))
        const after = yield* Effect.either(listed(connector, known))
        if (Either.isLeft(after)) return assert.strictEqual(after.left.operation, "list")
        assert.deepStrictEqual(after.right.refs, [])
        assert.isNotEmpty(after.right.roots)
        for (const { status } of after.right.roots) assert.notStrictEqual(status, "readable")
      }))

    it.scopedLive("lists nothing of an empty source, and does not fail", () =>
      Effect.gen(function*() {
        const { connector } = yield* make
        assert.isTrue(Either.isRight(yield* Effect.either(connector.list(nothingKnown))))
        assert.deepStrictEqual((yield* listed(connector)).refs, [])
      }))

    it.scopedLive("can be listed in parts, and read twice at once", () =>
      Effect.gen(function*() {
        const { connector } = yield* filled
        const { documents } = yield* connector.list(nothingKnown)
        assert.strictEqual(yield* documents.pipe(Stream.take(1), Stream.runCount), 1)
        const { refs } = yield* listed(connector)
        const texts = Effect.forEach([...refs, ...refs], textOf(connector), { concurrency: 6 })
        const all = yield* texts
        assert.deepStrictEqual(all.slice(0, 3), all.slice(3))
      }))

    it.scopedLive("has limits that an engine can keep", () =>
      Effect.gen(function*() {
        const { connector: { limits, source_type } } = yield* make
        assert.strictEqual(source_type, "document")
        assert.isAtLeast(limits.max_concurrent_fetches, 1)
        assert.isTrue(Number.isInteger(limits.max_concurrent_fetches))
      }))
  })
}
