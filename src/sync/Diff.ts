/**
 * What changed: a listing against what was known. Pure; it decides what a sync does and what drift shows, and reads
 * nothing.
 *
 * @since 0.1.0
 */
import type { DocumentRef } from "../domain/Document.ts"
import type { DocId, EmbedderFingerprint, Fingerprint } from "../domain/Ids.ts"
import type { Coverage, ListingRoot } from "../domain/Listing.ts"
import { type FailedEntry, ManifestEntry } from "../domain/Manifest.ts"
import { hadOtherLimit, tooLarge } from "./Unfit.ts"

/**
 * A listing, read to its end. `duplicated` are ids that it named more than once; `remark` is what it says of its options.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listed {
  readonly coverage: Coverage
  readonly roots: ReadonlyArray<ListingRoot>
  readonly refs: ReadonlyMap<DocId, DocumentRef>
  readonly skipped: ReadonlyMap<DocId, string>
  readonly removals: ReadonlySet<DocId>
  readonly duplicated: ReadonlySet<DocId>
  readonly remark?: string | undefined
}

/**
 * What was known before: the manifest, and what failed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Known {
  readonly entries: ReadonlyMap<DocId, ManifestEntry>
  readonly failed: ReadonlyMap<DocId, FailedEntry>
}

/**
 * How documents would be stored today. An embedder that is not there (`none`) makes nothing stale.
 *
 * @since 0.1.0
 * @category models
 */
export interface Today {
  readonly pipelineOf: (document: Pick<DocumentRef, "doc_id" | "media_type">) => Fingerprint
  readonly embedder: EmbedderFingerprint
  readonly maxDocumentBytes: number
}

/**
 * A document whose text is in the log and has to be stored anew from there: cut otherwise (`pipeline`), or only
 * without the vectors of today's embedder (`embedder`).
 *
 * @since 0.1.0
 * @category models
 */
export interface Stale {
  readonly ref: DocumentRef
  readonly entry: ManifestEntry
  readonly why: "pipeline" | "embedder"
}

/**
 * Every listed document in exactly one place, and what is gone. `touched` are the unchanged ones whose revision moved:
 * only their manifest line changes. `outside` are entries that lie under none of the roots listed now.
 *
 * @since 0.1.0
 * @category models
 */
export interface Diff {
  readonly new: ReadonlyArray<DocumentRef>
  readonly changed: ReadonlyArray<{ readonly ref: DocumentRef; readonly entry: ManifestEntry }>
  readonly moved: ReadonlyArray<{ readonly ref: DocumentRef; readonly from: ManifestEntry }>
  readonly stale: ReadonlyArray<Stale>
  readonly unchanged: ReadonlyArray<DocId>
  readonly touched: ReadonlyArray<ManifestEntry>
  readonly failedBefore: ReadonlyArray<FailedEntry>
  readonly duplicated: ReadonlyArray<DocId>
  readonly skipped: ReadonlyArray<{ readonly doc_id: DocId; readonly reason: string }>
  readonly removed: ReadonlyArray<ManifestEntry>
  readonly outside: ReadonlyArray<ManifestEntry>
}

/**
 * What a failure remembers of the document's state, so that the same state is not tried again.
 *
 * @since 0.1.0
 * @category failures
 */
export const stateOf = (ref: DocumentRef): string | undefined => ref.revision ?? ref.content_hash

/** An equal revision settles it without a hash. Where a listing gives neither, only a fetch can tell. */
const isSame = (ref: DocumentRef, entry: ManifestEntry): boolean =>
  (ref.revision !== undefined && ref.revision === entry.revision)
  || (ref.content_hash !== undefined && ref.content_hash === entry.content_hash)

/**
 * Whether a document lies under a root.
 *
 * @since 0.1.0
 * @category roots
 */
export const under = (uri: string, root: string): boolean =>
  uri === root || uri.startsWith(root.endsWith("/") ? root : `${root}/`)

/**
 * A listed document with what only its fetch could tell of it.
 *
 * @since 0.1.0
 * @category media types
 */
export const withMediaType = (
  { doc_id, media_type }: DocumentRef,
  entry: ManifestEntry
): Pick<DocumentRef, "doc_id" | "media_type"> => ({ doc_id, media_type: media_type ?? entry.media_type })

const staleness = (ref: DocumentRef, entry: ManifestEntry, today: Today): Stale["why"] | undefined => {
  if (entry.pipeline !== today.pipelineOf(withMediaType(ref, entry))) return "pipeline"
  // The same document at another address: its commit has to say so, its passages stay.
  if (entry.source_uri !== ref.source_uri) return "embedder"
  return today.embedder !== "none" && entry.embedder !== today.embedder ? "embedder" : undefined
}

