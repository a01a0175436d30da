/**
 * Knows mem's own output again where an agent has read it into its transcript: what a search printed is a copy of what
 * is archived, and evidence of nothing. Pure.
 *
 * Text for people is put between two marks where it does not go to a terminal. What `--json` and the dumps print keeps its
 * shape and carries no mark: it is known by that shape.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { hash } from "node:crypto"
import { linesOf } from "../text/Lines.ts"

/**
 * A half-open range of a text, in UTF-16 units.
 *
 * @since 0.1.0
 * @category models
 */
export interface Span {
  readonly start: number
  readonly end: number
}

const closing = "</mem-artifact>"

const opening = /<mem-artifact [a-z]+="[^"<>\n]{0,200}"[^<>\n]{0,400}>/g

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

/** What was cut off behind its opening mark is meant to the end. */
const betweenMarks = (text: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  opening.lastIndex = 0
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const close = text.indexOf(closing, opening.lastIndex)
    const end = close < 0 ? text.length : close + closing.length
    spans.push({ start: found.index, end })
    opening.lastIndex = end
  }
  return spans
}

const commands: ReadonlySet<unknown> = new Set([
  "sync",
  "drift",
  "status",
  "ref list",
  "ref sync",
  "ref rm",
  "ref add",
  "search",
  "get",
  "memory",
  "ask",
  "blame",
  "rebuild",
  "chunk",
  "log verify",
  "doctor"
])

const parsed = (text: string): unknown => Either.getOrUndefined(Either.try((): unknown => JSON.parse(text)))

const isReport = (text: string): boolean => {
  if (!text.includes("\"command\"") || !/^\s*\{/.test(text)) return false
  const json = parsed(text)
  return Predicate.isRecord(json) && commands.has(json["command"]) && Predicate.isBoolean(json["ok"])
}

/** As `mem dump` and `mem log cat` begin their lines. */
const beginnings = [
  "{\"kind\":\"reference\",\"level\":\"R\",",
  "{\"kind\":\"record\",\"connector\":",
  "{\"kind\":\"memory\",\"level\":\"L",
  "{\"v\":1,\"seq\":"
]

const dumpedLines = (text: string): ReadonlyArray<Span> => {
  if (!beginnings.some((beginning) => text.includes(beginning))) return []
  const spans: Array<Span> = []
  let at = 0
  for (const line of linesOf(text)) {
    const end = at + line.length
    if (beginnings.some((beginning) => line.startsWith(beginning))) spans.push({ start: at, end })
    at = end
  }
  return spans
}

/**
 * Where a text is mem's own output, in any order; the ranges may meet.
 *
 * @since 0.1.0
 * @category recognising
 */
export const ownOutput = (text: string): ReadonlyArray<Span> =>
  isReport(text) ? [{ start: 0, end: text.length }] : [...betweenMarks(text), ...dumpedLines(text)]
