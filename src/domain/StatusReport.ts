/**
 * What is in memory, and how it is: the report of `mem status`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ConnectorName, Timestamp } from "./Ids.ts"
import { Count } from "./Numbers.ts"
import { FailedDocument, SkippedDocument, SourceType } from "./SyncReport.ts"
import { WellFormed } from "./WellFormed.ts"

/**
 * How the gates have answered for a profile, read with a model: `updates`, `malformed` and `exits` are of the `steps`, so
 * each by `steps` is a rate. Tokens are those that the model was sent and has answered. Another model or other questions
 * are counted anew; `current` is how the profile was read last.
 *
 * @since 0.1.0
 * @category schemas
 */
export class GateStatus extends Schema.Class<GateStatus>("mem/GateStatus")({
  profile: WellFormed,
  model: WellFormed,
  current: Schema.Boolean,
  steps: Count,
  updates: Count,
  malformed: Count,
  exits: Count,
  prompt_tokens: Count,
  completion_tokens: Count
}) {}

/**
 * What the memory loop has made of a connector's sessions: those that have a memory, the memories among them that are
 * stale, and the L0 evidence that is live. `waiting` counts archived sessions that are still to be read, where a language
 * model is configured.
 *
 * @since 0.1.0
 * @category schemas
 */
export class MemoryStatus extends Schema.Class<MemoryStatus>("mem/MemoryStatus")({
  sessions: Count,
  stale: Count,
  evidence: Count,
  waiting: Schema.optional(Count),
  gates: Schema.Array(GateStatus)
}) {}

/**
 * One connector's part. `pending` counts documents that a sync began and did not finish; `last_sync` is null before
 * the first. A session counts as a document; `records` is how many Records of sessions are archived, and is there for these,
 * `memory` for those that a model has read or will read.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ConnectorStatus extends Schema.Class<ConnectorStatus>("mem/ConnectorStatus")({
  name: ConnectorName,
  kind: Schema.String,
  source_type: SourceType,
  documents: Count,
  chunks: Count,
  records: Schema.optional(Count),
  last_sync: Schema.NullOr(Timestamp),
  failed: Schema.Array(FailedDocument),
  skipped: Schema.Array(SkippedDocument),
  pending: Count,
  memory: Schema.optional(MemoryStatus)
}) {}

/**
 * The log: `dead` counts records that no longer stand for anything live.
 *
 * @since 0.1.0
 * @category schemas
 */
export class LogStatus extends Schema.Class<LogStatus>("mem/LogStatus")({
  segments: Count,
  bytes: Count,
  records: Count,
  dead: Count
}) {}

/**
 * The projection: `behind` counts log records that it has not folded yet.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ProjectionStatus extends Schema.Class<ProjectionStatus>("mem/ProjectionStatus")({
  state: Schema.Literal("current", "behind", "missing", "foreign", "damaged"),
  behind: Count
}) {}

/**
 * The one JSON document of `mem status --json`.
 *
 * @since 0.1.0
 * @category schemas
 */
export class StatusReport extends Schema.Class<StatusReport>("mem/StatusReport")({
  command: Schema.Literal("status"),
  ok: Schema.Boolean,
  connectors: Schema.Array(ConnectorStatus),
  log: LogStatus,
  projection: ProjectionStatus
}) {}
