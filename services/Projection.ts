/**
 * What is live. A disposable fold of the log, fed and cleared under the writer's lock.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { DumpLine } from "../src/domain/RebuildReport.ts"
import type { ProjectionStatus } from "../src/domain/StatusReport.ts"
import type { ProjectionError } from "../src/domain/StoreErrors.ts"
import type { LocatedRecord, LogPosition } from "./LogReader.ts"

/**
 * @since 0.1.0
 * @category tags
 */
export class Projection extends Context.Tag("mem/Projection")<Projection, {
  readonly status: Effect.Effect<ProjectionStatus, ProjectionError>
  /** How far the log is folded: behind the last commit that is in; none before the first. */
  readonly position: Effect.Effect<Option.Option<LogPosition>, ProjectionError>
  /** Every live item, sorted by connector, doc_id, ordinal. */
  readonly dump: (options: { readonly embeddings: boolean }) => Stream.Stream<DumpLine, ProjectionError>
  /** Folds these lines in, whole groups only. Under the writer's lock. */
  readonly apply: (records: ReadonlyArray<LocatedRecord>) => Effect.Effect<void, ProjectionError>
  /** Back to the empty state. Under the writer's lock. */
  readonly clear: Effect.Effect<void, ProjectionError>
}>() {}
