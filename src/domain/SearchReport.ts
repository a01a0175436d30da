/**
 * What a search found.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ChunkId, ConnectorName, DocId, MemoryId, RecordKey, SessionKey, SourceUri, Timestamp } from "./Ids.ts"
import { LineRange } from "./Numbers.ts"
import { Derived, RecordKind, Role } from "./Record.ts"

/**
 * `hybrid` fuses the other two: `vector` finds by meaning, `keyword` by words.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SearchMode = Schema.Literal("hybrid", "vector", "keyword")
/**
 * @since 0.1.0
 * @category schemas
 */
export type SearchMode = typeof SearchMode.Type

/**
 * A passage of a document. `stale` says that the source has changed or gone since its sync.
 *
 * @since 0.1.0
 * @category schemas
 */
export class SearchHit extends Schema.Class<SearchHit>("mem/SearchHit")({
  score: Schema.Finite,
  level: Schema.Literal("R"),
  connector: ConnectorName,
  doc_id: DocId,
  source_uri: SourceUri,
  heading_path: Schema.Array(Schema.String),
  lines: LineRange,
  text: Schema.String,
  chunk_id: ChunkId,
  stale: Schema.Boolean
}) {}

/**
 * A piece of memory: of evidence, of what a model remembers of a session, or over sessions. `mem blame` takes its `id`.
 * L2 is of no connector; where an L0 was said is in its `doc_id`, `source_uri` and `lines`, as `mem get` takes them.
 * `stale` says that what it rests on has changed since.
 *
 * @since 0.1.0
 * @category schemas
 */
export class MemoryHit extends Schema.Class<MemoryHit>("mem/MemoryHit")({
  score: Schema.Finite,
  level: Schema.Literal("L0", "L1", "L2"),
  id: MemoryId,
  profile: Schema.String,
  connector: Schema.optional(ConnectorName),
  session_key: Schema.optional(SessionKey),
  doc_id: Schema.optional(DocId),
  source_uri: Schema.optional(SourceUri),
  lines: Schema.optional(LineRange),
  key: Schema.optional(RecordKey),
  text: Schema.String,
  chunk_id: ChunkId,
  stale: Schema.Boolean
}) {}

/**
 * What was found by meaning or by words, told apart by its level.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Hit = Schema.Union(SearchHit, MemoryHit)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Hit = typeof Hit.Type

/**
 * An archived Record of a session that has the words. It has no level: only what the gate accepts becomes evidence.
 * `lines` is its number in the session, as `mem get` takes it; `block` is what sort of block it was, `project` the folder
 * that the agent worked in, `derived` the machine that wrote it, or false. Of a long text an `excerpt` is given, around the
 * first of the words.
 *
 * @since 0.1.0
 * @category schemas
 */
export class RecordHit extends Schema.Class<RecordHit>("mem/RecordHit")({
  score: Schema.Finite,
  connector: ConnectorName,
  doc_id: DocId,
  source_uri: SourceUri,
  lines: LineRange,
  key: RecordKey,
  session_key: SessionKey,
  role: Role,
  block: RecordKind,
  tool_name: Schema.optional(Schema.String),
  at: Schema.NullOr(Timestamp),
  project: Schema.optional(Schema.String),
  derived: Schema.Union(Schema.Literal(false), Derived.fields.by),
  text: Schema.String,
  excerpt: Schema.Boolean
}) {}

/**
 * The one JSON document of `mem search --json`. `records` is there where sessions were searched and hold the words,
 * `hint` where nothing was found, and what was asked for cannot be there.
 *
 * @since 0.1.0
 * @category schemas
 */
export class SearchReport extends Schema.Class<SearchReport>("mem/SearchReport")({
  command: Schema.Literal("search"),
  ok: Schema.Boolean,
  query: Schema.String,
  mode: SearchMode,
  hits: Schema.Array(Hit),
  records: Schema.optional(Schema.Array(RecordHit)),
  hint: Schema.optional(Schema.String)
}) {}
