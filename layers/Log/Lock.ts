/**
 * One writer. `log/LOCK` is created exclusively and names its holder; it is taken over only where that process of this
 * very host is known to be gone, never because it is old, never from another host.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import type { LogFs } from "../../services/LogFs.ts"
import { type LogFsError, LogLocked } from "../../src/domain/LogErrors.ts"
import { writeAll } from "../LogFs/WriteAll.ts"
import { pathsOf } from "./Paths.ts"
import { type Processes, ProcessIdentity } from "./Processes.ts"

class LockFile extends Schema.Class<LockFile>("mem/LockFile")({
  ...ProcessIdentity.fields,
  nonce: Schema.String,
  started_at: Schema.String
}) {}

const json = Schema.parseJson(LockFile)
const encode = Schema.encodeSync(json)
const decode = Schema.decodeEither(json)

const mostBytes = 64 * 1024
const attempts = 5

/** A holder that has created the file but not written it yet gets this long to do so. */
const pause = "20 millis"

const text = (fs: LogFs["Type"], path: string): Effect.Effect<string, LogFsError> =>
  Effect.scoped(Effect.gen(function*() {
    const file = yield* fs.open(path, "read")
    return new TextDecoder().decode(yield* file.read(0, mostBytes))
  }))

const write = (fs: LogFs["Type"], home: string, content: string): Effect.Effect<void, LogFsError> =>
  Effect.scoped(Effect.gen(function*() {
    const { lock, log } = pathsOf(home)
    const file = yield* fs.open(lock, "create")
    yield* writeAll(file, lock, 0, new TextEncoder().encode(content))
    yield* file.sync
    yield* fs.syncDir(log)
  }))

const isReason = (reason: LogFsError["reason"]) => (error: LogFsError): boolean => error.reason === reason

/**
 * Takes the lock, or fails with who holds it. It is released with the scope.
 *
 * @since 0.1.0
 * @category locking
 */
export const acquire = (
  fs: LogFs["Type"],
  home: string,
  processes: Processes
): Effect.Effect<void, LogLocked | LogFsError, Scope.Scope> => {
  const { lock } = pathsOf(home)

  /** Moved aside under a name of its own first: what is broken is what was read, whoever else tries at the same time. */
  const breakLock = (seen: string) =>
    Effect.gen(function*() {
      const aside = `${lock}.${randomUUID()}.stale`
      yield* fs.rename(lock, aside)
      const moved = yield* text(fs, aside)
      if (moved !== seen) return yield* fs.rename(aside, lock)
      yield* Effect.logWarning(`${lock} was left by a process that is gone; it is taken over`)
      yield* fs.unlink(aside)
    }).pipe(Effect.catchIf(isReason("NotFound"), () => Effect.void))

  const inspect = (attempt: number): Effect.Effect<void, LogLocked | LogFsError> =>
    Effect.gen(function*() {
      const seen = yield* text(fs, lock)
      const holder = decode(seen)
      if (Either.isLeft(holder)) {
        // Empty or cut: written by a process that died between two operations, or is between them now.
        return yield* attempt < attempts ? Effect.sleep(pause) : breakLock(seen)
      }
      const { right } = holder
      const gone = right.host === processes.self.host && !(yield* processes.lives(right))
      if (gone) return yield* breakLock(seen)
      return yield* new LogLocked({
        path: lock,
        pid: right.pid,
        host: right.host,
        command: right.command,
        started_at: right.started_at
      })
    }).pipe(Effect.catchIf((error) => error._tag === "LogFsError" && isReason("NotFound")(error), () => Effect.void))

  const take = (content: string, attempt: number): Effect.Effect<void, LogLocked | LogFsError> =>
    Effect.catchIf(
      write(fs, home, content),
      (error) => isReason("AlreadyExists")(error) && attempt <= attempts * 2,
      () => Effect.zipRight(inspect(attempt), take(content, attempt + 1))
    )

  const mine = Effect.map(Clock.currentTimeMillis, (now) =>
    encode(
      new LockFile({ ...processes.self, nonce: randomUUID(), started_at: new Date(now).toISOString() })
    ))

  return Effect.asVoid(Effect.acquireRelease(
    Effect.tap(mine, (content) => take(content, 1)),
    (content) =>
      Effect.gen(function*() {
        // Another one may have taken it over by mistake of a person: only the own lock is taken away.
        if ((yield* text(fs, lock)) === content) yield* fs.unlink(lock)
      }).pipe(Effect.catchAll((error) => Effect.logWarning(error.message)))
  ))
}
