/**
 * Lines of a document for a person: numbered, with those that were asked for marked. Pure.
 *
 * @since 0.1.0
 */
import type { GetReport, GetSessionReport } from "../domain/GetReport.ts"
import type { Record } from "../domain/Record.ts"
import { linesOf, withoutEnd } from "../text/Lines.ts"
import { printable } from "./Printable.ts"
import { speaker } from "./SpeakerText.ts"

/** A tab moves to the right and nowhere else. */
const shown = (line: string): string => withoutEnd(line).split("\t").map(printable).join("\t")

/**
 * The text as it is, with nothing in it that acts on a terminal.
 *
 * @since 0.1.0
 * @category formatting
 */
export const plain = ({ text }: GetReport): ReadonlyArray<string> => text === "" ? [] : linesOf(text).map(shown)

/**
 * The lines under a head that says where they stand.
 *
 * @since 0.1.0
 * @category formatting
 */
export const numbered = (report: GetReport): ReadonlyArray<string> => {
  const { after, before, connector, doc_id, heading_path, lines: [first, last], of, text } = report
  const above = before === "" ? [] : linesOf(before)
  const below = after === "" ? [] : linesOf(after)
  const digits = String(last + below.length).length
  const row = (mark: string, from: number) => (line: string, i: number): string =>
    `${mark} ${String(from + i).padStart(digits)}  ${shown(line)}`.trimEnd()
  return [
    `${connector}:${printable(doc_id)}, ${first === last ? `line ${first}` : `lines ${first} to ${last}`} of ${of}`,
    ...(heading_path.length === 0 ? [] : [heading_path.map(printable).join(" > ")]),
    "",
    ...above.map(row(" ", first - above.length)),
    ...linesOf(text).map(row(">", first)),
    ...below.map(row(" ", last + 1))
  ]
}

const saidOf = ({ derived, kind, ...record }: Record) => ({
  ...record,
  block: kind,
  derived: derived === false ? derived : derived.by
})

/**
 * Records of a session, each under a head with its number; those that were asked for are marked.
 *
 * @since 0.1.0
 * @category formatting
 */
export const session = (report: GetSessionReport): ReadonlyArray<string> => {
  const { after, before, connector, doc_id, lines: [first, last], of, records } = report
  const block = (mark: string, from: number) => (record: Record, i: number): ReadonlyArray<string> => [
    "",
    `${mark} ${from + i}  ${speaker(saidOf(record))}`,
    ...linesOf(record.text).map((line) => `  ${shown(line)}`.trimEnd())
  ]
  return [
    `${connector}:${printable(doc_id)}, ${first === last ? `Record ${first}` : `Records ${first} to ${last}`} of ${of}`,
    ...before.flatMap(block(" ", first - before.length)),
    ...records.flatMap(block(">", first)),
    ...after.flatMap(block(" ", last + 1))
  ]
}
