/**
 * `mem ref rm` and `mem ref add`: takes a document out of every later sync, or lets it back in. Its text stays in the
 * log; nothing there is deleted.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { contentHash } from "../chunk/Pipeline.ts"
import { ConnectorName, DocId } from "../domain/Ids.ts"
import type { LogEntry } from "../domain/LogRecord.ts"
import { type FailedEntry, ManifestEntry } from "../domain/Manifest.ts"
import { Exclusion } from "../domain/Reference.ts"
import type { ManifestError } from "../domain/StoreErrors.ts"
import { documentKey, entryOf } from "../log/Live.ts"
import { beginRun } from "./BeginRun.ts"
import * as Groups from "./Groups.ts"
import { loadManifest } from "./LoadManifest.ts"
import { live } from "./LogView.ts"
import { timestamp } from "./Pipeline.ts"
import type { SyncError } from "./Run.ts"
import { beginningWith, fewest, SeveralSessions } from "./SessionId.ts"

/**
 * There is no such document to exclude, it is excluded already, or it is not excluded.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnknownDocument extends Schema.TaggedError<UnknownDocument>("mem/UnknownDocument")("UnknownDocument", {
  connector: ConnectorName,
  doc_id: DocId,
  wanted: Schema.Literal("known", "included", "excluded")
}) {
  override get message(): string {
    switch (this.wanted) {
      case "known":
        return `${this.connector} has no document or session ${this.doc_id}; "mem ref list ${this.connector}" names those it has`
      case "included":
        return `${this.doc_id} of ${this.connector} is excluded already; "mem ref add" lets it back in`
      case "excluded":
        return `${this.doc_id} of ${this.connector} is not excluded; there is nothing to add back`
    }
  }
}

const chosen = (
  connector: ConnectorName,
  given: DocId,
  found: ReadonlyArray<DocId>
): Effect.Effect<DocId, SeveralSessions> => {
  const [first = given, second] = found
  return second === undefined
    ? Effect.succeed(first)
    : new SeveralSessions({ connector, beginning: given, doc_ids: found })
}

/**
 * The document that is meant to be taken out: one that is known by this id, or the one session whose id begins so.
 *
 * @since 0.1.0
 * @category ids
 */
export const meant = (
  connector: ConnectorName,
  given: DocId
): Effect.Effect<DocId, LogReadError | ManifestError | SeveralSessions, LogReader | ManifestStore> =>
  Effect.gen(function*() {
    const { documents, ...log } = yield* live
    const failed = yield* Effect.flatMap(ManifestStore, ({ loadFailed }) => loadFailed(connector))
    if (failed.has(given) || HashMap.has(documents, documentKey(connector, given))) return given
    const found = beginningWith({ ...log, documents }, connector, given)
    return yield* chosen(connector, given, found.map(({ commit }) => commit.doc_id))
  })

/**
 * As {@link meant}, among those that were taken out.
 *
 * @since 0.1.0
 * @category ids
 */
export const meantToCome = (
  connector: ConnectorName,
  given: DocId
): Effect.Effect<DocId, LogReadError | SeveralSessions, LogReader> =>
  Effect.gen(function*() {
    const { documents, excluded } = yield* live
    if (given.length < fewest || HashMap.has(documents, documentKey(connector, given))) return given
    const found = [...HashMap.values(documents)].filter(({ commit }) =>
      commit.connector === connector && commit.doc_id.startsWith(given)
      && Option.contains(HashMap.get(excluded, documentKey(connector, commit.doc_id)), true)
    )
    return yield* chosen(connector, given, found.map(({ commit }) => commit.doc_id).sort())
  })

type Requirements = LogReader | LogWriter | ManifestStore | ProgressStore

const mark = (connector: ConnectorName, doc_id: DocId, excluded: boolean): LogEntry => ({
  kind: "exclusion",
  body: new Exclusion({ connector, doc_id, excluded })
})

/**
 * Stands for a document of which nothing was ever stored: what it would be the hash of is the empty content, which no
 * passage belongs to.
 */
const neverStored = ({ doc_id, last_at, source_uri }: FailedEntry): Option.Option<ManifestEntry> =>
  Option.map(Option.fromNullable(source_uri), (source_uri) =>
    new ManifestEntry({
      doc_id,
      source_uri,
      content_hash: contentHash(new Uint8Array()),
      chunk_count: 0,
      synced_at: last_at
    }))

/**
 * Takes the document out: its passages are tombstoned, and every later sync skips it. One that never could be stored
 * is taken out by its place in the list of failures.
 *
 * @since 0.1.0
 * @category programs
 */
export const exclude = (
  connector: ConnectorName,
  doc_id: DocId
): Effect.Effect<void, SyncError | UnknownDocument, Requirements> =>
  Effect.gen(function*() {
    const { append } = yield* LogWriter
    const manifests = yield* ManifestStore
    const progress = yield* ProgressStore
    const manifest = yield* loadManifest(connector)
    const { entries } = manifest
    const failed = (yield* manifests.loadFailed(connector)).get(doc_id)
    const entry = entries.get(doc_id) ?? Option.getOrUndefined(Option.flatMap(Option.fromNullable(failed), neverStored))
    if (entry === undefined) return yield* new UnknownDocument({ connector, doc_id, wanted: "known" })
    if (entry.excluded === true) return yield* new UnknownDocument({ connector, doc_id, wanted: "included" })
    yield* beginRun(connector, manifest, 0)
    const gone = Groups.removal({ connector, now: yield* timestamp }, entry, "excluded")
    const [seq] = yield* append([{ ...gone, entries: [mark(connector, doc_id, true), ...gone.entries] }])
    if (seq === undefined) return yield* Effect.dieMessage("the log's writer answered without a seq")
    yield* manifests.save(connector, new Map([...entries, [doc_id, entryOf(gone.commit, seq, 0, true)]]))
    yield* progress.clear(connector)
  })

/**
 * Lets it back in: the next sync finds it as a new document.
 *
 * @since 0.1.0
 * @category programs
 */
export const include = (
  connector: ConnectorName,
  doc_id: DocId
): Effect.Effect<void, SyncError | UnknownDocument, Requirements> =>
  Effect.gen(function*() {
    const manifests = yield* ManifestStore
    const progress = yield* ProgressStore
    const manifest = yield* loadManifest(connector)
    const { entries } = manifest
    if (entries.get(doc_id)?.excluded !== true) {
      return yield* new UnknownDocument({ connector, doc_id, wanted: "excluded" })
    }
    yield* beginRun(connector, manifest, 0)
    yield* Effect.flatMap(LogWriter, ({ appendAlone }) => appendAlone([mark(connector, doc_id, false)]))
    const rest = new Map([...entries].filter(([id]) => id !== doc_id))
    yield* manifests.save(connector, rest)
    yield* progress.clear(connector)
  })
