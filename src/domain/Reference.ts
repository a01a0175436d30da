/**
 * The bodies of the log's document records: vectors, passages, their tombstones, and the commit that makes a version
 * of a document visible. Key order here is key order on disk.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Cursor } from "./Cursor.ts"
import { ChunkId, ConnectorName, DocId, EmbedderFingerprint, Fingerprint, Sha256, SourceUri, Timestamp } from "./Ids.ts"
import { JsonValue } from "./JsonValue.ts"
import { Count, LineRange, Positive } from "./Numbers.ts"
import { WellFormed } from "./WellFormed.ts"

/**
 * A vector, written once for each text and model, valid by itself. `data` is base64 of `dims` little-endian float32.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Vector extends Schema.Class<Vector>("mem/log/Vector")({
  embed_sha256: Sha256,
  model: EmbedderFingerprint,
  dims: Positive,
  data: Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9+/]*={0,2}$/))
}) {}

/**
 * A passage of a document, level R. `embed_sha256` is the sha256 of the exact embedded string; the vector is found by
 * it.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Reference extends Schema.Class<Reference>("mem/log/Reference")({
  level: Schema.Literal("R"),
  connector: ConnectorName,
  doc_id: DocId,
  chunk_id: ChunkId,
  ordinal: Count,
  text: WellFormed,
  context: WellFormed,
  heading_path: Schema.Array(WellFormed),
  lines: LineRange,
  start: Count,
  end: Count,
  tokens: Count,
  over_budget: Schema.Boolean,
  embed_sha256: Sha256
}) {}

/**
 * The end of one live passage. Nothing is deleted from the log.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Tombstone extends Schema.Class<Tombstone>("mem/log/Tombstone")({
  connector: ConnectorName,
  doc_id: DocId,
  chunk_id: ChunkId,
  reason: Schema.Literal("changed", "removed", "excluded")
}) {}

/**
 * Closes a group and makes it count. `n` is the number of the group's lines without this one; a group that is short of
 * it does not exist. `durable_to` is the byte offset in this segment that was known to be on disk when the write
 * began. `removed` is true where the document is gone, `cursor` is there for sessions, `meta` is what the document
 * says of itself (front matter, title, tags), `media_type` what it is where its listing does not say that.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Commit extends Schema.Class<Commit>("mem/log/Commit")({
  connector: ConnectorName,
  doc_id: DocId,
  source_uri: SourceUri,
  content_hash: Fingerprint,
  revision: Schema.optional(WellFormed),
  media_type: Schema.optional(WellFormed),
  meta: Schema.optional(JsonValue),
  cursor: Schema.optional(Cursor),
  pipeline: Fingerprint,
  embedder: EmbedderFingerprint,
  chunk_count: Count,
  synced_at: Timestamp,
  removed: Schema.optional(Schema.Boolean),
  n: Count,
  durable_to: Count
}) {}

/**
 * A document that stays out of later syncs, or may come back.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Exclusion extends Schema.Class<Exclusion>("mem/log/Exclusion")({
  connector: ConnectorName,
  doc_id: DocId,
  excluded: Schema.Boolean
}) {}
