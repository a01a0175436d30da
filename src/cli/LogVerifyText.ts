/**
 * What `mem log verify` has found, in words for a person. Pure.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import type { LogFault, LogVerifyReport } from "../domain/LogVerifyReport.ts"
import { nameOf } from "../log/SegmentFile.ts"
import { number, plural } from "../text/Amounts.ts"
import { printable } from "./Printable.ts"

const place = ({ length, offset, segment }: LogFault): string =>
  `${nameOf(segment)} at byte ${number(offset)}${length === 0 ? "" : `, ${plural(length, "byte")}`}`

const lost = ({ first_seq, last_seq }: LogFault): ReadonlyArray<string> =>
  first_seq === undefined || last_seq === undefined
    ? []
    : [first_seq === last_seq ? `  lost: line ${first_seq}` : `  lost: lines ${first_seq} to ${last_seq}`]

const fault = (found: LogFault): ReadonlyArray<string> => [
  `${place(found)}: ${found.kind}`,
  `  ${printable(found.detail)}`,
  ...lost(found)
]

/**
 * The lines of a report: each fault with its place and what is lost by it, then what was read.
 *
 * @since 0.1.0
 * @category formatting
 */
export const lines = ({ bytes, faults, more_faults, records, segments }: LogVerifyReport): ReadonlyArray<string> => {
  const size = `${plural(segments, "segment")}, ${plural(bytes, "byte")}`
  return [
    ...faults.flatMap(fault),
    ...more_faults === 0 ? [] : [`and ${plural(more_faults, "fault")} more`],
    faults.length === 0
      ? `${plural(records, "record")} in ${size}: all checksums are right`
      : `${plural(records, "record")} could be read in ${size}: ${plural(faults.length + more_faults, "fault")}`
  ]
}

/**
 * What to do about the worst of the faults, if there is any.
 *
 * @since 0.1.0
 * @category formatting
 */
export const advice = ({ damaged, faults }: LogVerifyReport): Option.Option<string> => {
  if (damaged) {
    return Option.some("the log is damaged; run \"mem doctor --repair\" to keep all that is still good")
  }
  if (faults.some(({ kind }) => kind === "unreadable")) {
    return Option.some("a part of the log cannot be read; check the disk and the permissions, and verify it again")
  }
  return faults.length === 0 ? Option.none() : Option.some(
    "the log has lines that this version does not know; install the version of mem that wrote them, or a newer one"
  )
}
