/**
 * Where the words of a question stand in a text, for whoever marks them. Pure.
 *
 * @since 0.1.0
 */
import { stem } from "../text/Porter.ts"
import { fold, wordsIn, wordsOf } from "./Words.ts"

/**
 * The ranges `[start, end)` of the words that the question names too, in UTF-16 units, in order. Case, diacritics and
 * English endings do not count, as they do not in the search; words that every text has are marked only where the
 * question has no other.
 *
 * @since 0.1.0
 * @category marking
 */
export const matches = (text: string, question: string): ReadonlyArray<readonly [start: number, end: number]> => {
  const { all, telling } = wordsOf(question)
  const wanted = new Set((telling.length > 0 ? telling : all).map((word) => stem(fold(word))))
  return wordsIn(text).filter(({ word }) => wanted.has(stem(fold(word)))).map(({ end, start }) => [start, end] as const)
}
