/**
 * What a check found, for a person: what is well in a line each, what is not with what to do. Pure.
 *
 * @since 0.1.0
 */
import type { DoctorReport, Finding } from "../domain/DoctorReport.ts"
import { plural } from "../text/Amounts.ts"
import { wrapped } from "./Words.ts"

const marks: Readonly<Record<Finding["level"], string>> = {
  ok: "ok      ",
  note: "note    ",
  problem: "PROBLEM ",
  damage: "DAMAGE  "
}

const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const block = ({ advice, check, level, message, subject }: Finding): ReadonlyArray<string> => {
  const head = marks[level]
  const what = subject === undefined ? check : `${check} of ${subject}`
  return [
    ...wrapped(head, `${what}: ${message}`),
    ...(advice === undefined ? [] : wrapped(" ".repeat(head.length), asSentence(advice)))
  ]
}

const summary = (findings: ReadonlyArray<Finding>): string => {
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length
  const problems = count("problem")
  return count("damage") > 0
    ? "the log is damaged; writing to it is refused"
    : problems > 0
    ? plural(problems, "problem")
    : "all is well"
}

/**
 * @since 0.1.0
 * @category formatting
 */
export const lines = ({ findings, repaired }: DoctorReport): ReadonlyArray<string> => [
  ...(repaired ?? []).flatMap((sentence) => wrapped("mended  ", sentence)),
  ...findings.flatMap(block),
  summary(findings)
]
