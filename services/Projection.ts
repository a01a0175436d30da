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
 * A line of the log as somebody who has folded it remembers it.
 *
 * @since 0.1.0
 * @category models
 */
export interface FoldedLine {
  readonly seq: number
  readonly at: string
  readonly position: LogPosition
  /** In bytes, with the line feed. */
  readonly length: number
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Projection extends Context.Tag("mem/Projection")<Projection, {
  readonly status: Effect.Effect<ProjectionStatus, ProjectionError>
  /** The last line that is folded, by which a log that has gone another way is told; none before the first. */
  readonly last: Effect.Effect<Option.Option<FoldedLine>, ProjectionError>
  /** Every live item, sorted by connector, doc_id, ordinal. */
  readonly dump: (options: { readonly embeddings: boolean }) => Stream.Stream<DumpLine, ProjectionError>
  /** Folds these lines in, whole groups only. Under the writer's lock. */
  readonly apply: (records: ReadonlyArray<LocatedRecord>) => Effect.Effect<void, ProjectionError>
  /** Back to the empty state. Under the writer's lock. */
  readonly clear: Effect.Effect<void, ProjectionError>
}>() {}
