/**
 * Where a sentence comes from: the report of `mem blame`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ConnectorName, DocId, MemoryId, RecordKey, SessionKey, Sha256, Timestamp } from "./Ids.ts"
import { MemoryPart } from "./MemoryReport.ts"
import { Positive, Span } from "./Numbers.ts"
import { Origin, RecordKind, Role } from "./Record.ts"

/**
 * `stale`: what it rests on has changed since. `retired`: it was replaced, or its ground is gone.
 *
 * @since 0.1.0
 * @category schemas
 */
export const BlameState = Schema.Literal("live", "stale", "retired")

/**
 * A memory, and the parts of it that are meant: all, or those that say the sentence. Of L1 with its session.
 *
 * @since 0.1.0
 * @category schemas
 */
export class BlamedMemory extends Schema.Class<BlamedMemory>("mem/BlamedMemory")({
  level: Schema.Literal("L1", "L2"),
  id: MemoryId,
  profile: Schema.String,
  connector: Schema.optional(ConnectorName),
  session_key: Schema.optional(SessionKey),
  state: BlameState,
  parts: Schema.Array(MemoryPart)
}) {}

/**
 * The archived Record that an evidence points into. `number` is its place in the session `doc_id`, as `mem get` takes it;
 * `origin` the bytes of the transcript that it was read from.
 *
 * @since 0.1.0
 * @category schemas
 */
export class BlamedRecord extends Schema.Class<BlamedRecord>("mem/BlamedRecord")({
  doc_id: DocId,
  number: Positive,
  role: Role,
  block: RecordKind,
  tool_name: Schema.optional(Schema.String),
  at: Schema.NullOr(Timestamp),
  origin: Schema.optional(Origin)
}) {}

/**
 * L0 evidence, followed down. `record` is absent where the Record was taken out or superseded. `holds` says that the
 * Record's text at `span` still has `span_sha256`; `text` is that text, whether it holds or not.
 *
 * @since 0.1.0
 * @category schemas
 */
export class BlamedEvidence extends Schema.Class<BlamedEvidence>("mem/BlamedEvidence")({
  level: Schema.Literal("L0"),
  id: MemoryId,
  profile: Schema.String,
  connector: ConnectorName,
  session_key: SessionKey,
  t: Positive,
  record_key: RecordKey,
  span: Span,
  span_sha256: Sha256,
  state: BlameState,
  record: Schema.optional(BlamedRecord),
  holds: Schema.Boolean,
  text: Schema.optional(Schema.String)
}) {}

/**
 * The one JSON document of `mem blame --json`. `memories` are those that were asked for or that say the sentence, L2
 * first; `evidence` is all that they rest on, each once.
 *
 * @since 0.1.0
 * @category schemas
 */
export class BlameReport extends Schema.Class<BlameReport>("mem/BlameReport")({
  command: Schema.Literal("blame"),
  ok: Schema.Boolean,
  asked: Schema.String,
  memories: Schema.Array(BlamedMemory),
  evidence: Schema.Array(BlamedEvidence)
}) {}
