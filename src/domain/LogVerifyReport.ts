/**
 * What reading the whole log has found: the report of `mem log verify`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Sha256 } from "./Ids.ts"
import { Count, Positive } from "./Numbers.ts"

/**
 * `damaged`: bytes are not what was written. `missing`: lines, or a whole segment, are not there. `misplaced`: a line
 * stands where it does not belong. `mismatch`: a segment, each line of which is right, is not the one that the next
 * segment was begun behind. `unreadable`: the disk refused. `too-new`: a line that a later version wrote.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FaultKind = Schema.Literal("damaged", "missing", "misplaced", "mismatch", "unreadable", "too-new")
/**
 * @since 0.1.0
 * @category schemas
 */
export type FaultKind = typeof FaultKind.Type

/**
 * One place of a segment that is not as it was written: `length` bytes from `offset` on, 0 where lines are missing
 * between two that are right. `first_seq` and `last_seq` are those of the lines that are lost, where the lines around
 * them tell.
 *
 * @since 0.1.0
 * @category schemas
 */
export class LogFault extends Schema.Class<LogFault>("mem/LogFault")({
  kind: FaultKind,
  segment: Positive,
  path: Schema.String,
  offset: Count,
  length: Count,
  detail: Schema.String,
  first_seq: Schema.optional(Positive),
  last_seq: Schema.optional(Positive)
}) {}

/**
 * A segment that was read to its end. `durable_to` is how many of its bytes its own lines know to have been on disk.
 *
 * @since 0.1.0
 * @category schemas
 */
export class SegmentSummary extends Schema.Class<SegmentSummary>("mem/SegmentSummary")({
  segment: Positive,
  path: Schema.String,
  bytes: Count,
  sha256: Sha256,
  durable_to: Count
}) {}

/**
 * The one JSON document of `mem log verify --json`. `torn` counts the bytes at the end of the log of a write that was
 * never acknowledged: no fault, and no records. `faults` holds the first of them, `more_faults` counts the rest;
 * `damaged` is whether any of all these means that bytes which had been on disk no longer are what they were.
 *
 * @since 0.1.0
 * @category schemas
 */
export class LogVerifyReport extends Schema.Class<LogVerifyReport>("mem/LogVerifyReport")({
  command: Schema.Literal("log verify"),
  ok: Schema.Boolean,
  segments: Count,
  bytes: Count,
  records: Count,
  torn: Count,
  damaged: Schema.Boolean,
  faults: Schema.Array(LogFault),
  more_faults: Count
}) {}
