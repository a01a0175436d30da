/**
 * Reads the log. It neither locks nor recovers: a program that asks for this alone cannot write, by type.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { LogDamaged, LogFsError, LogTooNew } from "../src/domain/LogErrors.ts"
import type { LogRecord } from "../src/domain/LogRecord.ts"
import type { LogFault, SegmentSummary } from "../src/domain/LogVerifyReport.ts"

/**
 * Where a line stands: its segment's number, and its first byte in that file.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogPosition {
  readonly segment: number
  readonly offset: number
}

/**
 * A line and its place. `length` is in bytes, with the line feed.
 *
 * @since 0.1.0
 * @category models
 */
export interface LocatedRecord {
  readonly record: LogRecord
  readonly position: LogPosition
  readonly length: number
}

/**
 * Whatever reading the log may fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type LogReadError = LogDamaged | LogTooNew | LogFsError

/**
 * What a reading of the whole log comes upon: lines that are right, faults where they stand, and each segment behind
 * its last line.
 *
 * @since 0.1.0
 * @category models
 */
export type Inspected =
  | { readonly _tag: "Line"; readonly line: LocatedRecord }
  | { readonly _tag: "Fault"; readonly fault: LogFault }
  | { readonly _tag: "Segment"; readonly summary: SegmentSummary }

/**
 * @since 0.1.0
 * @category tags
 */
export class LogReader extends Context.Tag("mem/LogReader")<LogReader, {
  /** Every line from that place on (from the first, by default), in batches. It ends quietly at a torn tail. */
  readonly records: (from?: LogPosition) => Stream.Stream<LocatedRecord, LogReadError>
  /** The line at that place, checked. */
  readonly at: (position: LogPosition) => Effect.Effect<LogRecord, LogReadError>
  /** The last whole line; none in an empty log. Reads the end of the last segment only. */
  readonly last: Effect.Effect<Option.Option<LocatedRecord>, LogReadError>
  /**
   * All that the segments hold, in order, good or bad, in one reading of their bytes. A fault is a value, and reading
   * goes on behind it; a torn tail is one like any other, since only the whole segment tells. It fails only where the
   * segments cannot be listed.
   */
  readonly inspect: Stream.Stream<Inspected, LogFsError>
  /** Segments and their sizes in bytes, oldest first. */
  readonly segments: Effect.Effect<ReadonlyArray<{ readonly number: number; readonly bytes: number }>, LogReadError>
}>() {}
