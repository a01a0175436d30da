/**
 * Passages as a table for a person.
 *
 * @since 0.1.0
 */
import type { Passage } from "../domain/Passage.ts"
import { number, plural } from "../text/Amounts.ts"
import { shortHashes } from "../text/Fingerprint.ts"
import { beginning, ending, printable } from "./Printable.ts"

const sectionWidth = 22
const beginsWidth = 27
const mark = "over budget  "

const columns = (ordinal: string, lines: string, tokens: string, section: string, begins: string): string =>
  `${ordinal.padStart(7)} ${lines.padStart(11)} ${tokens.padStart(7)}  ${section.padEnd(sectionWidth)}  ${begins}`
    .trimEnd() +
  "\n"

/**
 * The lines above the rows of a document.
 *
 * @since 0.1.0
 * @category formatting
 */
export const header = (file: string): string =>
  `${printable(file)}\n${columns("passage", "lines", "tokens", "section", "begins")}`

/**
 * `top` is where the embedded part of its document begins.
 *
 * @since 0.1.0
 * @category formatting
 */
export const row = (
  { heading_path, lines: [first, last], ordinal, over_budget, start, text, tokens }: Passage,
  top: number
): string => {
  const begins = beginning(text.slice(Math.max(0, top - start)), beginsWidth - (over_budget ? mark.length : 0))
  return columns(
    number(ordinal),
    first === last ? `${first}` : `${first}-${last}`,
    number(tokens),
    ending(heading_path.join(" > "), sectionWidth),
    (over_budget ? mark : "") + begins
  )
}

/**
 * The line below the rows of a document.
 *
 * @since 0.1.0
 * @category formatting
 */
export const footer = (
  passages: ReadonlyArray<Passage>,
  made: { readonly max_tokens: number; readonly counter: string }
): string => {
  const tokens = passages.reduce((sum, passage) => sum + passage.tokens, 0)
  const over = passages.filter(({ over_budget }) => over_budget).length
  return `${plural(passages.length, "passage")}, ${plural(tokens, "token")}`
    + ` (budget ${number(made.max_tokens)}, counted by ${shortHashes(made.counter)})`
    + (over === 0 ? "\n" : `; over budget, as they cannot be cut: ${number(over)}\n`)
}
