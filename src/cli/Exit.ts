/**
 * Exit codes, all in one place: 0 done, 1 failed, 2 usage or configuration (nothing was done), 3 partial (something
 * failed, the rest is stored), 4 refused by a guard, 5 another writer holds the lock, 6 log damaged, 10 drift found,
 * 130 and 143 interrupted.
 *
 * Failures of a document, refusals and drift are values of a report, and the code is a pure function of it.
 *
 * @since 0.1.0
 */
import * as ValidationError from "@effect/cli/ValidationError"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { DoctorReport } from "../domain/DoctorReport.ts"
import type { DriftReport } from "../domain/Drift.ts"
import type { SyncReport } from "../domain/SyncReport.ts"

const byTag: ReadonlyMap<string, number> = new Map([
  ["UsageError", 2],
  ["InvalidChunkPolicy", 2],
  ["ConnectorsFileError", 2],
  ["UnknownConnector", 2],
  ["NoConnectorsFile", 2],
  ["NoModel", 2],
  ["LogLocked", 5],
  ["LogDamaged", 6],
  ["ClosedPipe", 0]
])

const ofError = (error: unknown): number =>
  ValidationError.isValidationError(error)
    ? 2
    : Predicate.hasProperty(error, "_tag") && Predicate.isString(error._tag)
    ? byTag.get(error._tag) ?? 1
    : 1

/**
 * The exit code of a run that ended so, after that signal if there was one. A run that came to its end may say itself
 * what its code is.
 *
 * @since 0.1.0
 * @category exit codes
 */
export const exitCode = (exit: Exit.Exit<unknown, unknown>, signal: "SIGINT" | "SIGTERM" | undefined): number =>
  signal !== undefined
    ? signal === "SIGINT" ? 130 : 143
    : Exit.match(exit, {
      onSuccess: (code) => Predicate.isNumber(code) ? code : 0,
      onFailure: (cause) => Option.match(Cause.failureOption(cause), { onNone: () => 1, onSome: ofError })
    })

/** When several hold, the first of these wins. */
const worst = (codes: ReadonlyArray<number>): number => [6, 5, 2, 1, 3, 4, 10].find((code) => codes.includes(code)) ?? 0

/**
 * The exit code of a sync: a connector that failed is a partial success beside others that were synced, and a failure
 * alone; any failed document is partial; a refusal is told when nothing worse was.
 *
 * @since 0.1.0
 * @category exit codes
 */
export const ofSync = ({ connectors }: SyncReport): number => {
  const synced = connectors.some(({ status }) => status === "ok" || status === "partial")
  return worst(connectors.flatMap(({ failed, status }) => [
    status === "failed" ? synced ? 3 : 1 : status === "refused" ? 4 : status === "partial" ? 3 : 0,
    failed.length > 0 ? 3 : 0
  ]))
}

/**
 * The exit code of a drift: as that of the sync that it foretells. That there is any is told only where it is asked
 * for.
 *
 * @since 0.1.0
 * @category exit codes
 */
export const ofDrift = ({ connectors, drift }: DriftReport, asked: boolean): number => {
  const listed = connectors.some(({ status }) => status !== "failed")
  return worst([
    ...connectors.map(({ status }) => status === "failed" ? listed ? 3 : 1 : status === "refused" ? 4 : 0),
    asked && drift ? 10 : 0
  ])
}

/**
 * The exit code of a check: 6 where the log is damaged, 1 where there is anything else to do.
 *
 * @since 0.1.0
 * @category exit codes
 */
export const ofDoctor = ({ findings }: DoctorReport): number =>
  worst(findings.map(({ level }) => level === "damage" ? 6 : level === "problem" ? 1 : 0))
