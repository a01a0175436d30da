/**
 * Exit codes, all in one place: 0 done, 1 failed, 2 usage or configuration (nothing was done), 5 another writer holds
 * the lock, 6 log damaged, 130 and 143 interrupted.
 *
 * @since 0.1.0
 */
import * as ValidationError from "@effect/cli/ValidationError"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

const byTag: ReadonlyMap<string, number> = new Map([
  ["UsageError", 2],
  ["InvalidChunkPolicy", 2],
  ["ConnectorsFileError", 2],
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
 * The exit code of a run that ended so, after that signal if there was one.
 *
 * @since 0.1.0
 * @category exit codes
 */
export const exitCode = (exit: Exit.Exit<unknown, unknown>, signal: "SIGINT" | "SIGTERM" | undefined): number =>
  signal !== undefined
    ? signal === "SIGINT" ? 130 : 143
    : Exit.match(exit, {
      onSuccess: () => 0,
      onFailure: (cause) => Option.match(Cause.failureOption(cause), { onNone: () => 1, onSome: ofError })
    })
