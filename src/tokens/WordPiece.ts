/**
 * The tokenizer of uncased BERT models: lower case, no accents, words and single punctuation marks, each word cut
 * greedily into the longest pieces that the vocabulary has.
 *
 * Text is text: what is spelled like a special token, `[CLS]`, is cut like any other word. The work is linear in the
 * text, whatever is in it: no piece is longer than the longest of the vocabulary, and each code point is decomposed by
 * itself.
 *
 * @since 0.1.0
 */

/**
 * Pieces by their spelling; those that continue a word begin with `##`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Vocabulary {
  readonly ids: ReadonlyMap<string, number>
  /** The id of a word that the vocabulary cannot spell. */
  readonly unknown: number
  /** A word of more code points is unknown, whatever its spelling. */
  readonly maxWord: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface WordPiece {
  /** The ids of the pieces, nothing put before or behind them. */
  readonly encode: (text: string) => Array<number>
  /** How many pieces `encode` makes. */
  readonly count: (text: string) => number
}

const continuation = "##"

/** Between these stand words. A form feed or a byte order mark is a blank elsewhere and nothing at all here. */
const blanks = /[\t\n\r\p{Zs}\u2028\u2029]+/u

const ignored = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]+/gu

/** Each stands alone: the models were trained on single characters of the scripts that know no blanks. */
const ideographs = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/g

const unprintableOrBeyondAscii = /[^ -~]/
const beyondAscii = /[^\0-\x7f]/gu

const marks = /\p{Mn}/gu

/** A word, or a single punctuation mark; everything in ASCII that is neither letter, digit nor control counts as such. */
const wordOrMark = /[^\s\p{P}!-/:-@[-`{-~]+|[\p{P}!-/:-@[-`{-~]/gu
const asciiWordOrMark = /[a-z0-9]+|[!-/:-@[-`{-~]/g

// A run of marks is put into canonical order by normalize(), in time that grows with its square; nothing is left of it here.
const withoutMarks = (codePoint: string): string => codePoint.normalize("NFD").replace(marks, "")

/** What stands between two blanks, as it is spelled in the vocabulary, cut into words and marks. */
const wordsOf = (chunk: string): ReadonlyArray<string> => {
  if (!unprintableOrBeyondAscii.test(chunk)) return chunk.toLowerCase().match(asciiWordOrMark) ?? []
  const plain = chunk.replace(ignored, "").replace(ideographs, " $& ").toLowerCase()
  return plain.replace(beyondAscii, withoutMarks).match(wordOrMark) ?? []
}

const codePoints = (word: string): number => {
  let n = 0
  for (const _ of word) n += 1
  return n
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ ids, maxWord, unknown }: Vocabulary): WordPiece => {
  const continuing = new Map<string, number>()
  let longest = 0
  for (const [piece, id] of ids) {
    if (piece.startsWith(continuation)) continuing.set(piece.slice(continuation.length), id)
    longest = Math.max(longest, piece.length)
  }

  /** Hands over the pieces of a word, or the unknown one for all of it. */
  const cut = (word: string, take: (id: number) => void): void => {
    const whole = word.length > maxWord && codePoints(word) > maxWord ? unknown : ids.get(word)
    if (whole !== undefined) return take(whole)
    const pieces: Array<number> = []
    for (let start = 0; start < word.length;) {
      const known = start === 0 ? ids : continuing
      let end = Math.min(word.length, start + longest)
      let id = known.get(word.slice(start, end))
      while (id === undefined && end > start + 1) {
        end -= 1
        id = known.get(word.slice(start, end))
      }
      if (id === undefined) return take(unknown)
      pieces.push(id)
      start = end
    }
    pieces.forEach(take)
  }

  const each = (text: string, take: (id: number) => void): void => {
    for (const chunk of text.split(blanks)) {
      for (const word of wordsOf(chunk)) cut(word, take)
    }
  }

  return {
    encode: (text) => {
      const pieces: Array<number> = []
      each(text, (id) => void pieces.push(id))
      return pieces
    },
    count: (text) => {
      let n = 0
      each(text, () => n += 1)
      return n
    }
  }
}
