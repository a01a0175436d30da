/**
 * A text as lines, each with its own end: joined, they are the text again.
 *
 * @since 0.1.0
 */
import { lineStarts } from "../chunk/TextLines.ts"

/**
 * The lines of a text, counted as Passages count theirs; a text without any character is one empty line.
 *
 * @since 0.1.0
 * @category lines
 */
export const linesOf = (text: string): ReadonlyArray<string> => {
  const starts = lineStarts(text)
  return starts.map((start, i) => text.slice(start, starts[i + 1]))
}

/**
 * A line without its end.
 *
 * @since 0.1.0
 * @category lines
 */
export const withoutEnd = (line: string): string => line.replace(/[\r\n]+$/, "")
