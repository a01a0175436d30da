/**
 * Knows mem's own output again where an agent has read it into its transcript: what a search printed is a copy of what
 * is archived, and evidence of nothing. Pure.
 *
 * Text for people is put between two marks where it does not go to a terminal. What `--json` and the dumps print keeps its
 * shape and carries no mark: it is known by that shape, wherever it stands. What a text says around it is left.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import { withGutter } from "../text/Gutter.ts"
import { objectsIn } from "../text/LooseJson.ts"
import type { Span } from "../text/Span.ts"
import { ownForm } from "./OwnForms.ts"

const closing = "</mem-artifact>"

/** With plain values alone: what stands in code and manuals shows one, or makes it. */
const opening = /<mem-artifact(?: [a-z]{1,20}="[\w .:-]{0,200}"){1,8}>/g

/**
 * Lines of output between the two marks. A closing mark among them is broken up, so that no text ends its mark itself.
 *
 * @since 0.1.0
 * @category marking
 */
export const marked = (command: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const inside = lines.map((line) => line.replaceAll(closing, "</ mem-artifact>"))
  const sha = hash("sha256", inside.join("\n"), "hex").slice(0, 16)
  return [`<mem-artifact id="${command}" sha="${sha}">`, ...inside, closing]
}

/** As it is printed; elsewhere it is only spoken of. */
const hasOwnLine = (text: string, mark: Span): boolean => {
  const { end, start } = withGutter(text, mark)
  return (start === 0 || text[start - 1] === "\n") && (end === text.length || /[\r\n]/.test(text.charAt(end)))
}

/** What was cut off behind its opening mark is meant to the end, what lacks that mark from where the last one ended. */
const betweenMarks = (text: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  const open = new RegExp(opening)
  let opened = open.exec(text)
  let from = 0
  for (let at = text.indexOf(closing); at >= 0; at = text.indexOf(closing, at + closing.length)) {
    const end = at + closing.length
    if (opened !== null && opened.index < at) {
      spans.push({ start: opened.index, end })
      open.lastIndex = from = end
      opened = open.exec(text)
    } else if (hasOwnLine(text, { start: at, end })) {
      spans.push({ start: from, end })
      from = end
    }
  }
  return opened === null ? spans : [...spans, { start: opened.index, end: text.length }]
}

const onlyBetween = /^[\s,]*$/

/** Ranges with nothing but white space and commas between them are one. */
const joined = (text: string, spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const out: Array<Span> = []
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = out.at(-1)
    if (last === undefined || (span.start > last.end && !onlyBetween.test(text.slice(last.end, span.start)))) {
      out.push(span)
    } else if (span.end > last.end) out[out.length - 1] = { start: last.start, end: span.end }
  }
  return out
}

/**
 * Where a text is mem's own output, in order. On a line of its own it counts with what a tool wrote before that line.
 *
 * @since 0.1.0
 * @category recognising
 */
export const ownOutput = (text: string): ReadonlyArray<Span> => {
  const spans = [...betweenMarks(text), ...objectsIn(text, ownForm)]
  return joined(text, spans.map((span) => withGutter(text, span)))
}
