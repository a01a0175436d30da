/**
 * Tells Records that are to be archived from those that are already: each once, by its key. Pure.
 *
 * A copy of what is known adds nothing. A text that goes on where the known one ended takes its place, as when the answer
 * of a model was written down while it was still being given. Any other difference under one key is a mistake of the
 * source's: the first stays.
 *
 * @since 0.1.0
 */
import type { RecordKey } from "../../domain/Ids.ts"
import type { Record } from "../../domain/Record.ts"

/**
 * Those to be archived, in order, how many were known, and the keys of those among these that said something else.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sifted {
  readonly fresh: ReadonlyArray<Record>
  readonly duplicates: number
  readonly differing: ReadonlyArray<RecordKey>
}

/**
 * `known` are the texts that the log has under these keys.
 *
 * @since 0.1.0
 * @category sifting
 */
export const sift = (records: ReadonlyArray<Record>, known: ReadonlyMap<RecordKey, string>): Sifted => {
  const texts = new Map(known)
  const fresh: Array<Record> = []
  const differing: Array<RecordKey> = []
  let duplicates = 0
  for (const record of records) {
    const before = texts.get(record.key)
    const longer = before !== undefined && record.text.length > before.length && record.text.startsWith(before)
    if (before === undefined || longer) {
      fresh.push(record)
      texts.set(record.key, record.text)
      continue
    }
    duplicates += 1
    if (record.text !== before) differing.push(record.key)
  }
  return { fresh, duplicates, differing }
}
