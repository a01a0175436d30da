/**
 * Long loops in short turns. A folder may hold a hundred thousand files, and what else the process does (fetches of
 * other connectors, a progress bar, Ctrl-C) must not wait until all of them are gone through.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"

/** Elements between two looks at the clock, and milliseconds of a turn. */
const stretch = 256
const turn = 10

// Effect.yieldNow gives way to other fibers only; the event loop gets its turn with a macrotask.
const giveWay = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/**
 * Hands each element over, in order.
 *
 * @since 0.1.0
 * @category loops
 */
export const forEachInTurns = <A>(all: ReadonlyArray<A>, use: (a: A) => void): Effect.Effect<void> =>
  Effect.gen(function*() {
    let began = performance.now()
    for (const [i, a] of all.entries()) {
      use(a)
      if (i % stretch === stretch - 1 && performance.now() - began > turn) {
        yield* giveWay
        began = performance.now()
      }
    }
  })
