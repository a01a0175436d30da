/**
 * Gives the entries of a write their places: `seq` by `seq`, each group its `txn` and its closing commit. Pure, so that
 * a writer only has to write.
 *
 * @since 0.1.0
 */
import type { LogGroup } from "../../services/LogWriter.ts"
import { Seq, type Timestamp } from "../domain/Ids.ts"
import { formatVersion, type LogEntry, type LogRecord } from "../domain/LogRecord.ts"
import { Commit } from "../domain/Reference.ts"

/**
 * What a writer knows when a write begins: the `seq` of its first line, the time, and how many bytes of the segment
 * are on disk for certain.
 *
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly seq: number
  readonly at: Timestamp
  readonly durable_to: number
}

const line = (entry: LogEntry, { at }: Place, seq: number): LogRecord => ({
  v: formatVersion,
  seq: Seq.make(seq),
  at,
  ...entry
})

/**
 * Records that stand alone.
 *
 * @since 0.1.0
 * @category composing
 */
export const alone = (entries: ReadonlyArray<LogEntry>, place: Place): ReadonlyArray<LogRecord> =>
  entries.map((entry, i) => line(entry, place, place.seq + i))

/**
 * The lines of a group, its commit last.
 *
 * @since 0.1.0
 * @category composing
 */
export const group = ({ commit, entries }: LogGroup, place: Place): ReadonlyArray<LogRecord> => {
  const txn = Seq.make(place.seq)
  const body = new Commit({ ...commit, n: entries.length, durable_to: place.durable_to })
  return [...entries, { kind: "commit" as const, body }].map((entry, i) => ({
    ...line(entry, place, place.seq + i),
    txn
  }))
}

/**
 * The lines of several groups, one behind the other.
 *
 * @since 0.1.0
 * @category composing
 */
export const groups = (all: ReadonlyArray<LogGroup>, place: Place): ReadonlyArray<LogRecord> => {
  const lines: Array<LogRecord> = []
  for (const each of all) lines.push(...group(each, { ...place, seq: place.seq + lines.length }))
  return lines
}
