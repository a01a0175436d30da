/**
 * The projection's live state, as `mem dump` prints it and `mem rebuild` proves it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import {
  ChunkId,
  ConnectorName,
  DocId,
  Fingerprint,
  MemoryId,
  RecordKey,
  SessionKey,
  Sha256,
  SourceUri,
  Timestamp
} from "./Ids.ts"
import { Count, LineRange } from "./Numbers.ts"
import { Derived, RecordKind, Role } from "./Record.ts"

/**
 * One live passage. `embedding` (base64 of little-endian float32) is there under `--embeddings` when the passage has a
 * vector.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ReferenceDumpLine extends Schema.Class<ReferenceDumpLine>("mem/ReferenceDumpLine")({
  kind: Schema.Literal("reference"),
  level: Schema.Literal("R"),
  connector: ConnectorName,
  doc_id: DocId,
  source_uri: SourceUri,
  content_hash: Fingerprint,
  ordinal: Count,
  chunk_id: ChunkId,
  heading_path: Schema.Array(Schema.String),
  lines: LineRange,
  tokens: Count,
  text: Schema.String,
  embedding: Schema.optional(Schema.String)
}) {}

/**
 * One archived Record of a session. `ordinal` counts those of its document by their places in the log, from 0; `block` is
 * what sort of block it was, `project` the folder that the agent worked in, `derived` the machine that wrote it, or
 * false.
 *
 * @since 0.1.0
 * @category schemas
 */
export class RecordDumpLine extends Schema.Class<RecordDumpLine>("mem/RecordDumpLine")({
  kind: Schema.Literal("record"),
  connector: ConnectorName,
  doc_id: DocId,
  source_uri: SourceUri,
  ordinal: Count,
  key: RecordKey,
  session_key: SessionKey,
  seq: Count,
  role: Role,
  block: RecordKind,
  tool_name: Schema.optional(Schema.String),
  at: Schema.NullOr(Timestamp),
  project: Schema.optional(Schema.String),
  derived: Schema.Union(Schema.Literal(false), Derived.fields.by),
  text: Schema.String
}) {}

/**
 * A piece of a live memory: L0 evidence by its Record's `key`, L1, or L2, which is of no connector. `lines` count in its
 * text; `stale` where the log says so.
 *
 * @since 0.1.0
 * @category schemas
 */
export class MemoryDumpLine extends Schema.Class<MemoryDumpLine>("mem/MemoryDumpLine")({
  kind: Schema.Literal("memory"),
  level: Schema.Literal("L0", "L1", "L2"),
  id: MemoryId,
  ordinal: Count,
  profile: Schema.String,
  connector: Schema.optional(ConnectorName),
  session_key: Schema.optional(SessionKey),
  key: Schema.optional(RecordKey),
  lines: LineRange,
  stale: Schema.Boolean,
  text: Schema.String,
  embedding: Schema.optional(Schema.String)
}) {}

/**
 * One live item. Lines are sorted by connector, doc_id, ordinal; those of memory come behind, by level, id, ordinal.
 *
 * @since 0.1.0
 * @category schemas
 */
export const DumpLine = Schema.Union(ReferenceDumpLine, RecordDumpLine, MemoryDumpLine)
/**
 * @since 0.1.0
 * @category schemas
 */
export type DumpLine = typeof DumpLine.Type

/**
 * The one JSON document of `mem rebuild --json`: live passages of documents, Records of sessions and pieces of memory.
 * `state_sha256` is that of the bytes of `mem dump --embeddings`; a
 * rebuild calls no embedder.
 *
 * @since 0.1.0
 * @category schemas
 */
export class RebuildReport extends Schema.Class<RebuildReport>("mem/RebuildReport")({
  command: Schema.Literal("rebuild"),
  ok: Schema.Boolean,
  records: Count,
  live_chunks: Count,
  live_records: Count,
  live_memory: Count,
  embed_calls: Schema.Literal(0),
  state_sha256: Sha256
}) {}
