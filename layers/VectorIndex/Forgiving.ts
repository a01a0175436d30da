/**
 * The index of vectors bears a log that cannot be read: what was known before is answered, and the rest is embedded anew.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { LogReadError } from "../../services/LogReader.ts"

/**
 * Catches up, or warns, once for each time that the log becomes unreadable.
 *
 * @since 0.1.0
 * @category combinators
 */
export const forgiving = (catchUp: Effect.Effect<void, LogReadError>): Effect.Effect<void> => {
  let warned = false
  return Effect.matchEffect(catchUp, {
    onSuccess: () =>
      Effect.sync(() => {
        warned = false
      }),
    onFailure: ({ message }) => {
      const silent = warned
      warned = true
      return silent
        ? Effect.void
        : Effect.logWarning(`vectors that the log may hold are made anew, for it cannot be read: ${message}`)
    }
  })
}
