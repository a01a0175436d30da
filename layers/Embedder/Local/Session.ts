/**
 * An engine that is started at its first use and once, whoever uses it first and however many at a time. Who waits for
 * the start and goes away does not stop it for the others; it ends with the scope. If its process dies, the next use
 * starts another one; if none came up, none will.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as SynchronizedRef from "effect/SynchronizedRef"
import type { EmbedderError, EmbedderUnavailable } from "../../../src/domain/EmbedderErrors.ts"
import type { EngineProcess } from "./EngineProcess.ts"

type Failure = EmbedderError | EmbedderUnavailable

type Starting = Fiber.Fiber<EngineProcess, Failure>

/** Whether this start still serves: it goes on, its process lives, or it failed and would fail again. */
const serves = (starting: Starting): Effect.Effect<boolean> =>
  Effect.flatMap(
    Fiber.poll(starting),
    (exit) => Option.isSome(exit) && Exit.isSuccess(exit.value) ? exit.value.value.isAlive : Effect.succeed(true)
  )

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  start: Effect.Effect<EngineProcess, Failure, Scope.Scope>
): Effect.Effect<Effect.Effect<EngineProcess, Failure>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const current = yield* SynchronizedRef.make(Option.none<Starting>())
    const begin = start.pipe(Effect.provideService(Scope.Scope, scope), Effect.interruptible, Effect.forkIn(scope))
    const starting = SynchronizedRef.modifyEffect(current, (known) =>
      Effect.gen(function*() {
        if (Option.isSome(known) && (yield* serves(known.value))) return [known.value, known] as const
        const fiber = yield* begin
        return [fiber, Option.some(fiber)] as const
      }))
    return Effect.flatMap(starting, Fiber.join)
  })
