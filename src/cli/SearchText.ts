/**
 * Hits for a person: score, place, headings, and the text with what matches marked. Pure.
 *
 * @since 0.1.0
 */
import { afterFrontMatter } from "../chunk/FrontMatter.ts"
import { lineStarts } from "../chunk/TextLines.ts"
import { withWord } from "../domain/Level.ts"
import type { Hit, MemoryHit, RecordHit, SearchHit, SearchReport } from "../domain/SearchReport.ts"
import { mediaTypeOf } from "../text/MediaType.ts"
import { printable } from "./Printable.ts"
import { speaker } from "./SpeakerText.ts"
import { broken } from "./Words.ts"

/**
 * Half-open ranges of a text, in UTF-16 units, ascending and disjoint.
 *
 * @since 0.1.0
 * @category models
 */
export type Ranges = ReadonlyArray<readonly [start: number, end: number]>

/**
 * How a match is shown: what stands before it, and behind.
 *
 * @since 0.1.0
 * @category models
 */
export type Marks = readonly [before: string, after: string]

/**
 * Bold where there may be colours.
 *
 * @since 0.1.0
 * @category constants
 */
export const coloured: Marks = ["\u001b[1m", "\u001b[22m"]

/**
 * @since 0.1.0
 * @category constants
 */
export const uncoloured: Marks = ["«", "»"]

/** Lines of a hit's text that are shown. */
const most = 6

/** No character of a text that was made printable; one unit each, whatever stands for them in the end. */
const opens = "\u0001"
const closes = "\u0002"

/** A line of the text, printable, with its matches between the two marks. */
const marked = (text: string, start: number, end: number, matches: Ranges): string => {
  let at = start
  let line = ""
  for (const [from, to] of matches) {
    const [first, last] = [Math.max(from, at), Math.min(to, end)]
    if (first >= last) continue
    line += `${printable(text.slice(at, first))}${opens}${printable(text.slice(first, last))}${closes}`
    at = last
  }
  return line + printable(text.slice(at, end))
}

const isInk = (line: string): boolean => line.trim() !== ""

/** The text from its first matching line on, as far as it is shown. */
const excerpt = (text: string, matches: Ranges): ReadonlyArray<string> => {
  const starts = lineStarts(text)
  const lines = starts.flatMap((start, i) => {
    const end = starts[i + 1] ?? text.length
    const ended = text.slice(start, end).replace(/[\r\n]+$/, "").length + start
    // What a tab lines up is not lined up in here anyway.
    return broken("  ", marked(text, start, ended, matches).replaceAll("\\u0009", " "), "  ")
  }).filter(isInk)
  const first = lines.findIndex((line) => line.includes(opens))
  const from = first < 0 || lines.length <= most ? 0 : Math.min(Math.max(0, first - 1), lines.length - most)
  const shown = lines.slice(from, from + most)
  return [
    ...(from > 0 ? ["  …"] : []),
    ...shown,
    ...(from + shown.length < lines.length ? ["  …"] : [])
  ]
}

/** A note's front matter says little to a reader, unless it is all there is or all that matches. */
const withoutFrontMatter = ({ doc_id, lines: [first], text }: SearchHit, matches: Ranges): string => {
  if (first !== 1 || mediaTypeOf(doc_id) !== "text/markdown") return text
  const behind = afterFrontMatter(text)
  const body = text.slice(behind)
  const isAllThatMatches = matches.length > 0 && matches.every(([start]) => start < behind)
  return isAllThatMatches || !isInk(body) ? text : body
}

const placeOf = (
  { connector, doc_id, lines: [first, last] }: Pick<SearchHit, "connector" | "doc_id" | "lines">
): string => `${connector}:${printable(doc_id)}:${first === last ? first : `${first}-${last}`}`

const block = (hit: SearchHit, matchesOf: (text: string) => Ranges): ReadonlyArray<string> => {
  const text = withoutFrontMatter(hit, matchesOf(hit.text))
  return [
    `${hit.score.toFixed(3)}  ${placeOf(hit)}  (${withWord(hit.level)})`,
    ...(hit.stale ? ["  its source has changed or gone since the last sync"] : []),
    ...(hit.heading_path.length === 0 ? [] : broken("  ", hit.heading_path.map(printable).join(" > "), "  ")),
    ...excerpt(text, matchesOf(text))
  ]
}

/** Where it was said, or whose memory it is; and by which id "mem blame" follows it. */
const memoryBlock = (hit: MemoryHit, matchesOf: (text: string) => Ranges): ReadonlyArray<string> => {
  const { connector, doc_id, id, level, lines, profile, score, session_key, stale, text } = hit
  const where = connector === undefined
    ? "over all sessions"
    : doc_id === undefined || lines === undefined
    ? `session ${printable(`${session_key}`)} of ${connector}`
    : placeOf({ connector, doc_id, lines })
  return [
    `${score.toFixed(3)}  ${where}  (${withWord(level)})`,
    ...broken("  ", `${printable(id)}, profile ${printable(profile)}`, "  "),
    ...(stale ? ["  stale: what it rests on has changed or gone; the next sync reads it again"] : []),
    ...excerpt(text, matchesOf(text))
  ]
}

const hitBlock = (hit: Hit, matchesOf: (text: string) => Ranges): ReadonlyArray<string> =>
  hit.level === "R" ? block(hit, matchesOf) : memoryBlock(hit, matchesOf)

const recordBlock = (hit: RecordHit, matchesOf: (text: string) => Ranges): ReadonlyArray<string> => [
  `${hit.score.toFixed(3)}  ${placeOf(hit)}  (session: ${speaker(hit)})`,
  ...(hit.project === undefined ? [] : broken("  ", printable(hit.project), "  ")),
  ...excerpt(hit.text, matchesOf(hit.text))
]

/**
 * The hits, best first; Records of sessions behind documents and memory. `matchesOf` tells what of a text to mark.
 *
 * @since 0.1.0
 * @category formatting
 */
export const lines = (
  { hint, hits, query, records = [] }: SearchReport,
  matchesOf: (text: string) => Ranges,
  [before, after]: Marks
): ReadonlyArray<string> =>
  hits.length + records.length === 0
    ? broken("", `nothing was found for "${printable(query)}"${hint === undefined ? "" : `: ${printable(hint)}`}`)
    : [
      ...hits.map((hit) => hitBlock(hit, matchesOf)),
      // Their scores are of another scale.
      ...(hits.length === 0 || records.length === 0 ? [] : [["in sessions, by words:"]]),
      ...records.map((hit) => recordBlock(hit, matchesOf))
    ].flatMap((
      lines,
      i
    ) => [...(i === 0 ? [] : [""]), ...lines]).map((line) => line.replaceAll(opens, before).replaceAll(closes, after))
