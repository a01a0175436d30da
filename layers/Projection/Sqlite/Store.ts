/**
 * One connection to one index, used by one fibre at a time, and replaced where the index starts anew.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { ProjectionError } from "../../../src/domain/StoreErrors.ts"
import type { Database, Engine } from "./Database.ts"
import { attempt } from "./Failure.ts"
import * as File from "./File.ts"
import * as Schema from "./Schema.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Store {
  readonly path: string
  /** Runs over one state of the index, whoever writes meanwhile. */
  readonly read: <A>(body: (database: Database) => A) => Effect.Effect<A, ProjectionError>
  /** All that it writes, or nothing. It may look elsewhere meanwhile. */
  readonly write: <A>(
    body: (database: Database) => Effect.Effect<A, ProjectionError>
  ) => Effect.Effect<A, ProjectionError>
  /** Back to an empty index, whatever is there. */
  readonly renew: Effect.Effect<void, ProjectionError>
}

const rollBack = (database: Database): void => {
  try {
    database.exec("rollback")
  } catch {
    // An error may have ended the transaction by itself.
  }
}

const reading = <A>(database: Database, body: (database: Database) => A): A => {
  database.exec("begin")
  try {
    return body(database)
  } finally {
    rollBack(database)
  }
}

/** Where that fails, the file must be let go of. */
const prepared = (database: Database, prepare: (database: Database) => void): Database => {
  let usable = false
  try {
    prepare(database)
    usable = true
    return database
  } finally {
    if (!usable) database.close()
  }
}

const storeOf = (
  path: string,
  open: Effect.Effect<Database, ProjectionError>,
  anew: Effect.Effect<Database, ProjectionError>
): Effect.Effect<Store, ProjectionError, Scope.Scope> =>
  Effect.gen(function*() {
    const turn = yield* Effect.makeSemaphore(1)
    let current = Option.some(yield* open)
    const close = Effect.sync(() => {
      const last = current
      current = Option.none()
      // What was committed is in the file, whatever becomes of the connection.
      return Effect.ignore(attempt(path, () => Option.map(last, (database) => database.close())))
    }).pipe(Effect.flatten)
    yield* Effect.addFinalizer(() => turn.withPermits(1)(close))

    const begin = (database: Database) => attempt(path, () => database.exec("begin immediate"))
    const commit = (database: Database) => attempt(path, () => database.exec("commit"))
    const replace = Effect.zipRight(
      close,
      Effect.map(anew, (database) => {
        current = Option.some(database)
        return database
      })
    )
    /** After a replacement that failed, the next use tries again. */
    const database = Effect.suspend(() => Option.match(current, { onNone: () => replace, onSome: Effect.succeed }))
    const reset = Effect.flatMap(database, (now) =>
      attempt(path, () => Schema.reset(now)).pipe(
        Effect.tapError(() => Effect.sync(() => rollBack(now))),
        // Who reads just now may be in the way; then the space is used again.
        Effect.zipLeft(Effect.ignore(attempt(path, () => Schema.compact(now))))
      ))

    return {
      path,
      read: (body) => turn.withPermits(1)(Effect.flatMap(database, (now) => attempt(path, () => reading(now, body)))),
      write: (body) =>
        turn.withPermits(1)(Effect.flatMap(database, (now) =>
          Effect.acquireUseRelease(
            begin(now),
            () => Effect.zipLeft(body(now), Effect.uninterruptible(commit(now))),
            () => Effect.sync(() => rollBack(now))
          ))),
      renew: turn.withPermits(1)(
        Effect.catchIf(reset, ({ damaged }) => damaged === true, () => Effect.asVoid(replace))
      )
    }
  })

/**
 * The index of a memory home, to be written. One that is old, foreign, damaged or missing is started anew.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofHome = (engine: Engine, home: string): Effect.Effect<Store, ProjectionError, Scope.Scope> => {
  const path = File.pathOf(home)
  const open = () => engine.open(path, "write")
  const anew = attempt(path, () => {
    File.renew(path)
    return prepared(open(), Schema.create)
  })
  const existing = attempt(path, (): Option.Option<Database> => {
    if (Option.isNone(File.stateOf(path))) return Option.none()
    const database = prepared(open(), Schema.resume)
    if (Option.isNone(Schema.objection(database))) return Option.some(database)
    database.close()
    return Option.none()
  }).pipe(Effect.catchIf(({ damaged }) => damaged === true, () => Effect.succeed(Option.none<Database>())))
  const found = Effect.flatMap(
    existing,
    Option.match({ onNone: () => anew, onSome: (database) => Effect.succeed(database) })
  )
  return storeOf(path, found, anew)
}

/**
 * An index in memory.
 *
 * @since 0.1.0
 * @category constructors
 */
export const inMemory = (engine: Engine): Effect.Effect<Store, ProjectionError, Scope.Scope> => {
  const path = ":memory:"
  const anew = attempt(path, () => prepared(engine.open(path, "write"), Schema.create))
  return storeOf(path, anew, anew)
}

/**
 * The index at this path as a reader sees it: no byte of it is changed, and no file made. It fails where the index
 * cannot be used.
 *
 * @since 0.1.0
 * @category constructors
 */
export const readOnly = (
  engine: Engine,
  path: string
): Effect.Effect<Pick<Store, "path" | "read">, ProjectionError, Scope.Scope> =>
  Effect.gen(function*() {
    const other = yield* attempt(path, () => Schema.objectionByHead(File.headOf(path, Schema.headLength)))
    if (Option.isSome(other)) return yield* new ProjectionError({ path, detail: other.value })
    const database = yield* Effect.acquireRelease(
      attempt(path, () => engine.open(path, "read")),
      (open) => Effect.ignore(attempt(path, () => open.close()))
    )
    const objection = yield* attempt(path, () => {
      Schema.readOnly(database)
      return Schema.objection(database)
    })
    return Option.isSome(objection)
      ? yield* new ProjectionError({ path, detail: objection.value })
      : { path, read: (body) => attempt(path, () => reading(database, body)) }
  })
