/**
 * The files of transcripts, opened for reading: regular files only, by no link. A reference, so that a test can count
 * the bytes.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { constants, promises as fs } from "node:fs"
import { RecordSourceError } from "../../../src/domain/ConnectorErrors.ts"

/**
 * What the system refused, by its own code; `OTHER` is what is no regular file.
 *
 * @since 0.1.0
 * @category errors
 */
export class FileError extends Data.TaggedError("FileError")<{ readonly code: string; readonly cause?: unknown }> {
  override get message(): string {
    return this.cause instanceof Error ? this.cause.message : this.code
  }
}

/**
 * An open file. `size` is what it was when it was opened; whatever is written behind that is for the next reading.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenFile {
  readonly size: number
  /** Bytes from this place on, fewer than asked for where the file ends. */
  readonly read: (position: number, length: number) => Effect.Effect<Uint8Array, FileError>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface FileOperations {
  readonly open: (path: string) => Effect.Effect<OpenFile, FileError, Scope.Scope>
  readonly realPath: (path: string) => Effect.Effect<string, FileError>
}

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : "UNKNOWN"

const call = <A>(run: () => Promise<A>): Effect.Effect<A, FileError> =>
  Effect.tryPromise({ try: run, catch: (cause) => new FileError({ code: codeOf(cause), cause }) })

// Without O_NONBLOCK, opening what has become a FIFO would wait for its other end for ever.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const other = new FileError({ code: "OTHER" })

const readAt = (handle: fs.FileHandle) => (position: number, length: number): Effect.Effect<Uint8Array, FileError> =>
  call(async () => {
    const bytes = new Uint8Array(length)
    const { bytesRead } = await handle.read(bytes, 0, length, position)
    return bytes.subarray(0, bytesRead)
  })

/**
 * Those of this machine.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: FileOperations = {
  open: (path) =>
    Effect.gen(function*() {
      // Opening a device can do something, so that is asked before.
      yield* Effect.filterOrFail(call(() => fs.lstat(path)), (stat) => stat.isFile(), () => other)
      const handle = yield* Effect.acquireRelease(
        call(() => fs.open(path, flags)),
        (handle) => Effect.ignore(call(() => handle.close()))
      )
      const stat = yield* Effect.filterOrFail(call(() => handle.stat()), (stat) => stat.isFile(), () => other)
      return { size: stat.size, read: readAt(handle) }
    }),
  realPath: (path) => call(() => fs.realpath(path))
}

/**
 * @since 0.1.0
 * @category references
 */
export class Files extends Context.Reference<Files>()("mem/TranscriptFiles", {
  defaultValue: (): FileOperations => make
}) {}

const details: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "it is no longer there"],
  ["ENOTDIR", "it is no longer there"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["ELOOP", "a symbolic link"],
  ["OTHER", "not a regular file"]
])

/**
 * The failure of a reading, for whoever asked for Records.
 *
 * @since 0.1.0
 * @category errors
 */
export const unreadable = (source: string) => (error: FileError): RecordSourceError =>
  new RecordSourceError({
    source,
    detail: details.get(error.code) ?? `it cannot be read (${error.message})`,
    advice: "what was stored of it stays; the next sync tries it again",
    cause: error
  })
