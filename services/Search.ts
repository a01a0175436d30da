/**
 * Finds what is live, by meaning and by words.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ConnectorName, EmbedderFingerprint } from "../src/domain/Ids.ts"
import type { Level } from "../src/domain/Level.ts"
import type { Role } from "../src/domain/Record.ts"
import type { Hit, RecordHit, SearchMode } from "../src/domain/SearchReport.ts"
import type { EmbedderMismatch, ProjectionError } from "../src/domain/StoreErrors.ts"

/**
 * A question. `vector` is the query's, by the embedder whose fingerprint is named; without it only words are searched.
 * `k` is how many hits are wanted at most; `path` is a glob over doc_ids: of memory, only evidence has one.
 *
 * @since 0.1.0
 * @category models
 */
export interface SearchQuery {
  readonly text: string
  readonly mode: SearchMode
  readonly k: number
  readonly vector?: { readonly values: Float32Array; readonly fingerprint: EmbedderFingerprint }
  readonly connector?: ConnectorName
  readonly path?: string
  /** Of these levels alone. */
  readonly levels?: ReadonlyArray<Level>
}

/**
 * A question to the archived Records of sessions, by words: of one role, one tool, of a time (`since` and before
 * `until`, as the log writes moments, or the beginning of one), of projects (a glob over the folder that the agent worked
 * in). One without a time is of none.
 *
 * @since 0.1.0
 * @category models
 */
export interface RecordQuery extends Pick<SearchQuery, "text" | "k" | "connector" | "path"> {
  readonly role?: Role
  readonly tool?: string
  readonly since?: string
  readonly until?: string
  readonly project?: string
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Search extends Context.Tag("mem/Search")<Search, {
  /** Best first; ties by chunk_id. `stale` of a document's is left false: only who holds the manifest can know. */
  readonly search: (query: SearchQuery) => Effect.Effect<ReadonlyArray<Hit>, ProjectionError | EmbedderMismatch>
  /** Best first; ties by place in the log. Superseded ones are never found; texts are whole. */
  readonly records: (query: RecordQuery) => Effect.Effect<ReadonlyArray<RecordHit>, ProjectionError>
}>() {}
