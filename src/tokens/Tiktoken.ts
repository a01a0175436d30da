/**
 * Counts the tokens of a text by byte pair encoding, exactly as the reference does, in time n log n whatever the text.
 *
 * Text is text: what is spelled like a special token, `<|endoftext|>`, is counted like anything else. A lone surrogate
 * counts as the U+FFFD that it becomes in UTF-8.
 *
 * @since 0.1.0
 */
import * as CountCache from "./CountCache.ts"
import { byHeap, byScan } from "./Merge.ts"
import type { PieceEnd } from "./PreSplit.ts"
import { noRank, type RankTable } from "./RankTable.ts"
import { utf8 } from "./Utf8.ts"

/** Pieces of fewer bytes are merged by looking at all pairs. */
const longestScan = 96

/** So many pieces are remembered: a few megabytes. */
const remembered = 2 ** 16

const unitsOf = (text: string): Uint16Array => {
  const units = new Uint16Array(text.length)
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i)
  return units
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (table: RankTable, pieceEnd: PieceEnd): (text: string) => number => {
  const count = CountCache.make(remembered, (units, start, end) => {
    const bytes = utf8(units, start, end)
    const { length } = bytes
    return table.rankOf(bytes, 0, length) !== noRank ? 1 : (length < longestScan ? byScan : byHeap)(table, bytes)
  })
  return (text) => {
    const units = unitsOf(text)
    let tokens = 0
    for (let start = 0; start < units.length;) {
      const end = pieceEnd(units, start)
      tokens += count(units, start, end)
      start = end
    }
    return tokens
  }
}
