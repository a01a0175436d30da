/**
 * Which parts of a memory say a sentence. Compared is what the derived filter compares: marks of quotes and lists, white
 * space and the form of characters do not count, all else does. Pure.
 *
 * @since 0.1.0
 */
import type { MemoryPart } from "../domain/MemoryReport.ts"
import { normalised } from "./Paragraphs.ts"

const opener = "x "

/** Marks are marks only where a line begins; elsewhere "2." is a word of the sentence. */
const saysOf = (text: string, { span: [start, end] }: MemoryPart): string => {
  const beginsLine = text.slice(text.lastIndexOf("\n", start - 1) + 1, start).trim() === ""
  const says = text.slice(start, end)
  return beginsLine ? normalised(says) : normalised(opener + says).slice(opener.length)
}

/**
 * The parts that a sentence, a piece of one or several in a row are said by; none where the memory does not say it.
 *
 * @since 0.1.0
 * @category matching
 */
export const partsSaying = (
  text: string,
  parts: ReadonlyArray<MemoryPart>,
  sentence: string
): ReadonlyArray<MemoryPart> => {
  const wanted = normalised(sentence)
  if (wanted === "") return []
  let all = ""
  const places = parts.map((part) => {
    const says = saysOf(text, part)
    const start = all === "" || says === "" ? all.length : all.length + 1
    all = says === "" ? all : all === "" ? says : `${all} ${says}`
    return { part, start, end: start + says.length }
  })
  const found = new Set<MemoryPart>()
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + 1)) {
    for (const { end, part, start } of places) if (start < at + wanted.length && at < end) found.add(part)
  }
  return parts.filter((part) => found.has(part))
}
