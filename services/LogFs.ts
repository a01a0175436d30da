/**
 * The file operations that the log's promises rest on, as small as they can be named. The log's code asks for nothing
 * else, so a layer that loses power at any operation tests all of it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LogFsError } from "../src/domain/LogErrors.ts"

/**
 * An open file. Offsets and lengths are in bytes.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogFile {
  readonly size: Effect.Effect<number, LogFsError>
  /** Up to `length` bytes from `offset`; fewer at the end of the file, none behind it. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, LogFsError>
  /** How many of the bytes were written, which may be fewer than were given. */
  readonly write: (offset: number, bytes: Uint8Array) => Effect.Effect<number, LogFsError>
  readonly truncate: (size: number) => Effect.Effect<void, LogFsError>
  /** The bytes are on disk when this returns (fdatasync). After a failure they may be anywhere: it is not tried again. */
  readonly datasync: Effect.Effect<void, LogFsError>
  /** As `datasync`, with the file's own metadata (fsync). */
  readonly sync: Effect.Effect<void, LogFsError>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class LogFs extends Context.Tag("mem/LogFs")<LogFs, {
  /**
   * `read`: must exist, cannot be written. `write`: must exist. `create`: must not exist, mode 0600. A symlink is never
   * followed.
   */
  readonly open: (path: string, mode: "read" | "write" | "create") => Effect.Effect<LogFile, LogFsError, Scope.Scope>
  /** Names in a folder, sorted; a folder that is not there is a `NotFound`. */
  readonly list: (dir: string) => Effect.Effect<ReadonlyArray<string>, LogFsError>
  /** Makes the folder (mode 0700) and those above it; one that is there is no error. */
  readonly makeDir: (dir: string) => Effect.Effect<void, LogFsError>
  readonly rename: (from: string, to: string) => Effect.Effect<void, LogFsError>
  readonly unlink: (path: string) => Effect.Effect<void, LogFsError>
  /** The folder's entries are on disk when this returns. */
  readonly syncDir: (dir: string) => Effect.Effect<void, LogFsError>
  /** Fails where this process may not make, change or remove files in that folder. It changes nothing to find out. */
  readonly writable: (dir: string) => Effect.Effect<void, LogFsError>
  /** Bytes free for this process on the file system that holds the path. */
  readonly free: (path: string) => Effect.Effect<number, LogFsError>
}>() {}
