/**
 * The bytes of a file that was named on the command line, `-` being standard input.
 *
 * @since 0.1.0
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { createReadStream, fstatSync } from "node:fs"
import { RecordSourceError } from "../domain/ConnectorErrors.ts"

const reasons: ReadonlyMap<unknown, string> = new Map([
  ["ENOENT", "no such file"],
  ["EACCES", "permission denied"],
  ["EISDIR", "it is a folder"]
])

const unreadable = (source: string) => (cause: unknown): RecordSourceError => {
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  return new RecordSourceError({
    source,
    detail: reasons.get(code) ?? `it cannot be read (${cause instanceof Error ? cause.message : String(cause)})`,
    advice: "name files that you may read, or - for standard input",
    cause
  })
}

/** A folder as standard input reads as empty on some systems, which would look like a file without Records. */
const stdin = Effect.try(() => fstatSync(process.stdin.fd).isDirectory()).pipe(
  Effect.orElseSucceed(() => false),
  Effect.filterOrFail((isFolder) => !isFolder, () => unreadable("-")({ code: "EISDIR" })),
  Effect.as(NodeStream.fromReadable<RecordSourceError, Uint8Array>(() => process.stdin, unreadable("-"))),
  Stream.unwrap
)

/** A pipe that is always full would else be read and worked on without a pause, and signals would go unseen. */
const nextTurn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/**
 * The bytes, in the pieces that the system gives, from wherever they stand: a pipe or a terminal has no positions to
 * read at. Nothing is read before the stream runs.
 *
 * @since 0.1.0
 * @category constructors
 */
export const bytesOf = (file: string): Stream.Stream<Uint8Array, RecordSourceError> =>
  (file === "-"
    ? stdin
    : NodeStream.fromReadable<RecordSourceError, Uint8Array>(() => createReadStream(file), unreadable(file)))
    .pipe(Stream.tap(() => nextTurn))
