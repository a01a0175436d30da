/**
 * What is live, ready to be searched. A disposable fold of the log.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { ConnectorName } from "../src/domain/Ids.ts"
import type { DumpLine } from "../src/domain/RebuildReport.ts"
import type { SearchHit, SearchMode } from "../src/domain/SearchReport.ts"
import type { ProjectionStatus } from "../src/domain/StatusReport.ts"
import type { EmbedderMismatch, ProjectionError } from "../src/domain/StoreErrors.ts"
import type { LocatedRecord, LogPosition } from "./LogReader.ts"

/**
 * A question to the projection. `vector` is the query's, by the embedder whose `fingerprint` is named; without it only
 * words are searched. `path` is a glob over doc_ids.
 *
 * @since 0.1.0
 * @category models
 */
export interface ProjectionQuery {
  readonly text: string
  readonly mode: SearchMode
  readonly k: number
  readonly vector?: { readonly values: Float32Array; readonly fingerprint: string }
  readonly connector?: ConnectorName
  readonly path?: string
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Projection extends Context.Tag("mem/Projection")<Projection, {
  readonly status: Effect.Effect<ProjectionStatus, ProjectionError>
  /** How far the log is folded: behind the last commit that is in; none before the first. */
  readonly position: Effect.Effect<Option.Option<LogPosition>, ProjectionError>
  /** Best first; ties by chunk_id. `stale` is left false: only who holds the manifest can know. */
  readonly search: (
    query: ProjectionQuery
  ) => Effect.Effect<ReadonlyArray<SearchHit>, ProjectionError | EmbedderMismatch>
  /** Every live item, sorted by connector, doc_id, ordinal. */
  readonly dump: (options: { readonly embeddings: boolean }) => Stream.Stream<DumpLine, ProjectionError>
  /** Folds these lines in, whole groups only. Under the writer's lock. */
  readonly apply: (records: ReadonlyArray<LocatedRecord>) => Effect.Effect<void, ProjectionError>
  /** Back to the empty state. Under the writer's lock. */
  readonly clear: Effect.Effect<void, ProjectionError>
}>() {}
