/**
 * Small files beside the log, over the log's own file operations: whole writes, and replacement in one step, so that a
 * crash leaves the old content or the new one and never a mixture.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { dirname, join } from "node:path"
import type { LogFile, LogFs } from "../../services/LogFs.ts"
import type { ConnectorName } from "../../src/domain/Ids.ts"
import type { LogFsError } from "../../src/domain/LogErrors.ts"
import { ManifestError } from "../../src/domain/StoreErrors.ts"
import { writeAll } from "../LogFs/WriteAll.ts"

/**
 * Where a connector's file stands.
 *
 * @since 0.1.0
 * @category paths
 */
export const connectorFile = (
  home: string,
  connector: ConnectorName,
  kind: "manifest" | "progress" | "failed"
): string => join(home, "log", "connectors", `${connector}.${kind}.jsonl`)

/**
 * The error that the stores' callers see. It names the file that was wanted, not the temporary one or the folder that
 * the operation met.
 *
 * @since 0.1.0
 * @category errors
 */
export const orManifestError =
  (path: string, operation: "read" | "write") =>
  <A, R>(self: Effect.Effect<A, LogFsError, R>): Effect.Effect<A, ManifestError, R> =>
    Effect.mapError(self, ({ cause, reason }) => new ManifestError({ path, operation, reason, cause }))

/**
 * What takes the place of something that is not there.
 *
 * @since 0.1.0
 * @category combinators
 */
export const ifNotFound =
  <B, R2>(missing: () => Effect.Effect<B, LogFsError, R2>) =>
  <A, R>(self: Effect.Effect<A, LogFsError, R>): Effect.Effect<A | B, LogFsError, R | R2> =>
    Effect.catchIf(self, ({ reason }) => reason === "NotFound", missing)

/**
 * A new file, with its folder where that is missing. The folder's own entry is made durable: the file would be lost
 * with it.
 *
 * @since 0.1.0
 * @category writing
 */
export const create = (fs: LogFs["Type"], path: string): Effect.Effect<LogFile, LogFsError, Scope.Scope> => {
  const folder = dirname(path)
  return fs.open(path, "create").pipe(
    ifNotFound(() =>
      Effect.all([fs.makeDir(folder), fs.syncDir(dirname(folder))]).pipe(
        Effect.zipRight(fs.open(path, "create"))
      )
    )
  )
}

/**
 * Replaces a file by the pieces, which are asked for one at a time. `aside`, where given, is where the file that was
 * there goes. It is uninterruptible: an interrupted write would go on behind the next one's back.
 *
 * @since 0.1.0
 * @category writing
 */
export const replace = (
  fs: LogFs["Type"],
  path: string,
  pieces: Iterable<Uint8Array>,
  aside?: string
): Effect.Effect<void, LogFsError> => {
  const temporary = `${path}.tmp`
  const forget = fs.unlink(temporary).pipe(ifNotFound(() => Effect.void))
  const write = Effect.scoped(Effect.gen(function*() {
    const file = yield* create(fs, temporary)
    let end = 0
    for (const piece of pieces) {
      yield* writeAll(file, temporary, end, piece)
      end += piece.length
      // Making the next piece takes its time, and a write may be over at once.
      yield* Effect.yieldNow()
    }
    yield* file.sync
  }))
  return Effect.gen(function*() {
    // A crash may have left one.
    yield* forget
    yield* write
    if (aside !== undefined) yield* fs.rename(path, aside).pipe(ifNotFound(() => Effect.void))
    yield* fs.rename(temporary, path)
    yield* fs.syncDir(dirname(path))
  }).pipe(
    Effect.tapError(() => Effect.ignore(forget)),
    Effect.uninterruptible
  )
}
