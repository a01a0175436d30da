/**
 * What a hit points at: the report of `mem get`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ConnectorName, DocId, Fingerprint, SourceUri, Timestamp } from "./Ids.ts"
import { Level } from "./Level.ts"
import { LineRange, Positive } from "./Numbers.ts"
import { Record } from "./Record.ts"

/**
 * The one JSON document of `mem get --json`. `text` is exactly the `lines` that were asked for, of the `of` lines that
 * the document has; `before` and `after` are what surrounds them. `heading_path` is that of the first line.
 *
 * @since 0.1.0
 * @category schemas
 */
export class GetReport extends Schema.Class<GetReport>("mem/GetReport")({
  command: Schema.Literal("get"),
  ok: Schema.Boolean,
  level: Level,
  connector: ConnectorName,
  doc_id: DocId,
  source_uri: SourceUri,
  content_hash: Fingerprint,
  synced_at: Timestamp,
  heading_path: Schema.Array(Schema.String),
  lines: LineRange,
  of: Positive,
  before: Schema.String,
  text: Schema.String,
  after: Schema.String
}) {}

/**
 * The one JSON document of `mem get --json` for a session: the Records that were asked for by their numbers, `lines` of
 * the `of` that are live, and as many around them as `before` and `after` hold.
 *
 * @since 0.1.0
 * @category schemas
 */
export class GetSessionReport extends Schema.Class<GetSessionReport>("mem/GetSessionReport")({
  command: Schema.Literal("get"),
  ok: Schema.Boolean,
  connector: ConnectorName,
  doc_id: DocId,
  source_uri: SourceUri,
  synced_at: Timestamp,
  lines: LineRange,
  of: Positive,
  before: Schema.Array(Record),
  records: Schema.Array(Record),
  after: Schema.Array(Record)
}) {}
