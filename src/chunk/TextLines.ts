/**
 * The lines of a text and what is blank in it: the one place that knows what ends a line.
 *
 * CRLF, LF and a lone CR end a line; U+0085, U+2028, U+2029, form feed and vertical tab do not. A blank line holds
 * spaces and tabs only. Offsets are UTF-16 units.
 *
 * @since 0.1.0
 */
const byteOrderMark = 0xfeff
const carriageReturn = 0x0d
const lineFeed = 0x0a

const isLineEnd = (unit: number): boolean => unit === lineFeed || unit === carriageReturn

/**
 * Where a text begins behind its byte order mark: 0 or 1.
 *
 * @since 0.1.0
 * @category blanks
 */
export const afterByteOrderMark = (text: string): number => text.charCodeAt(0) === byteOrderMark ? 1 : 0

/**
 * Whether the unit at `offset` is a space, a tab, or part of a line end.
 *
 * @since 0.1.0
 * @category blanks
 */
export const isBlankAt = (text: string, offset: number): boolean => {
  const unit = text.charCodeAt(offset)
  return unit === 0x20 || unit === 0x09 || isLineEnd(unit)
}

/**
 * Offset of the first unit of `[start, end)` that is not blank; `end` if all are.
 *
 * @since 0.1.0
 * @category blanks
 */
export const firstInk = (text: string, start: number, end: number): number => {
  let at = start
  while (at < end && isBlankAt(text, at)) at += 1
  return at
}

/**
 * Offset of the last unit of `[start, end)` that is not blank; `start - 1` if all are.
 *
 * @since 0.1.0
 * @category blanks
 */
export const lastInk = (text: string, start: number, end: number): number => {
  let at = end - 1
  while (at >= start && isBlankAt(text, at)) at -= 1
  return at
}

/**
 * The text without blanks at its edges. (A pattern would try each blank of a run anew.)
 *
 * @since 0.1.0
 * @category blanks
 */
export const trimmed = (text: string): string =>
  text.slice(firstInk(text, 0, text.length), lastInk(text, 0, text.length) + 1)

/**
 * `[start, end)` without the blank lines at its edges and without its last line end. Indentation and spaces at the end
 * of a line stay. Empty if all is blank.
 *
 * @since 0.1.0
 * @category blanks
 */
export const withoutBlankEdges = (text: string, start: number, end: number): readonly [start: number, end: number] => {
  let from = firstInk(text, start, end)
  if (from === end) return [end, end]
  let to = lastInk(text, start, end) + 1
  while (from > start && !isLineEnd(text.charCodeAt(from - 1))) from -= 1
  while (to < end && !isLineEnd(text.charCodeAt(to))) to += 1
  return [from, to]
}

/**
 * Index of the first of the ascending `offsets` that is at or behind `offset`.
 *
 * @since 0.1.0
 * @category offsets
 */
export const lowerBound = (offsets: ReadonlyArray<number>, offset: number): number => {
  let low = 0
  let high = offsets.length
  while (low < high) {
    const middle = (low + high) >> 1
    const found = offsets[middle]
    if (found !== undefined && found < offset) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Where each line begins: ascending, 0 first, one entry a line. A line end at the very end of the text begins no line.
 *
 * @since 0.1.0
 * @category lines
 */
export const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    const ends = unit === lineFeed || (unit === carriageReturn && text.charCodeAt(at + 1) !== lineFeed)
    if (ends && at + 1 < text.length) starts.push(at + 1)
  }
  return starts
}

/**
 * First and last line, 1-based, of the span `[start, end)`, which is not empty.
 *
 * @since 0.1.0
 * @category lines
 */
export const lineRange = (
  starts: ReadonlyArray<number>,
  start: number,
  end: number
): readonly [first: number, last: number] => [lowerBound(starts, start + 1), lowerBound(starts, end)]
