/**
 * What a sync did, counted when it was done. Failures of a document, refusals of a guard and skips are values in here;
 * the exit code is a function of the report.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ConnectorName, DocId } from "./Ids.ts"
import { Count } from "./Numbers.ts"

/**
 * An error as a report and a `--json` document carry it: a stable code, and a sentence for a person.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ReportedError extends Schema.Class<ReportedError>("mem/ReportedError")({
  code: Schema.String,
  message: Schema.String
}) {}

/**
 * A document that could not be synced. Its old version stays live; a `retryable` one is tried again by the next sync.
 *
 * @since 0.1.0
 * @category schemas
 */
export class FailedDocument extends Schema.Class<FailedDocument>("mem/FailedDocument")({
  doc_id: DocId,
  error: Schema.String,
  message: Schema.String,
  retryable: Schema.Boolean
}) {}

/**
 * A document that was left out on purpose, and why.
 *
 * @since 0.1.0
 * @category schemas
 */
export class SkippedDocument extends Schema.Class<SkippedDocument>("mem/SkippedDocument")({
  doc_id: DocId,
  reason: Schema.String
}) {}

/**
 * `document` connectors yield references (level R); `session` connectors are routed to the gated loop.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SourceType = Schema.Literal("document", "session")
/**
 * @since 0.1.0
 * @category schemas
 */
export type SourceType = typeof SourceType.Type

/**
 * `ok`: all done. `partial`: something failed, the rest is stored. `failed`: nothing could be listed or opened.
 * `refused`: a guard held it back.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SyncStatus = Schema.Literal("ok", "partial", "failed", "refused")
/**
 * @since 0.1.0
 * @category schemas
 */
export type SyncStatus = typeof SyncStatus.Type

/**
 * One connector's part. `listed` = `new` + `changed` + `stale` + `moved` + `unchanged` + failed + skipped.
 * `embed_texts` and `embed_calls` count what reached the real embedder, `reused` the vectors that were there already.
 * The others are there for session connectors: Records that were archived, those that were already, those among the
 * archived that a machine derived, lines that could not be read, and the secrets that were taken out, by kind. Where a
 * language model was to read them: its calls, the sessions of which it read something, and the memories over all sessions
 * that it made.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ConnectorSyncReport extends Schema.Class<ConnectorSyncReport>("mem/ConnectorSyncReport")({
  name: ConnectorName,
  kind: Schema.String,
  source_type: SourceType,
  status: SyncStatus,
  error: Schema.optional(ReportedError),
  listed: Count,
  new: Count,
  changed: Count,
  stale: Count,
  moved: Count,
  unchanged: Count,
  removed: Count,
  failed: Schema.Array(FailedDocument),
  skipped: Schema.Array(SkippedDocument),
  resumed: Count,
  fetched: Count,
  embed_texts: Count,
  embed_calls: Count,
  reused: Count,
  chunks_added: Count,
  chunks_tombstoned: Count,
  records: Schema.optional(Count),
  duplicates: Schema.optional(Count),
  derived: Schema.optional(Count),
  bad_lines: Schema.optional(Count),
  secrets: Schema.optional(Schema.Record({ key: Schema.String, value: Count })),
  model_calls: Schema.optional(Count),
  sessions_read: Schema.optional(Count),
  memories_made: Schema.optional(Count)
}) {}

/**
 * The one JSON document of `mem sync --json`.
 *
 * @since 0.1.0
 * @category schemas
 */
export class SyncReport extends Schema.Class<SyncReport>("mem/SyncReport")({
  command: Schema.Literal("sync"),
  ok: Schema.Boolean,
  connectors: Schema.Array(ConnectorSyncReport),
  duration_ms: Count
}) {}
