/**
 * What a search found.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ChunkId, ConnectorName, DocId, SourceUri } from "./Ids.ts"
import { Level } from "./Level.ts"
import { LineRange } from "./Numbers.ts"

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
 * One hit. `stale` says that the source has changed or gone since its sync.
 *
 * @since 0.1.0
 * @category schemas
 */
export class SearchHit extends Schema.Class<SearchHit>("mem/SearchHit")({
  score: Schema.Finite,
  level: Level,
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
 * The one JSON document of `mem search --json`.
 *
 * @since 0.1.0
 * @category schemas
 */
export class SearchReport extends Schema.Class<SearchReport>("mem/SearchReport")({
  command: Schema.Literal("search"),
  ok: Schema.Boolean,
  query: Schema.String,
  mode: SearchMode,
  hits: Schema.Array(SearchHit)
}) {}
