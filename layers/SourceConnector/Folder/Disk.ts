/**
 * The file operations of the folder connector, which are those of Node: names as bytes, times in nanoseconds, files
 * opened without following a link. A reference, so that a test can count them, and let them fail where a real disk
 * would not.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import { type BigIntStats, constants, type Dirent, lstat, promises as fs } from "node:fs"
import { decode, type Name } from "./Names.ts"
import type { Stat } from "./Revision.ts"

/**
 * What the system refused, by its own code.
 *
 * @since 0.1.0
 * @category errors
 */
export class DiskError extends Data.TaggedError("DiskError")<{ readonly code: string; readonly cause: unknown }> {
  override get message(): string {
    return this.cause instanceof Error ? this.cause.message : this.code
  }
}

/**
 * What a folder holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly name: Name
  readonly kind: Stat["kind"]
}

/**
 * An open file.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenFile {
  readonly stat: Effect.Effect<Stat, DiskError>
  /** Where the file that was opened is in truth. */
  readonly realPath: Effect.Effect<Buffer, DiskError>
  /** The next bytes; 0 at the end. */
  readonly read: (into: Uint8Array) => Effect.Effect<number, DiskError>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface DiskOperations {
  /** Whether files without blocks are files whose content is elsewhere. */
  readonly evicts: boolean
  readonly entries: (folder: Name) => Effect.Effect<ReadonlyArray<Entry>, DiskError>
  /** Of the paths themselves, not of what a link leads to; in their order, all at the same time. */
  readonly stats: (paths: ReadonlyArray<Name>) => Effect.Effect<ReadonlyArray<Stat | DiskError>>
  /** Of what the path leads to. */
  readonly statFollowing: (path: Name) => Effect.Effect<Stat, DiskError>
  readonly realPath: (path: Name) => Effect.Effect<Buffer, DiskError>
  readonly checkReadable: (path: Name) => Effect.Effect<void, DiskError>
  /** Follows no link at the path's end. The file is closed however `use` ends, and nobody waits for a read that hangs. */
  readonly withFile: <A, E, R>(
    path: Name,
    use: (file: OpenFile) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | DiskError, R>
}

const errorOf = (cause: unknown): DiskError =>
  new DiskError({
    code: Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : "UNKNOWN",
    cause
  })

const call = <A>(run: () => Promise<A>): Effect.Effect<A, DiskError> => Effect.tryPromise({ try: run, catch: errorOf })

const kindOf = (entry: BigIntStats | Dirent<string> | Dirent<Buffer>): Stat["kind"] =>
  entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other"

const statOf = (stats: BigIntStats): Stat => ({
  kind: kindOf(stats),
  size: stats.size,
  mtimeNs: stats.mtimeNs,
  ctimeNs: stats.ctimeNs,
  ino: stats.ino,
  dev: stats.dev,
  blocks: stats.blocks
})

const realPath = (path: Name): Promise<Buffer> => fs.realpath(path, { encoding: "buffer" })

const missing = new DiskError({ code: "ENOENT", cause: new Error("the file was replaced while it was opened") })

/**
 * Linux knows the path of an open file, whatever has become of its folders. Elsewhere the path is looked up again, and
 * must still lead to that file.
 */
const realPathOf = (openFiles: string, handle: fs.FileHandle, path: Name): Effect.Effect<Buffer, DiskError> =>
  Effect.orElse(
    call(() => fs.readlink(`${openFiles}/${handle.fd}`, { encoding: "buffer" })),
    () =>
      Effect.filterOrFail(
        call(() => Promise.all([realPath(path), fs.lstat(path, { bigint: true }), handle.stat({ bigint: true })])),
        ([, there, open]) => there.ino === open.ino && there.dev === open.dev,
        () => missing
      ).pipe(Effect.map(([real]) => real))
  )

const fileOf = (openFiles: string, handle: fs.FileHandle, path: Name): OpenFile => ({
  stat: call(() => handle.stat({ bigint: true }).then(statOf)),
  realPath: realPathOf(openFiles, handle, path),
  read: (into) => call(() => handle.read(into, 0, into.length, null).then(({ bytesRead }) => bytesRead))
})

// Without O_NONBLOCK, opening a FIFO would wait for its other end for ever.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

// It was read and nothing else: a failure to close loses nothing.
const close = (handle: fs.FileHandle): Effect.Effect<void> => Effect.ignore(call(() => handle.close()))

const withFile = (openFiles: string): DiskOperations["withFile"] => (path, use) =>
  Effect.suspend(() => {
    const state: { left: boolean; handle: fs.FileHandle | undefined } = { left: false, handle: undefined }
    const open = call(async () => {
      const handle = await fs.open(path, flags)
      if (state.left) await handle.close()
      else state.handle = handle
      return handle
    })
    return Effect.flatMap(open, (handle) => use(fileOf(openFiles, handle, path))).pipe(
      Effect.onExit((exit) =>
        Effect.suspend(() => {
          state.left = true
          const { handle } = state
          if (handle === undefined) return Effect.void
          // A file is closed only when its last read has returned, which may be never: iCloud, a share that is gone.
          return Exit.isInterrupted(exit) ? Effect.asVoid(Effect.forkDaemon(close(handle))) : close(handle)
        })
      )
    )
  })

const namesOf = (entries: ReadonlyArray<Dirent<string> | Dirent<Buffer>>): ReadonlyArray<Entry> =>
  entries.map((entry) => ({ name: decode(entry.name), kind: kindOf(entry) }))

/** Text is what nearly all names are, and half the work; where it is not certain to be exact, the bytes are asked for. */
const entries: DiskOperations["entries"] = (folder) => {
  const bytes = call(() => fs.readdir(folder, { encoding: "buffer", withFileTypes: true }).then(namesOf))
  if (typeof folder !== "string") return bytes
  return call(() => fs.readdir(folder, { withFileTypes: true })).pipe(
    Effect.filterOrFail((found) => !found.some(({ name }) => name.includes("\ufffd"))),
    Effect.match({ onFailure: () => bytes, onSuccess: (found) => Effect.succeed(namesOf(found)) }),
    Effect.flatten
  )
}

/** By callbacks: a promise a file costs as much as its stat does. */
const stats: DiskOperations["stats"] = (paths) =>
  Effect.async((resume) => {
    const answers: Array<Stat | DiskError> = []
    let left = paths.length
    if (left === 0) return resume(Effect.succeed(answers))
    for (const [i, path] of paths.entries()) {
      lstat(path, { bigint: true }, (error, stats) => {
        answers[i] = error === null ? statOf(stats) : errorOf(error)
        left -= 1
        if (left === 0) resume(Effect.succeed(answers))
      })
    }
  })

/**
 * Those of this machine. `openFiles` is where the system keeps links to the files that the process has open; it need not
 * be there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (openFiles = "/proc/self/fd"): DiskOperations => ({
  evicts: process.platform === "darwin",
  entries,
  stats,
  statFollowing: (path) => call(() => fs.stat(path, { bigint: true }).then(statOf)),
  realPath: (path) => call(() => realPath(path)),
  checkReadable: (path) => call(() => fs.access(path, constants.R_OK)),
  withFile: withFile(openFiles)
})

/**
 * @since 0.1.0
 * @category references
 */
export class Disk extends Context.Reference<Disk>()("mem/FolderDisk", {
  defaultValue: (): DiskOperations => make()
}) {}
