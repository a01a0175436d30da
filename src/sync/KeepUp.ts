/**
 * Keeps the projection near the log while something writes to it: what a long sync has committed can be found before it
 * ends.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import type { Projection } from "../../services/Projection.ts"
import { catchUp } from "./CatchUp.ts"

/** Each time costs a little of what the sync itself could do. */
const pause = "5 seconds"

/**
 * Catches up every few seconds, and once behind the end. Where the projection refuses that, it is said: what was stored
 * is safe, and the next time makes up for it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const keepUp = <A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, E | LogReadError, R | LogReader | Projection> =>
  Effect.scoped(Effect.gen(function*() {
    const meanwhile = yield* Effect.ignore(catchUp).pipe(Effect.delay(pause), Effect.forever, Effect.forkScoped)
    const done = yield* self
    yield* Fiber.interrupt(meanwhile)
    yield* Effect.catchTag(catchUp, "ProjectionError", ({ message }) =>
      Effect.logWarning(`${message}. What was stored is safe, and is found once the index can be written`))
    return done
  }))
