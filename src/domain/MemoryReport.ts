/**
 * What is remembered: the report of `mem memory`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ConnectorName, DocId, MemoryId, SessionKey } from "./Ids.ts"
import { Span } from "./Numbers.ts"

/**
 * Part of a memory. `ids` are what it cites as the log has them, `evidence` the L0 that these come down to. `span` counts
 * in the memory's text.
 *
 * @since 0.1.0
 * @category schemas
 */
export class MemoryPart extends Schema.Class<MemoryPart>("mem/MemoryPart")({
  span: Span,
  text: Schema.String,
  ids: Schema.Array(MemoryId),
  evidence: Schema.Array(MemoryId)
}) {}

/**
 * L2, of a profile. `stale` says that what it rests on has changed since; `connectors` are those of its evidence.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ConsolidatedEntry extends Schema.Class<ConsolidatedEntry>("mem/ConsolidatedEntry")({
  level: Schema.Literal("L2"),
  id: MemoryId,
  profile: Schema.String,
  connectors: Schema.Array(ConnectorName),
  inputs: Schema.Array(MemoryId),
  stale: Schema.Boolean,
  text: Schema.String,
  parts: Schema.Array(MemoryPart)
}) {}

/**
 * L1, of a session under a profile. `doc_id` is the session as `mem get` takes it, absent where nothing of it is left;
 * `latest` when something was last said in it.
 *
 * @since 0.1.0
 * @category schemas
 */
export class SessionEntry extends Schema.Class<SessionEntry>("mem/SessionEntry")({
  level: Schema.Literal("L1"),
  id: MemoryId,
  profile: Schema.String,
  connector: ConnectorName,
  session_key: SessionKey,
  doc_id: Schema.optional(DocId),
  latest: Schema.NullOr(Schema.String),
  stale: Schema.Boolean,
  text: Schema.String,
  parts: Schema.Array(MemoryPart)
}) {}

/**
 * The one JSON document of `mem memory --json`. `archived` counts the sessions that a model has read or could read; of
 * these it has read `read`, and of `unreadable` no answer of it could be read. `malformed` counts such answers, of all.
 *
 * @since 0.1.0
 * @category schemas
 */
export class MemoryReport extends Schema.Class<MemoryReport>("mem/MemoryReport")({
  command: Schema.Literal("memory"),
  ok: Schema.Boolean,
  archived: Schema.Int,
  read: Schema.Int,
  unreadable: Schema.Int,
  malformed: Schema.Int,
  consolidated: Schema.Array(ConsolidatedEntry),
  sessions: Schema.Array(SessionEntry)
}) {}
