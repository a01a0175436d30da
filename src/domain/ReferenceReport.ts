/**
 * The reference documents in memory: the report of `mem ref list`.
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
 * The one JSON document of `mem ref list --json`, sorted by connector and doc_id.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ReferenceReport extends Schema.Class<ReferenceReport>("mem/ReferenceReport")({
  command: Schema.Literal("ref list"),
  ok: Schema.Boolean,
  documents: Schema.Array(ReferenceDocument)
}) {}
