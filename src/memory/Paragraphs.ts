/**
 * The paragraphs of a text as the derived filter compares them: what a copy may have changed is taken off.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import { Sha256 } from "../domain/Ids.ts"
import { linesOf } from "../text/Lines.ts"

/** Shorter ones are phrases that anybody may write. */
const fewest = 40

const marks = /^(?:\s*(?:>|[-*+]|\d{1,9}[.)]))*\s*/

/**
 * A paragraph in its text, `start` and `end` in UTF-16 units, and the sha256 of what it says.
 *
 * @since 0.1.0
 * @category models
 */
export interface Paragraph {
  readonly start: number
  readonly end: number
  readonly sha256: Sha256
}

const paragraphs = (text: string): ReadonlyArray<readonly [start: number, end: number]> => {
  const found: Array<[number, number]> = []
  let at = 0
  let open: [number, number] | undefined = undefined
  for (const line of linesOf(text)) {
    const end = at + line.length
    if (line.trim() === "") open = undefined
    else if (open === undefined) found.push(open = [at, end])
    else open[1] = end
    at = end
  }
  return found
}

/**
 * A paragraph without the marks of quotes and lists, its white space folded, its characters composed (NFC).
 *
 * @since 0.1.0
 * @category normalising
 */
export const normalised = (paragraph: string): string =>
  paragraph.split(/\r\n|\n|\r/).map((line) => line.replace(marks, "")).join(" ").replace(/\s+/g, " ").trim().normalize(
    "NFC"
  )

/**
 * The paragraphs of the text that are long enough to be told again, in order.
 *
 * @since 0.1.0
 * @category hashing
 */
export const tellable = (text: string): ReadonlyArray<Paragraph> =>
  paragraphs(text).flatMap(([start, end]) => {
    const says = normalised(text.slice(start, end))
    return says.length < fewest ? [] : [{ start, end, sha256: Sha256.make(hash("sha256", says, "hex")) }]
  })

/**
 * The sha256 of each of them.
 *
 * @since 0.1.0
 * @category hashing
 */
export const paragraphHashes = (text: string): ReadonlyArray<Sha256> => tellable(text).map(({ sha256 }) => sha256)
