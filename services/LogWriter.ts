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
   * Appends a group: the entries and the commit that makes them count. When it returns, the group is on disk; its
   * value is the `seq` of the commit. Groups of callers that wait at the same time share one fdatasync.
   */
  readonly append: (entries: ReadonlyArray<LogEntry>, commit: CommitDraft) => Effect.Effect<Seq, AppendError>
  /** Appends a record that stands alone. When it returns, it is on disk; its value is its `seq`. */
  readonly appendOne: (entry: Exclude<LogEntry, { readonly kind: "commit" }>) => Effect.Effect<Seq, AppendError>
}>() {}
