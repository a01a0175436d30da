/**
 * The manifest: what each sync last saw of each document. Metadata of the sync, no projection of the log: a rebuild
 * leaves it alone, and a lost one is recovered from the log's commits.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Cursor } from "./Cursor.ts"
import { DocId, EmbedderFingerprint, Fingerprint, Seq, SourceUri, Timestamp } from "./Ids.ts"
import { Count, Positive } from "./Numbers.ts"
import { WellFormed } from "./WellFormed.ts"

/**
 * One line of `<name>.manifest.jsonl`. The first five fields are the specification's; the others are mem's own and
 * may be missing when read: `revision` spares a hash, `pipeline` and `embedder` show what is stale, `seq` (that of the
 * commit) shows what is ahead of the log, `media_type` is what only the fetch could tell, `cursor` is how far a session was
 * read. An `excluded` one stays out of every sync.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ManifestEntry extends Schema.Class<ManifestEntry>("mem/ManifestEntry")({
  doc_id: DocId,
  source_uri: SourceUri,
  content_hash: Fingerprint,
  chunk_count: Count,
  synced_at: Timestamp,
  revision: Schema.optional(WellFormed),
  pipeline: Schema.optional(Fingerprint),
  seq: Schema.optional(Seq),
  embedder: Schema.optional(EmbedderFingerprint),
  media_type: Schema.optional(WellFormed),
  cursor: Schema.optional(Cursor),
  excluded: Schema.optional(Schema.Literal(true))
}) {}

/**
 * One line of `<name>.progress.jsonl`, the manifest's tail while a sync runs. The first one of a run says how many
 * documents it is about to store, and where in the log its commits begin, unless that is not known; then an entry a
 * document that was stored, or the id of one that was removed. A hint; the log decides.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ProgressLine = Schema.Union(
  Schema.Struct({
    to_do: Count,
    from: Schema.optionalWith(Schema.Struct({ segment: Positive, offset: Count }), { exact: true })
  }),
  Schema.Struct({ entry: ManifestEntry }),
  Schema.Struct({ removed: DocId, seq: Seq })
)
/**
 * @since 0.1.0
 * @category schemas
 */
export type ProgressLine = typeof ProgressLine.Type

/**
 * One line of `<name>.failed.jsonl`: what failed or was skipped, why, and how often. A permanent failure is not
 * fetched again while `revision` stays the same, and with it, for one of cutting or embedding, `pipeline` and
 * `embedder`; no more is what turned out too large. `source_uri` is there for what a listing named as a document.
 *
 * @since 0.1.0
 * @category schemas
 */
export class FailedEntry extends Schema.Class<FailedEntry>("mem/FailedEntry")({
  doc_id: DocId,
  source_uri: Schema.optional(SourceUri),
  revision: Schema.optional(WellFormed),
  pipeline: Schema.optional(Fingerprint),
  embedder: Schema.optional(EmbedderFingerprint),
  outcome: Schema.Literal("failed", "skipped"),
  error: WellFormed,
  message: WellFormed,
  retryable: Schema.Boolean,
  attempts: Count,
  last_at: Timestamp
}) {}
