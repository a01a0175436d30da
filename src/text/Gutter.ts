/**
 * What tools write before a line that they show: its number, the file it is of, a quote or list mark. Pure.
 *
 * @since 0.1.0
 */
import type { Span } from "./Span.ts"

/** A longer one is no gutter, and a line may be long: so nobody looks further back. */
const longest = 300

/** None of these can stand where a line of JSON begins. */
const beforeJson = /(?:[ \t]{0,64}(?:[>|*+→│]|-(?!\d)|\d{1,9}(?:[→\t:|)-]|\.(?!\d))|[^\s:"{}[\],]{1,200}:)){1,8}/y

const file = String.raw`(?:[^\s:"{}[\],]*[./][^\s:"{}[\],]*:|[^\s:"{}[\],]+:(?=\d+:))?`

const marks = String.raw`[\d \t:>|*+.)→│-]*`

const wholeGutter = new RegExp(`^${marks}${file}${marks}$`)

const blankEnd = /[ \t]*(?=[\r\n]|$)/y

/**
 * The place behind what stands before a line of JSON that begins here.
 *
 * @since 0.1.0
 * @category reading
 */
export const behindGutter = (text: string, lineStart: number): number => {
  beforeJson.lastIndex = lineStart
  return beforeJson.test(text) ? beforeJson.lastIndex : lineStart
}

/**
 * The range, and what stands before it on its line, if that is a gutter and nothing else; and the blanks behind it, if
 * the line has nothing more.
 *
 * @since 0.1.0
 * @category reading
 */
export const withGutter = (text: string, { end, start }: Span): Span => {
  const from = Math.max(0, start - longest)
  const before = text.slice(from, start)
  const line = before.slice(before.lastIndexOf("\n") + 1)
  const isWhole = line.length < before.length || from === 0
  blankEnd.lastIndex = end
  return {
    start: isWhole && wholeGutter.test(line) ? start - line.length : start,
    end: blankEnd.test(text) ? blankEnd.lastIndex : end
  }
}
