/**
 * The projection's live state, as `mem dump` prints it and `mem rebuild` proves it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ChunkId, ConnectorName, DocId, Fingerprint, Sha256, SourceUri } from "./Ids.ts"
import { Count, LineRange } from "./Numbers.ts"

/**
 * One live passage. Lines are sorted by connector, doc_id, ordinal. `embedding` (base64 of little-endian float32) is
 * there under `--embeddings` when the passage has a vector.
 *
 * @since 0.1.0
 * @category schemas
 */
export class DumpLine extends Schema.Class<DumpLine>("mem/DumpLine")({
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
 * The one JSON document of `mem rebuild --json`. `state_sha256` is that of the bytes of `mem dump --embeddings`; a
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
  embed_calls: Schema.Literal(0),
  state_sha256: Sha256
}) {}
