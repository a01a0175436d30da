/**
 * {@link fold} for a stream that may fall silent: the step is told to give out what it holds when nothing has come for
 * a while, and goes on with what comes then.
 *
 * A pull of the upstream is never given up for a timer. It goes on in its own fibre while the step is flushed, and what
 * it brings is taken next: nothing is lost, nothing changes places, and a slow stage upstream is not started again and
 * again.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { Signal, type Step } from "./Fold.ts"

/**
 * When the step is told to flush.
 *
 * @since 0.1.0
 * @category models
 */
export interface Idle<S> {
  /** After so long without an item. The time begins when the consumer asks, so a slow one hears of no silence. */
  readonly idle: Duration.Duration
  /** In this state there is something to give out; in others no timer runs. */
  readonly isOpen: (state: S) => boolean
}

/**
 * The stream of what the step gives out. The last signal is a `Flush`, unless the stream fails: as with {@link fold}.
 *
 * @since 0.1.0
 * @category combinators
 */
export const foldOrIdle = <S, A, B>(initial: S, step: Step<S, A, B>, { idle, isOpen }: Idle<S>) =>
<E, R>(
  self: Stream.Stream<A, E, R>
): Stream.Stream<B, E, R> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const scope = yield* Effect.scope
    const pull = yield* Stream.toPull(self)
    // A batch without items is no end of a silence.
    const items: typeof pull = Effect.flatMap(pull, (batch) => Chunk.isEmpty(batch) ? items : Effect.succeed(batch))
    const state = yield* Ref.make(initial)
    const pending = yield* Ref.make(Option.none<Fiber.Fiber<Chunk.Chunk<A>, Option.Option<E>>>())
    const ended = yield* Ref.make(false)

    const tell = (signal: Signal<A>): Effect.Effect<Chunk.Chunk<B>> =>
      Ref.modify(state, (before) => {
        const [after, out] = step(before, signal)
        return [Chunk.unsafeFromArray(out), after]
      })

    const forked = Effect.tap(Effect.forkIn(items, scope), (fiber) => Ref.set(pending, Option.some(fiber)))

    /** What the pull has come to, or None after a silence. */
    const outcome = Effect.gen(function*() {
      const before = yield* Ref.get(pending)
      const open = isOpen(yield* Ref.get(state))
      if (Option.isNone(before) && !open) return Option.some(yield* Effect.exit(items))
      const fiber = Option.isSome(before) ? before.value : yield* forked
      const exit = open
        ? yield* Effect.timeoutOption(Fiber.await(fiber), idle)
        : Option.some(yield* Fiber.await(fiber))
      if (Option.isSome(exit)) yield* Ref.set(pending, Option.none())
      return exit
    })

    const next: Effect.Effect<Chunk.Chunk<B>, Option.Option<E>, R> = Effect.gen(function*() {
      if (yield* Ref.get(ended)) return yield* Effect.fail(Option.none())
      const exit = yield* outcome
      if (Option.isNone(exit)) return yield* tell(Signal.Flush())
      if (Exit.isSuccess(exit.value)) {
        return yield* tell(Signal.Batch({ items: Chunk.toReadonlyArray(exit.value.value) }))
      }
      const { cause } = exit.value
      if (!Option.exists(Cause.failureOption(cause), Option.isNone)) return yield* Effect.failCause(cause)
      yield* Ref.set(ended, true)
      return yield* tell(Signal.Flush())
    })
    return Stream.repeatEffectChunkOption(next)
  }))
