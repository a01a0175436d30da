/**
 * The log's file operations on a real disk. Each is uninterruptible: the system would finish it anyway, so an
 * interrupted fiber waits for it, and no file grows behind its back.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { constants, promises as fs } from "node:fs"
import { type LogFile, LogFs } from "../../services/LogFs.ts"
import type { FsReason, LogFsError } from "../../src/domain/LogErrors.ts"
import { failure, type Operation } from "./Operation.ts"

const reasons: ReadonlyMap<unknown, FsReason> = new Map<unknown, FsReason>([
  ["ENOSPC", "NoSpace"],
  ["EDQUOT", "Quota"],
  ["EFBIG", "FileTooLarge"],
  ["EIO", "DeviceError"],
  ["EROFS", "ReadOnly"],
  ["EACCES", "PermissionDenied"],
  ["EPERM", "PermissionDenied"],
  ["EMFILE", "TooManyOpenFiles"],
  ["ENFILE", "TooManyOpenFiles"],
  ["ENOENT", "NotFound"],
  ["EEXIST", "AlreadyExists"]
])

/**
 * What an error code of the system means to the log.
 *
 * @since 0.1.0
 * @category errors
 */
export const reasonOf = (cause: unknown): FsReason =>
  (Predicate.hasProperty(cause, "code") ? reasons.get(cause.code) : undefined) ?? "Unknown"

const call = <A>(operation: Operation, path: string, run: () => Promise<A>): Effect.Effect<A, LogFsError> =>
  Effect.uninterruptible(Effect.tryPromise({
    try: run,
    catch: (cause) => failure(operation, path, reasonOf(cause), cause)
  }))

// Without O_NONBLOCK, opening a FIFO would wait for its other end for ever.
const always = constants.O_NOFOLLOW | constants.O_NONBLOCK

const flags = {
  read: constants.O_RDONLY | always,
  write: constants.O_RDWR | always,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | always
} as const

const readFully = async (handle: fs.FileHandle, offset: number, length: number): Promise<Uint8Array> => {
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

const fileOf = (handle: fs.FileHandle, path: string): LogFile => ({
  size: call("size", path, () => handle.stat().then(({ size }) => size)),
  read: (offset, length) => call("read", path, () => readFully(handle, offset, length)),
  write: (offset, bytes) =>
    call("write", path, () => handle.write(bytes, 0, bytes.length, offset).then(({ bytesWritten }) => bytesWritten)),
  truncate: (size) => call("truncate", path, () => handle.truncate(size)),
  datasync: call("datasync", path, () => handle.datasync()),
  sync: call("sync", path, () => handle.sync())
})

const close = (handle: fs.FileHandle): Effect.Effect<void> =>
  // What was synced is on disk, and of the rest nobody was told anything: a failure to close changes nothing.
  Effect.ignoreLogged(Effect.uninterruptible(Effect.tryPromise(() => handle.close())))

const regular = (handle: fs.FileHandle, path: string): Effect.Effect<void, LogFsError> =>
  Effect.filterOrFail(
    call("open", path, () => handle.stat()),
    (stats) => stats.isFile(),
    () => failure("open", path, "Unknown", "not a regular file")
  )

const syncFolder = async (dir: string): Promise<void> => {
  const handle = await fs.open(dir, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: LogFs["Type"] = LogFs.of({
  open: (path, mode) =>
    Effect.acquireRelease(
      call(mode === "create" ? "create" : "open", path, () => fs.open(path, flags[mode], 0o600)).pipe(
        Effect.tap((handle) => Effect.onError(regular(handle, path), () => close(handle)))
      ),
      close
    ).pipe(Effect.map((handle) => fileOf(handle, path))),
  list: (dir) => call("list", dir, () => fs.readdir(dir).then((names) => names.sort())),
  makeDir: (dir) => call("makeDir", dir, () => fs.mkdir(dir, { recursive: true, mode: 0o700 })),
  rename: (from, to) => call("rename", from, () => fs.rename(from, to)),
  unlink: (path) => call("unlink", path, () => fs.unlink(path)),
  syncDir: (dir) => call("syncDir", dir, () => syncFolder(dir)),
  writable: (dir) => call("writable", dir, () => fs.access(dir, constants.W_OK | constants.X_OK)),
  free: (path) => call("free", path, () => fs.statfs(path).then(({ bavail, bsize }) => bavail * bsize))
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<LogFs> = Layer.succeed(LogFs, make)
