/**
 * The paragraphs of a text as the derived filter compares them: what a copy may have changed is taken off.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import { Sha256 } from "../domain/Ids.ts"

/** Shorter ones are phrases that anybody may write. */
const fewest = 40

const marks = /^(?:\s*(?:>|[-*+]|\d{1,9}[.)]))*\s*/

const isBlank = (line: string): boolean => line.trim() === ""

const paragraphs = (text: string): ReadonlyArray<string> => {
  const found: Array<Array<string>> = []
  let open: Array<string> | undefined = undefined
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (isBlank(line)) open = undefined
    else if (open === undefined) found.push(open = [line])
    else open.push(line)
  }
  return found.map((lines) => lines.join("\n"))
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
 * The sha256 of each paragraph of the text that is long enough to be told again, in order.
 *
 * @since 0.1.0
 * @category hashing
 */
export const paragraphHashes = (text: string): ReadonlyArray<Sha256> =>
  paragraphs(text).map(normalised).filter((paragraph) => paragraph.length >= fewest).map((paragraph) =>
    Sha256.make(hash("sha256", paragraph, "hex"))
  )
