/**
 * The seam to SQLite: the few calls that the index makes of it, over whatever binding there is. They are synchronous,
 * and what they throw is made a typed error where they are called (`Failure.ts`).
 *
 * @since 0.1.0
 */
import type { DatabaseSyncInstance } from "@photostructure/sqlite"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ProjectionError } from "../../../src/domain/StoreErrors.ts"

/**
 * What can be bound to a statement. Text goes in as bytes: SQLite ends a string at its first zero character.
 *
 * @since 0.1.0
 * @category models
 */
export type Value = null | number | bigint | string | Uint8Array

/**
 * An open database. `vec0` says whether it knows sqlite-vec's tables. Statements are compiled once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Database {
  readonly vec0: boolean
  readonly exec: (sql: string) => void
  /** The rowid of the last row that was inserted. */
  readonly run: (sql: string, ...values: ReadonlyArray<Value>) => number
  readonly all: (sql: string, ...values: ReadonlyArray<Value>) => ReadonlyArray<unknown>
  readonly close: () => void
}

/**
 * @since 0.1.0
 * @category models
 */
export type Mode = "write" | "read"

/**
 * Opens databases: a file, or `:memory:`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Engine {
  readonly open: (location: string, mode: Mode) => Database
}

/** How long SQLite waits for another process that reads or writes just now. */
const patience = 10_000

const wrap = (database: DatabaseSyncInstance, vec0: boolean): Database => {
  const statements = new Map<string, ReturnType<DatabaseSyncInstance["prepare"]>>()
  const prepared = (sql: string) => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  return {
    vec0,
    exec: (sql) => database.exec(sql),
    run: (sql, ...values) => Number(prepared(sql).run(...values).lastInsertRowid),
    all: (sql, ...values) => prepared(sql).all(...values),
    close: () => {
      statements.clear()
      database.close()
    }
  }
}

/**
 * The engine of the package `@photostructure/sqlite`, which is loaded when it is first asked for. Without the extension
 * sqlite-vec, be it that it is not wanted or that it does not load here, vectors are compared in JavaScript.
 *
 * @since 0.1.0
 * @category constructors
 */
export const photostructure = (
  options: { readonly extension: boolean } = { extension: true }
): Effect.Effect<Engine, ProjectionError> =>
  Effect.gen(function*() {
    const { DatabaseSync } = yield* Effect.tryPromise({
      try: () => import("@photostructure/sqlite"),
      catch: (cause) =>
        new ProjectionError({
          path: "@photostructure/sqlite",
          detail: "SQLite does not load on this machine",
          advice: "check that the package is installed whole, and that it has a binary for this system",
          cause
        })
    })
    const extension = options.extension
      ? yield* Effect.option(Effect.tryPromise(async () => (await import("sqlite-vec")).getLoadablePath()))
      : Option.none<string>()
    return {
      open: (location, mode) => {
        const database = new DatabaseSync(location, {
          readOnly: mode === "read",
          timeout: patience,
          allowExtension: Option.isSome(extension),
          // What refers to what is this program's own doing; checking it at each row is not free.
          enableForeignKeyConstraints: false,
          defensive: true
        })
        return wrap(database, Option.exists(extension, (path) => loads(database, path)))
      }
    }
  })

const loads = (database: DatabaseSyncInstance, path: string): boolean => {
  try {
    database.enableLoadExtension(true)
    database.loadExtension(path)
    return true
  } catch {
    return false
  } finally {
    database.enableLoadExtension(false)
  }
}
