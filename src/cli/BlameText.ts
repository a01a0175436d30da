/**
 * Where a sentence comes from, for a person: the memories that say it, then each evidence down to the transcript. Pure.
 *
 * @since 0.1.0
 */
import type { BlamedEvidence, BlamedMemory, BlameReport } from "../domain/BlameReport.ts"
import { withWord } from "../domain/Level.ts"
import { number } from "../text/Amounts.ts"
import { linesOf, withoutEnd } from "../text/Lines.ts"
import { printable } from "./Printable.ts"
import { speaker } from "./SpeakerText.ts"
import { broken, wrapped } from "./Words.ts"

const states = {
  live: [],
  stale: ["  stale: what it rests on has changed since"],
  retired: ["  retired: it was replaced, or its ground is gone"]
} as const

type Numbers = ReadonlyMap<string, number>

const memory = (numbers: Numbers) => (entry: BlamedMemory): ReadonlyArray<string> => {
  const { connector, id, level, parts, profile, session_key, state } = entry
  const whose = connector === undefined ? [] : [`${connector}:${printable(session_key ?? "")}`]
  return [
    `${withWord(level)}: ${[...whose, `profile ${printable(profile)}`].join(", ")}`,
    `  ${printable(id)}`,
    ...states[state],
    ...parts.flatMap(({ evidence, ids, text }) => [
      ...wrapped("  ", text, "  "),
      ...(level === "L2" ? broken("    through ", ids.map(printable).join(" ")) : []),
      ...broken("    rests on ", evidence.map((id) => `[${numbers.get(id) ?? ""}]`).join(" ") || "nothing")
    ]),
    ""
  ]
}

const words = (text: string): ReadonlyArray<string> =>
  linesOf(text).map((line) => `  | ${withoutEnd(line).split("\t").map(printable).join("\t")}`.trimEnd())

const evidence = (found: BlamedEvidence, i: number): ReadonlyArray<string> => {
  const { connector, holds, id, profile, record, record_key, span: [start, end], span_sha256, state, t, text } = found
  const head = [
    `[${i + 1}] ${withWord("L0")}: ${printable(id)}`,
    ...states[state],
    `  accepted in step ${number(t)} of ${connector}:${printable(found.session_key)}, profile ${printable(profile)}`
  ]
  if (record === undefined) {
    return [...head, ...wrapped("  ", `its Record ${record_key} was taken out or superseded`, "  ")]
  }
  const { doc_id, number: nth, origin } = record
  return [
    ...head,
    `  ${connector}:${printable(doc_id)}:${nth}  (${
      speaker({ ...record, derived: false })
    }), characters ${start} to ${end}`,
    ...(origin === undefined ? ["  its source names no file"] : [
      `  ${printable(origin.path)}, bytes ${origin.byte_offset} to ${origin.byte_offset + origin.byte_length}`,
      `  line sha256 ${origin.line_sha256}`
    ]),
    `  span sha256 ${span_sha256}: ${holds ? "holds" : "DOES NOT HOLD: the archive has other words there now"}`,
    ...words(text ?? "")
  ]
}

/**
 * Memories refer to their evidence by its number here.
 *
 * @since 0.1.0
 * @category formatting
 */
export const lines = (report: BlameReport): ReadonlyArray<string> => {
  const numbers = new Map(report.evidence.map(({ id }, i) => [String(id), i + 1]))
  return [
    ...report.memories.flatMap(memory(numbers)),
    ...report.evidence.flatMap((found, i) => [...(i === 0 ? [] : [""]), ...evidence(found, i)])
  ]
}
