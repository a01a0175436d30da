/**
 * Gives the entries of a write their places: `seq` by `seq`, each group its `txn` and its closing commit. A vector that
 * this writer has written before is left out: it is in the log already, or in front of this line in the same write.
 * Pure, so that a writer only has to write.
 *
 * @since 0.1.0
 */
import { crc32 } from "node:zlib"
import type { LogGroup } from "../../services/LogWriter.ts"
import { Seq, type Timestamp } from "../domain/Ids.ts"
import { formatVersion, type LogEntry, type LogRecord } from "../domain/LogRecord.ts"
import { Commit, type Vector } from "../domain/Reference.ts"

/**
 * One vector over all texts and models, told from another one for the same text and model: each is written once.
 *
 * @since 0.1.0
 * @category keys
 */
export const vectorKey = ({ data, embed_sha256, model }: Vector): string => `${crc32(data)} ${embed_sha256} ${model}`

/**
 * The vectors among the lines.
 *
 * @since 0.1.0
 * @category keys
 */
export const vectorKeys = (lines: ReadonlyArray<LogRecord>): ReadonlyArray<string> =>
  lines.flatMap((line) => line.kind === "vector" ? [vectorKey(line.body)] : [])

/**
 * What a writer knows when a write begins: the `seq` of its first line, the time, how many bytes of the segment are on
 * disk for certain, and which vectors it has written, by {@link vectorKey} (absent: none).
 *
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly seq: number
  readonly at: Timestamp
  readonly durable_to: number
  readonly hasVector?: (key: string) => boolean
}

const line = (entry: LogEntry, { at }: Place, seq: number): LogRecord => ({
  v: formatVersion,
  seq: Seq.make(seq),
  at,
  ...entry
})

const withoutWritten = (entries: ReadonlyArray<LogEntry>, { hasVector }: Place): ReadonlyArray<LogEntry> =>
  entries.filter((entry) => entry.kind !== "vector" || hasVector?.(vectorKey(entry.body)) !== true)

/**
 * Records that stand alone.
 *
 * @since 0.1.0
 * @category composing
 */
export const alone = (entries: ReadonlyArray<LogEntry>, place: Place): ReadonlyArray<LogRecord> =>
  withoutWritten(entries, place).map((entry, i) => line(entry, place, place.seq + i))

/**
 * The lines of a group, its commit last.
 *
 * @since 0.1.0
 * @category composing
 */
export const group = ({ commit, ...draft }: LogGroup, place: Place): ReadonlyArray<LogRecord> => {
  const entries = withoutWritten(draft.entries, place)
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
  const written = new Set<string>()
  const hasVector = (key: string) => written.has(key) || place.hasVector?.(key) === true
  for (const each of all) {
    const more = group(each, { ...place, hasVector, seq: place.seq + lines.length })
    for (const key of vectorKeys(more)) written.add(key)
    lines.push(...more)
  }
  return lines
}
