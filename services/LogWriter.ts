/**
 * Appends to the log. Its layer, and nothing else, takes the lock and recovers a torn tail; whoever holds it may write
 * manifests and feed the projection.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Seq } from "../src/domain/Ids.ts"
import type { LogPoisoned, LogRecordTooLarge, LogWriteError } from "../src/domain/LogErrors.ts"
import type { LogEntry } from "../src/domain/LogRecord.ts"
import type { Commit } from "../src/domain/Reference.ts"

/**
 * The lines that make one version of a document visible, or take it away: they count together or not at all.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogGroup {
  readonly entries: ReadonlyArray<LogEntry>
  readonly commit: CommitDraft
}

/**
 * A commit as a caller knows it; the writer adds how many lines the group has and what was durable before it.
 *
 * @since 0.1.0
 * @category models
 */
export type CommitDraft = Omit<typeof Commit.Type, "n" | "durable_to">

/**
 * Whatever appending may fail with. Each ends the run.
 *
 * @since 0.1.0
 * @category errors
 */
export type AppendError = LogWriteError | LogPoisoned | LogRecordTooLarge

/**
 * @since 0.1.0
 * @category tags
 */
export class LogWriter extends Context.Tag("mem/LogWriter")<LogWriter, {
  /**
   * Appends groups, all in one write. When it returns, they are on disk; the values are the `seq`s of their commits.
   * Callers that wait at the same time share one fdatasync.
   */
  readonly append: (groups: ReadonlyArray<LogGroup>) => Effect.Effect<ReadonlyArray<Seq>, AppendError>
  /** Appends records that stand alone (vectors, exclusions), in one write. When it returns, they are on disk. */
  readonly appendAlone: (entries: ReadonlyArray<LogEntry>) => Effect.Effect<void, AppendError>
}>() {}
