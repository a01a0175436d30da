/**
 * Where a line may be cut: between grapheme clusters, words, sentences.
 *
 * The platform's segmenter is quadratic in the length of its text and slow on every part of it, so it sees windows
 * only, each restarted at the last segment of the one before, and none where plain characters make the answer known.
 *
 * @since 0.1.0
 */

/** The locale is fixed: the same document must be cut alike on every machine. */
const segmenterOf = (granularity: "grapheme" | "word" | "sentence") => new Intl.Segmenter("en", { granularity })

const graphemes = segmenterOf("grapheme")
const words = segmenterOf("word")
const sentences = segmenterOf("sentence")

const windowLength = 4096

/** What is read beyond the range: whether a sentence ends depends on the word behind it. */
const lookahead = 64

/**
 * Characters of one unit that never join a neighbour of this class: Latin, Greek, Cyrillic, general punctuation, CJK
 * ideographs, kana and their full-width forms, without line ends, combining marks and pictographs.
 */
const plain =
  /^[\u0020-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u3001-\u3029\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uff01-\uff9d\t]*$/

/** An offset that does not part a surrogate pair: this one or the one before. */
const outsidePair = (text: string, offset: number): number => {
  const low = text.charCodeAt(offset)
  const high = text.charCodeAt(offset - 1)
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff ? offset - 1 : offset
}

/** Where segments begin inside `(start, end)`. `keep` chooses among the offsets within a window. */
const startsOf = (
  segmenter: Intl.Segmenter,
  text: string,
  start: number,
  end: number,
  keep: (segment: Intl.SegmentData, before: Intl.SegmentData) => boolean
): ReadonlyArray<number> => {
  const starts: Array<number> = []
  const last = Math.min(end + lookahead, text.length)
  let at = start
  let length = windowLength
  while (at < end) {
    const stop = at + length >= last ? last : outsidePair(text, at + length)
    const from = at
    let before: Intl.SegmentData | undefined
    for (const segment of segmenter.segment(text.slice(from, stop))) {
      if (before !== undefined) {
        at = from + segment.index
        if (at < end && keep(segment, before)) starts.push(at)
      }
      before = segment
    }
    if (stop === last) break
    // A window that is one segment says nothing; a longer one will.
    length = at === from ? length * 2 : windowLength
  }
  return starts
}

/**
 * Where grapheme clusters begin inside `(start, end)`, ascending. `start` must be such a place.
 *
 * @since 0.1.0
 * @category segments
 */
export const clusterStarts = (text: string, start: number, end: number): ReadonlyArray<number> =>
  plain.test(text.slice(start, end))
    ? Array.from({ length: Math.max(0, end - start - 1) }, (_, i) => start + 1 + i)
    : startsOf(graphemes, text, start, end, () => true)

/**
 * Where sentences begin inside `(start, end)`, ascending.
 *
 * @since 0.1.0
 * @category segments
 */
export const sentenceStarts = (text: string, start: number, end: number): ReadonlyArray<number> =>
  startsOf(sentences, text, start, end, () => true)

const isSpace = /[^\S\u00a0\u202f\ufeff]$/

/**
 * Where words begin inside `(start, end)`, ascending: behind a space, and between two words that no space parts, as
 * Chinese and Thai write them. Never before the punctuation that ends a word, or behind what opens one.
 *
 * @since 0.1.0
 * @category segments
 */
export const wordStarts = (text: string, start: number, end: number): ReadonlyArray<number> =>
  startsOf(
    words,
    text,
    start,
    end,
    (segment, before) => isSpace.test(before.segment) || (segment.isWordLike === true && before.isWordLike === true)
  )
