/**
 * The log against itself: every line, and every segment as a whole.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { LogReader } from "../../../services/LogReader.ts"
import type { Finding } from "../../domain/DoctorReport.ts"
import type { LogFault, LogVerifyReport } from "../../domain/LogVerifyReport.ts"
import type { Live } from "../../log/Live.ts"
import { verify } from "../../log/verify.ts"
import { plural } from "../../text/Amounts.ts"
import { known, unmarked } from "../MarkLost.ts"
import { about, few, repair } from "./About.ts"

/**
 * What was found, and the log's state where all of it is good.
 *
 * @since 0.1.0
 * @category models
 */
export interface CheckedLog {
  readonly findings: ReadonlyArray<Finding>
  readonly live: Option.Option<Live>
}

const ofLog = about("log")

/** Faults that are told of; `mem log verify` names all of them. */
const mostFaults = 3

const advice =
  `${repair}: it keeps all that is still good, a copy of what is damaged, and says what is lost. Until then nothing is `
  + "written; what stands before that place can be read and searched"

const ofFault = ({ detail, kind, offset, path }: LogFault): Finding =>
  kind === "unreadable" || kind === "too-new"
    ? ofLog("problem", `${path} at byte ${offset}: ${detail}`)
    : ofLog("damage", `${path} is damaged at byte ${offset}: ${detail}`, advice)

const faults = ({ faults, more_faults }: LogVerifyReport): ReadonlyArray<Finding> => {
  const rest = faults.length - mostFaults + more_faults
  return [
    ...faults.slice(0, mostFaults).map(ofFault),
    ...(rest > 0
      ? [ofLog("damage", `there are ${plural(rest, "fault")} more`, "run \"mem log verify\" to see them")]
      : [])
  ]
}

/**
 * Every line of the log, from first to last, and each segment as a whole.
 *
 * @since 0.1.0
 * @category checks
 */
export const checkLog: Effect.Effect<CheckedLog, never, LogReader> = Effect.gen(function*() {
  const report = yield* verify
  if (!report.ok) return { live: Option.none(), findings: faults(report) }
  const { records, segments, torn } = report
  const log = yield* known
  const lost = unmarked(log).map(({ doc_id }) => doc_id).sort()
  return {
    live: Option.some(log.live),
    findings: [
      ofLog("ok", `${plural(records, "record")} in ${plural(segments, "segment")}, all checksums are right`),
      ...(torn > 0
        ? [ofLog("note", `it ends in ${torn} bytes of a write that was never finished; the next sync moves them aside`)]
        : []),
      ...(lost.length > 0
        ? [ofLog(
          "problem",
          `${plural(lost.length, "document")} rest${lost.length === 1 ? "s" : ""} on lines that are lost: ${few(lost)}`,
          repair
        )]
        : [])
    ]
  }
}).pipe(
  Effect.catchAll(({ message }) => Effect.succeed({ live: Option.none<Live>(), findings: [ofLog("problem", message)] }))
)
