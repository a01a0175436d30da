/**
 * One writer. `log/LOCK` is created exclusively and names its holder. It is taken over only where that process of this
 * very host is known to be gone, never because it is old, never from another host.
 *
 * A stale lock is moved aside, to a name of its own (`LOCK.<uuid>.stale`), since nothing can delete a file only if it is
 * still the one that was read: whoever was slow may move a lock that is in force. It stays in force where it then is.
 * So a process that has created LOCK holds it only once it has seen, in this order, that no lock aside is in force, and
 * that LOCK is still its own. What is aside and not in force is removed on the way, whoever has left it there.
 *
 * A lock that was never finished (empty, cut, garbled by a power cut) is not in force either: whoever made it looks at
 * LOCK once more after writing it, and does not find its own. It is given 100 ms to be finished, then moved aside too.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import type { LogFs } from "../../services/LogFs.ts"
import type { LogFsError, LogLocked } from "../../src/domain/LogErrors.ts"
import { writeAll } from "../LogFs/WriteAll.ts"
import { contentOf, encode, LockFile, worthOf } from "./LockFile.ts"
import { pathsOf } from "./Paths.ts"
import type { Processes } from "./Processes.ts"
import { notFoundIs } from "./SegmentBytes.ts"

/** How often a lock that is not finished, or met half way, is looked at again, and what passes between. */
const patience = 5
const pause = "20 millis"

/** Others may take and leave the lock meanwhile; this often would be strange. */
const mostAttempts = 100

/** What a process has met so far: locks that were not finished, and others who were taking it at the same time. */
interface Race {
  readonly attempts: number
  readonly looks: number
  readonly collisions: number
}

const isAside = (name: string): boolean => name.startsWith("LOCK.") && name.endsWith(".stale")

const gone = notFoundIs<void>(undefined)

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
  const { lock, log } = pathsOf(home)

  const aside = Effect.map(fs.list(log), (names) => names.filter(isAside).map((name) => `${log}/${name}`))

  const moveAside = Effect.suspend(() => fs.rename(lock, `${lock}.${randomUUID()}.stale`)).pipe(gone)

  const create = (content: string): Effect.Effect<void, LogFsError> =>
    Effect.scoped(Effect.gen(function*() {
      const file = yield* fs.open(lock, "create")
      yield* writeAll(file, lock, 0, new TextEncoder().encode(content)).pipe(
        Effect.zipRight(file.sync),
        Effect.zipRight(fs.syncDir(log)),
        Effect.tapError(() => quietly(Effect.zipRight(moveUnfinished, giveBack(content))))
      )
    }))

  /** Wherever it is: somebody slow may have moved it. */
  const giveBack = (content: string): Effect.Effect<void, LogFsError> =>
    Effect.gen(function*() {
      if (Option.contains(yield* contentOf(fs, lock), content)) yield* gone(fs.unlink(lock))
      for (const path of yield* aside) {
        const found = yield* contentOf(fs, path)
        if (Option.isNone(found)) continue
        const unfinished = (yield* worthOf(processes, path, found.value))._tag === "Unfinished"
        if (found.value === content || unfinished) yield* gone(fs.unlink(path))
      }
    })

  const moveUnfinished = Effect.gen(function*() {
    const found = yield* contentOf(fs, lock)
    if (Option.isNone(found)) return
    if ((yield* worthOf(processes, lock, found.value))._tag === "Unfinished") yield* moveAside
  })

  const quietly = (effect: Effect.Effect<void, LogFsError>): Effect.Effect<void> =>
    Effect.catchAll(effect, (error) => Effect.logWarning(error.message))

  /** Whether the lock that was created with this content is the one in force. */
  const confirm = (content: string): Effect.Effect<boolean, LogLocked | LogFsError> =>
    Effect.gen(function*() {
      for (const path of yield* aside) {
        const found = yield* contentOf(fs, path)
        if (Option.isNone(found)) continue
        const worth = yield* worthOf(processes, path, found.value)
        if (worth._tag === "Held" && found.value !== content) return yield* worth.error
        yield* gone(fs.unlink(path))
      }
      return Option.contains(yield* contentOf(fs, lock), content)
    })

  /** Makes way for a lock, or fails because the one that is there is in force. */
  const makeWay = (race: Race): Effect.Effect<Race, LogLocked | LogFsError> =>
    Effect.gen(function*() {
      const found = yield* contentOf(fs, lock)
      if (Option.isNone(found)) return race
      const worth = yield* worthOf(processes, lock, found.value)
      if (worth._tag === "Held") return yield* collide(race, worth.error)
      if (worth._tag === "Unfinished" && race.looks < patience) {
        return yield* Effect.as(Effect.sleep(pause), { ...race, looks: race.looks + 1 })
      }
      // At once: whatever comes between makes it likelier that it is another one by now.
      yield* moveAside
      yield* Effect.logWarning(`${lock} was left by a process that is gone; it is taken over`)
      return { ...race, looks: 0 }
    })

  /** Of those who come at the same time one shall have it: whoever met another one half way looks again. */
  const collide = (race: Race, error: LogLocked): Effect.Effect<Race, LogLocked> =>
    race.collisions === 0 || race.collisions > patience
      ? error
      : Effect.as(Effect.sleep(pause), { ...race, collisions: race.collisions + 1 })

  const mine = Effect.map(Clock.currentTimeMillis, (now) =>
    encode(
      new LockFile({ ...processes.self, nonce: randomUUID(), started_at: new Date(now).toISOString() })
    ))

  const take = (race: Race): Effect.Effect<string, LogLocked | LogFsError> =>
    Effect.gen(function*() {
      const content = yield* mine
      const made = yield* Effect.either(create(content))
      if (Either.isLeft(made)) {
        if (made.left.reason !== "AlreadyExists" || race.attempts > mostAttempts) return yield* made.left
        return yield* take(yield* makeWay({ ...race, attempts: race.attempts + 1 }))
      }
      const confirmed = yield* Effect.either(confirm(content))
      if (Either.isRight(confirmed) && confirmed.right) return content
      const again = { looks: 0, attempts: race.attempts + 1, collisions: race.collisions + 1 }
      if (Either.isRight(confirmed)) return yield* Effect.zipRight(giveBack(content), take(again))
      yield* quietly(giveBack(content))
      const { left } = confirmed
      return yield* left._tag === "LogLocked" ? Effect.flatMap(collide(again, left), take) : left
    })

  return Effect.asVoid(Effect.acquireRelease(
    take({ attempts: 1, looks: 0, collisions: 0 }),
    (content) => quietly(giveBack(content))
  ))
}
