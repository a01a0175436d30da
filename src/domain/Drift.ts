/**
 * Drift: what a sync would do, found out by readers alone.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ConnectorName, DocId } from "./Ids.ts"
import { Count } from "./Numbers.ts"
import { ReportedError, SkippedDocument } from "./SyncReport.ts"

const ids = Schema.Array(DocId)

/**
 * The documents that a sync would touch, by what it would do with them. `stale` ones are chunked or embedded again
 * from the log's own text, without a fetch.
 *
 * @since 0.1.0
 * @category schemas
 */
export class DriftDocuments extends Schema.Class<DriftDocuments>("mem/DriftDocuments")({
  new: ids,
  changed: ids,
  stale: ids,
  moved: ids,
  removed: ids
}) {}

/**
 * What a sync would cost. `cost_usd` is there when the embedder names a price, `records` (those that are not archived
 * yet) for sessions, and `model_calls` and
 * `model_tokens` (those that would be sent) for sessions where a language model is configured.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Estimate extends Schema.Class<Estimate>("mem/Estimate")({
  documents: Count,
  passages: Count,
  tokens: Count,
  embed_texts: Count,
  records: Schema.optional(Count),
  model_calls: Schema.optional(Count),
  model_tokens: Schema.optional(Count),
  cost_usd: Schema.optional(Schema.NonNegative.pipe(Schema.finite()))
}) {}

/**
 * What a sync would ask the language model, where one is configured: `waiting` counts archived sessions that are still to
 * be read into memory, and `over_all` says that there is none, but the memory over all sessions is to be made anew.
 *
 * @since 0.1.0
 * @category schemas
 */
export class DriftMemory extends Schema.Class<DriftMemory>("mem/DriftMemory")({
  waiting: Count,
  over_all: Schema.Boolean
}) {}

/**
 * One connector's part. `skipped` are documents that the listing would leave out already; `remark` is what the listing has
 * to say of its options. `bytes` are those of transcripts that were not read yet; it is there for sessions, and `memory`
 * for these where a language model is configured.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ConnectorDrift extends Schema.Class<ConnectorDrift>("mem/ConnectorDrift")({
  name: ConnectorName,
  status: Schema.Literal("ok", "failed", "refused"),
  error: Schema.optional(ReportedError),
  new: Count,
  changed: Count,
  stale: Count,
  moved: Count,
  unchanged: Count,
  removed: Count,
  documents: DriftDocuments,
  skipped: Schema.optional(Schema.Array(SkippedDocument)),
  remark: Schema.optional(Schema.String),
  bytes: Schema.optional(Count),
  memory: Schema.optional(DriftMemory),
  estimate: Schema.optional(Estimate)
}) {}

/**
 * The one JSON document of `mem drift --json`.
 *
 * @since 0.1.0
 * @category schemas
 */
export class DriftReport extends Schema.Class<DriftReport>("mem/DriftReport")({
  command: Schema.Literal("drift"),
  ok: Schema.Boolean,
  drift: Schema.Boolean,
  connectors: Schema.Array(ConnectorDrift)
}) {}