/** The same document, cut and embedded in the same way, would fail again. */
const isHopeless = (ref: DocumentRef, failed: FailedEntry, today: Today): boolean => {
  if (failed.outcome !== "failed" || failed.retryable) return false
  if (failed.revision === undefined || failed.revision !== stateOf(ref)) return false
  const ours = failed.error === "embed" || failed.error === "chunk"
  return !ours || (failed.pipeline === today.pipelineOf(ref) && failed.embedder === today.embedder)
}

/** Why it would be left out, without a fetch: it says so itself, or its last fetch of the same state has shown it. */
const unfit = (ref: DocumentRef, failed: FailedEntry | undefined, { maxDocumentBytes }: Today): string | undefined => {
  if ((ref.size ?? 0) > maxDocumentBytes) return tooLarge(maxDocumentBytes)
  const shown = failed?.outcome === "skipped" && !failed.retryable
    && failed.revision !== undefined && failed.revision === stateOf(ref)
  return shown && !hadOtherLimit(failed.error, maxDocumentBytes) ? failed.error : undefined
}

interface Gone {
  readonly removed: Array<ManifestEntry>
  readonly outside: Array<ManifestEntry>
}

/** Only a complete listing of a readable root says that what it lacks is gone; a removal that is named always does. */
const gone = ({ entries }: Known, listed: Listed): Gone => {
  const seen = (id: DocId) => listed.refs.has(id) || listed.skipped.has(id) || listed.duplicated.has(id)
  const result: Gone = { removed: [], outside: [] }
  for (const entry of entries.values()) {
    if (entry.excluded === true) continue
    if (listed.removals.has(entry.doc_id)) result.removed.push(entry)
    else if (listed.coverage === "complete" && !seen(entry.doc_id)) {
      const roots = listed.roots.filter(({ uri }) => under(entry.source_uri, uri))
      if (roots.length === 0) result.outside.push(entry)
      else if (roots.every(({ status }) => status === "readable")) result.removed.push(entry)
    }
  }
  return result
}

/**
 * Compares a listing with what was known.
 *
 * @since 0.1.0
 * @category diff
 */
export const diff = (known: Known, listed: Listed, today: Today): Diff => {
  const { outside, removed } = gone(known, listed)
  const leaving = [...removed]
  const out = {
    new: Array<DocumentRef>(),
    changed: Array<Diff["changed"][number]>(),
    moved: Array<Diff["moved"][number]>(),
    stale: Array<Stale>(),
    unchanged: Array<DocId>(),
    touched: Array<ManifestEntry>(),
    failedBefore: Array<FailedEntry>(),
    skipped: [...listed.skipped].filter(([doc_id]) => !listed.duplicated.has(doc_id)).map(([doc_id, reason]) => ({
      doc_id,
      reason
    }))
  }

  const place = (ref: DocumentRef): void => {
    const entry = known.entries.get(ref.doc_id)
    if (entry?.excluded === true) return void out.skipped.push({ doc_id: ref.doc_id, reason: "excluded" })
    if (ref.availability === "unavailable") return void out.skipped.push({ doc_id: ref.doc_id, reason: "unavailable" })
    if (entry !== undefined && isSame(ref, entry)) {
      const why = staleness(ref, entry, today)
      if (why !== undefined) return void out.stale.push({ ref, entry, why })
      out.unchanged.push(ref.doc_id)
      if (ref.revision !== undefined && ref.revision !== entry.revision) {
        out.touched.push(new ManifestEntry({ ...entry, revision: ref.revision }))
      }
      return
    }
    const failed = known.failed.get(ref.doc_id)
    const reason = unfit(ref, failed, today)
    if (reason !== undefined) return void out.skipped.push({ doc_id: ref.doc_id, reason })
    const hopeless = failed !== undefined && isHopeless(ref, failed, today)
    if (hopeless) return void out.failedBefore.push(failed)
    if (entry !== undefined) return void out.changed.push({ ref, entry })
    const at = ref.content_hash === undefined
      ? -1
      : leaving.findIndex(({ content_hash }) => content_hash === ref.content_hash)
    const [from] = at < 0 ? [] : leaving.splice(at, 1)
    if (from === undefined) return void out.new.push(ref)
    out.moved.push({ ref, from })
  }

  for (const ref of listed.refs.values()) if (!listed.duplicated.has(ref.doc_id)) place(ref)

  const moved = new Set(out.moved.map(({ from }) => from.doc_id))
  return {
    ...out,
    duplicated: [...listed.duplicated],
    removed: removed.filter(({ doc_id }) => !moved.has(doc_id)),
    outside
  }
}
