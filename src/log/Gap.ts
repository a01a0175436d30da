/**
 * A `gap` stands where lines were lost, and for all of them: its own `seq` is that of the first, and the line behind it
 * has the one behind the last. So `seq` stays contiguous in a log that was repaired. Pure.
 *
 * @since 0.1.0
 */
import type { LogRecord } from "../domain/LogRecord.ts"

/**
 * Whether a record may stand in a log: a gap that begins at another place than its own, ends before it begins, or
 * belongs to a group, was made by nobody.
 *
 * @since 0.1.0
 * @category checking
 */
export const isGenuine = ({ body, kind, seq, txn }: LogRecord): boolean =>
  kind !== "gap" || (body.first_seq === seq && body.last_seq >= seq && txn === undefined)

/**
 * The last `seq` that a record stands for.
 *
 * @since 0.1.0
 * @category places
 */
export const lastSeq = ({ body, kind, seq }: LogRecord): number => kind === "gap" ? body.last_seq : seq

/**
 * The `seq` of the line behind it.
 *
 * @since 0.1.0
 * @category places
 */
export const nextSeq = (record: LogRecord): number => lastSeq(record) + 1
