/**
 * The log, folded in memory for a reader: made when it is first needed, and caught up whenever it is asked.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { LogReader } from "../../../services/LogReader.ts"
import { Projection } from "../../../services/Projection.ts"
import { Search } from "../../../services/Search.ts"
import type { ProjectionError } from "../../../src/domain/StoreErrors.ts"
import { catchUp } from "../../../src/sync/CatchUp.ts"
import * as Memory from "../Memory.ts"
import { makeInMemory } from "../Sqlite.ts"
import type { Engine } from "../Sqlite/Database.ts"
import { logFailure } from "../Sqlite/Status.ts"

/**
 * Without SQLite there is no search, and all else goes on.
 *
 * @since 0.1.0
 * @category models
 */
export interface Services {
  readonly projection: Projection["Type"]
  readonly search: Effect.Effect<Search["Type"], ProjectionError>
}

/**
 * What it says is current, or as far as the log can be read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  engine: Effect.Effect<Engine, ProjectionError>,
  path: string
): Effect.Effect<Effect.Effect<Services, ProjectionError>, never, LogReader | Scope.Scope> =>
  Effect.gen(function*() {
    const log = yield* LogReader
    const scope = yield* Effect.scope
    const turn = yield* Effect.makeSemaphore(1)

    const build = makeInMemory({ engine }).pipe(
      Effect.map((context): Services => ({
        projection: Context.get(context, Projection),
        search: Effect.succeed(Context.get(context, Search))
      })),
      Effect.catchAll((error) =>
        Effect.map(Memory.make, (projection): Services => ({ projection, search: Effect.fail(error) }))
      ),
      Scope.extend(scope),
      Effect.provideService(LogReader, log)
    )
    const built = yield* Effect.cached(build)

    const upTo = (projection: Projection["Type"]) =>
      catchUp.pipe(
        Effect.provideService(Projection, projection),
        Effect.provideService(LogReader, log),
        Effect.catchTags({
          LogDamaged: ({ message }) => Effect.logWarning(`what follows is not searched: ${message}`),
          LogTooNew: ({ message }) => Effect.logWarning(`what follows is not searched: ${message}`),
          LogFsError: (error) => logFailure(path)(error)
        })
      )

    return turn.withPermits(1)(Effect.tap(built, ({ projection }) => upTo(projection)))
  })
