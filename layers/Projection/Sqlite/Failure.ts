/**
 * What SQLite throws, as a typed error: what happened, whether the file is at fault, and what to do.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import { advice, type FsReason } from "../../../src/domain/LogErrors.ts"
import { ProjectionError } from "../../../src/domain/StoreErrors.ts"
import { reasonOf } from "../../LogFs/Node.ts"

/**
 * Primary result codes. A plain error (1) and a broken constraint (19) are the file's fault too: every statement is
 * this program's own, so they fail only where a table is not what it was made as.
 */
const damage: ReadonlySet<number> = new Set([1, 11, 19, 20, 24, 26])

const reasons: ReadonlyMap<number, FsReason> = new Map<number, FsReason>([
  [3, "PermissionDenied"],
  [8, "PermissionDenied"],
  [10, "DeviceError"],
  [13, "NoSpace"],
  [14, "NotFound"],
  [23, "PermissionDenied"]
])

const busy = "another process is using it"

/** A journal that its writer did not live to play back, and a reader may not. */
const cutShort = 776

const wordsOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** The binding leaves the code out where a statement that gives rows fails; then SQLite's words have to do. */
const codesByWords: ReadonlyArray<readonly [words: string, code: number]> = [
  ["is locked", 5],
  ["readonly database", 8],
  ["disk I/O error", 10],
  ["disk is full", 13],
  ["unable to open", 14]
]

const extendedCodeOf = (cause: unknown): number | undefined => {
  if (Predicate.hasProperty(cause, "errcode") && Predicate.isNumber(cause.errcode)) return cause.errcode
  if (!Predicate.hasProperty(cause, "code") || cause.code !== "ERR_SQLITE_ERROR") return undefined
  return codesByWords.find(([words]) => wordsOf(cause).includes(words))?.[1] ?? 1
}

/**
 * @since 0.1.0
 * @category errors
 */
export const failure = (path: string, cause: unknown): ProjectionError => {
  if (cause instanceof ProjectionError) return cause
  // A value that was never written so.
  if (ParseResult.isParseError(cause)) {
    return new ProjectionError({ path, detail: wordsOf(cause), damaged: true, cause })
  }
  const extended = extendedCodeOf(cause)
  if (extended === cutShort) return new ProjectionError({ path, detail: "a write to it was cut short", damaged: true })
  const code = extended === undefined ? undefined : extended & 0xff
  if (code === 5 || code === 6) return new ProjectionError({ path, detail: busy, advice: "wait for it", cause })
  const reason = code === undefined ? reasonOf(cause) : reasons.get(code) ?? "Unknown"
  const damaged = code !== undefined && damage.has(code)
  return new ProjectionError({
    path,
    detail: wordsOf(cause),
    ...(damaged ? { damaged } : reason === "Unknown" ? {} : { advice: advice[reason] }),
    cause
  })
}

/**
 * Runs what may throw.
 *
 * @since 0.1.0
 * @category combinators
 */
export const attempt = <A>(path: string, body: () => A): Effect.Effect<A, ProjectionError> =>
  Effect.try({ try: body, catch: (cause) => failure(path, cause) })
