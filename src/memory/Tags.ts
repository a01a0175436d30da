/**
 * The tags between which a prompt and its answer stand. Transcripts contain such tags too, so each carries a suffix
 * that occurs nowhere in the text that is shown: what a transcript or a memory says can neither end its block nor be
 * taken for an answer. The suffix is made of that very text, so the same text has the same prompt. Pure.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"

/**
 * What a model answers with: may this change memory, the memory then, is there enough, what it rests on.
 *
 * @since 0.1.0
 * @category models
 */
export type AnswerTag = "check" | "update" | "next" | "cite"

/**
 * What a model is shown: the question, the memory so far, the section of the session, and each Record in it.
 *
 * @since 0.1.0
 * @category models
 */
export type PromptTag = "problem" | "memory" | "section" | "record"

/**
 * A suffix of so many hex digits that none of these texts contains, whatever its case.
 *
 * @since 0.1.0
 * @category suffixes
 */
export const suffixOf = (texts: ReadonlyArray<string>, digits = 12): string => {
  const content = JSON.stringify(texts)
  const shown = texts.join("\n").toLowerCase()
  const suffix = (n: number): string => hash("sha256", `${n} ${content}`, "hex").slice(0, digits)
  let n = 0
  while (shown.includes(suffix(n))) n += 1
  return suffix(n)
}

/**
 * The opening tag, with what else it says.
 *
 * @since 0.1.0
 * @category formatting
 */
export const open = (name: AnswerTag | PromptTag, suffix: string, attributes = ""): string =>
  `<${name}-${suffix}${attributes === "" ? "" : ` ${attributes}`}>`

/**
 * @since 0.1.0
 * @category formatting
 */
export const close = (name: AnswerTag | PromptTag, suffix: string): string => `</${name}-${suffix}>`

/**
 * A text between its tags, on lines of its own.
 *
 * @since 0.1.0
 * @category formatting
 */
export const block = (name: AnswerTag | PromptTag, suffix: string, text: string, attributes = ""): string =>
  `${open(name, suffix, attributes)}\n${text}\n${close(name, suffix)}`

/**
 * A tag in an answer: which, where it stands, and whether it closes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tag {
  readonly name: AnswerTag
  readonly closes: boolean
  readonly start: number
  readonly end: number
}

const nameOf = (word: string): AnswerTag => {
  const name = word.toLowerCase()
  return name === "check" || name === "update" || name === "next" ? name : "cite"
}

/**
 * The tags of an answer that carry the suffix, in order. Case and blanks inside a tag do not matter.
 *
 * @since 0.1.0
 * @category reading
 */
export const tagsIn = (answer: string, suffix: string): ReadonlyArray<Tag> =>
  [...answer.matchAll(new RegExp(`<\\s*(?:(/)\\s*)?(check|update|next|cite)-${suffix}\\s*>`, "gi"))].map((found) => ({
    name: nameOf(found[2] ?? ""),
    closes: found[1] === "/",
    start: found.index,
    end: found.index + found[0].length
  }))
