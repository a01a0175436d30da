/**
 * The reference documents and the sessions in memory: the report of `mem ref list`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ConnectorName, DocId, SourceUri, Timestamp } from "./Ids.ts"
import { Count } from "./Numbers.ts"

/**
 * A document. An `excluded` one has no passages and stays out of every sync.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ReferenceDocument extends Schema.Class<ReferenceDocument>("mem/ReferenceDocument")({
  connector: ConnectorName,
  doc_id: DocId,
  source_uri: SourceUri,
  chunks: Count,
  synced_at: Timestamp,
  excluded: Schema.Boolean
}) {}

/**
 * A session: how many Records are archived, when the last of them was said, and the folder that the agent worked in last,
 * where they tell.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ReferenceSession extends Schema.Class<ReferenceSession>("mem/ReferenceSession")({
  connector: ConnectorName,
  doc_id: DocId,
  source_uri: SourceUri,
  records: Count,
  latest: Schema.NullOr(Timestamp),
  project: Schema.optional(Schema.String),
  synced_at: Timestamp
}) {}

/**
 * The one JSON document of `mem ref list --json`, each part sorted by connector and doc_id.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ReferenceReport extends Schema.Class<ReferenceReport>("mem/ReferenceReport")({
  command: Schema.Literal("ref list"),
  ok: Schema.Boolean,
  documents: Schema.Array(ReferenceDocument),
  sessions: Schema.Array(ReferenceSession)
}) {}
