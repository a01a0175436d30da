/**
 * Which texts go to a server together, and where one is cut that is too long for it. Pure.
 *
 * @since 0.1.0
 */

/**
 * What a request holds, at most.
 *
 * @since 0.1.0
 * @category models
 */
export interface Limits {
  readonly batch_texts: number
  readonly batch_tokens: number
}

/**
 * Every text in exactly one batch, in order. One that is too long for any batch is one alone.
 *
 * @since 0.1.0
 * @category batching
 */
export const batches = (
  texts: ReadonlyArray<string>,
  count: (text: string) => number,
  { batch_texts, batch_tokens }: Limits
): ReadonlyArray<ReadonlyArray<string>> => {
  const all: Array<Array<string>> = []
  let tokens = 0
  for (const text of texts) {
    const own = count(text)
    const open = all.at(-1)
    if (open !== undefined && open.length < batch_texts && tokens + own <= batch_tokens) {
      open.push(text)
      tokens += own
    } else {
      all.push([text])
      tokens = own
    }
  }
  return all
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Behind a blank near the middle, else in the middle; never within a character. */
const middleOf = (text: string): number => {
  const middle = Math.floor(text.length / 2)
  for (let off = 0; off < Math.min(middle, 200); off++) {
    if (/\s/.test(text.charAt(middle - off))) return middle - off + 1
  }
  return isLow(text.charCodeAt(middle)) ? middle + 1 : middle
}

/**
 * Both halves of a text; joined, they are the text.
 *
 * @since 0.1.0
 * @category windows
 */
export const halves = (text: string): readonly [string, string] => {
  const middle = middleOf(text)
  return [text.slice(0, middle), text.slice(middle)]
}

/** Too short to be too long. */
const shortest = 16

/**
 * Whether a text can be cut in two.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isDivisible = (text: string): boolean => text.length > shortest

/**
 * A text in windows of at most that many tokens; joined, they are the text.
 *
 * @since 0.1.0
 * @category windows
 */
export const windows = (text: string, count: (text: string) => number, max: number): ReadonlyArray<string> =>
  count(text) <= max || !isDivisible(text)
    ? [text]
    : halves(text).flatMap((half) => windows(half, count, max))
