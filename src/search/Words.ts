/**
 * What of a question is searched for: its words, without those that every text has. Pure.
 *
 * @since 0.1.0
 */

/** Letters and digits, and the marks upon them, as the index's tokenizer sees them. */
const word = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{M}\p{Co}]*/gu

/** They say nothing of what a text is about. The last are what an apostrophe leaves. */
const stopWords: ReadonlySet<string> = new Set(
  [
    "a an and are as at be but by can could did do does for from had has have how i if in into is it its me my not of on",
    "or our should so than that the their them then there these they this to us was we were what when where which who",
    "why will with would you your",
    "d ll m re s t ve"
  ].join(" ").split(" ")
)

/**
 * A word of a text, where it stands, in UTF-16 units.
 *
 * @since 0.1.0
 * @category models
 */
export interface Word {
  readonly word: string
  readonly start: number
  readonly end: number
}

/**
 * @since 0.1.0
 * @category words
 */
export const wordsIn = (text: string): ReadonlyArray<Word> =>
  Array.from(text.matchAll(word), ({ 0: found, index }) => ({ word: found, start: index, end: index + found.length }))

/**
 * A word as it is compared: case and diacritics do not count.
 *
 * @since 0.1.0
 * @category words
 */
export const fold = (word: string): string => word.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "")

/**
 * The different words of a question: all of them, and those that tell what it is about.
 *
 * @since 0.1.0
 * @category words
 */
export const wordsOf = (
  question: string
): { readonly all: ReadonlyArray<string>; readonly telling: ReadonlyArray<string> } => {
  const all = [...new Map(wordsIn(question).map(({ word }) => [fold(word), word] as const))]
  const telling = all.filter(([folded]) => !stopWords.has(folded))
  return { all: all.map(([, word]) => word), telling: telling.map(([, word]) => word) }
}

/**
 * What the index is asked, to find any of the words. Each is quoted, so none is taken for an operator.
 *
 * @since 0.1.0
 * @category querying
 */
export const matchOf = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(" OR ")
