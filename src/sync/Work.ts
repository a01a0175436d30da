/**
 * What flows through a sync: a document to be done, the document with its passages, and how it ended.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import type { DocumentRef } from "../domain/Document.ts"
import type { DocId, EmbedderFingerprint, Fingerprint } from "../domain/Ids.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import type { Vector } from "../domain/Reference.ts"
import type { Diff } from "./Diff.ts"
import type { Piece } from "./DocumentPolicy.ts"

/**
 * A document to be done. `entry` is what was known of it, `from` the entry it was moved from.
 *
 * @since 0.1.0
 * @category models
 */
export type Task = Data.TaggedEnum<{
  New: { readonly ref: DocumentRef }
  Changed: { readonly ref: DocumentRef; readonly entry: ManifestEntry }
  Moved: { readonly ref: DocumentRef; readonly from: ManifestEntry }
  Stale: { readonly ref: DocumentRef; readonly entry: ManifestEntry; readonly why: "pipeline" | "embedder" }
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const Task = Data.taggedEnum<Task>()

/**
 * The tasks of a sync: what comes from the log first, then what has to be fetched.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tasksOf = ({ changed, moved, new: added, stale }: Diff): ReadonlyArray<Task> => [
  ...stale.map(Task.Stale),
  ...changed.map(Task.Changed),
  ...moved.map(Task.Moved),
  ...added.map((ref) => Task.New({ ref }))
]

/**
 * A document with its text cut into pieces. With `onlyVectors` its passages are live already. `old` are the passages'
 * ids of the version that it takes the place of.
 *
 * @since 0.1.0
 * @category models
 */
export interface Prepared {
  readonly as: "new" | "changed" | "stale" | "moved"
  readonly ref: DocumentRef
  readonly content_hash: Fingerprint
  readonly pipeline: Fingerprint
  readonly revision: string | undefined
  /** Where only the fetch could tell. */
  readonly media_type: string | undefined
  readonly meta: unknown
  readonly pieces: ReadonlyArray<Piece>
  readonly onlyVectors: boolean
  readonly entry: ManifestEntry | undefined
  readonly from: ManifestEntry | undefined
}

/**
 * A prepared document with the vectors that the log lacks. `embedder` made those of its passages; it is `none` where
 * they have none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Embedded {
  readonly document: Prepared
  readonly vectors: ReadonlyArray<Vector>
  readonly embedder: EmbedderFingerprint
}

/**
 * How a document ended.
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome = Data.TaggedEnum<{
  Committed: {
    readonly as: Prepared["as"]
    readonly entry: ManifestEntry
    readonly from: ManifestEntry | undefined
    readonly added: number
    readonly tombstoned: number
  }
  /** It was fetched, and turned out to be what is stored. */
  Same: { readonly entry: ManifestEntry; readonly revision: string | undefined }
  /** Of a session, `entry` is what could be stored before it failed. */
  Failed: {
    readonly ref: DocumentRef
    readonly entry?: ManifestEntry
    readonly error: string
    readonly message: string
    readonly retryable: boolean
  }
  /** One that is `settled` is not fetched again in this state of it. */
  Skipped: { readonly ref: DocumentRef; readonly reason: string; readonly settled: boolean }
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const Outcome = Data.taggedEnum<Outcome>()

/**
 * Whose end an outcome is.
 *
 * @since 0.1.0
 * @category getters
 */
export const docIdOf: (outcome: Outcome) => DocId = Outcome.$match({
  Committed: ({ entry }) => entry.doc_id,
  Same: ({ entry }) => entry.doc_id,
  Failed: ({ ref }) => ref.doc_id,
  Skipped: ({ ref }) => ref.doc_id
})
