/**
 * Batches without a timer: whoever is slow takes all that has come meanwhile.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"

/** Turns that bring nothing before nobody is taken to be about to deliver. */
const idleTurns = 16

/** Those who are ready to deliver get their turn first. Nobody waits for what takes time. */
const settled = <A>(queue: Queue.Dequeue<A>, capacity: number): Effect.Effect<void> => {
  const next = (before: number, idle: number): Effect.Effect<void> =>
    Effect.flatMap(
      Effect.zipRight(Effect.yieldNow({ priority: 1 }), Queue.size(queue)),
      (size) =>
        size >= capacity || (size <= before && idle >= idleTurns)
          ? Effect.void
          : next(size, size > before ? 0 : idle + 1)
    )
  return next(0, 0)
}

/**
 * Runs the stream beside its consumer, at most `capacity` elements ahead, and hands over at each pull what is there:
 * one element at least, `capacity` at most. A failure comes after what was there before it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const whatIsThere =
  (capacity: number) => <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<Chunk.Chunk<A>, E, R> =>
    Stream.unwrapScoped(Effect.gen(function*() {
      const queue = yield* Stream.toQueueOfElements(self, { capacity })
      const end = yield* Ref.make(Option.none<Exit.Exit<A, Option.Option<E>>>())

      const pull: Effect.Effect<Chunk.Chunk<A>, Option.Option<E>> = Effect.gen(function*() {
        const ended = yield* Ref.get(end)
        if (Option.isSome(ended)) return Chunk.of(yield* ended.value)
        yield* settled(queue, capacity)
        const taken = yield* Queue.takeBetween(queue, 1, capacity)
        const [good, rest] = Chunk.splitWhere(taken, Exit.isFailure)
        const last = Chunk.head(rest)
        if (Option.isSome(last) && Chunk.isEmpty(good)) return Chunk.of(yield* last.value)
        yield* Ref.set(end, last)
        return Chunk.filterMap(good, (exit) => Exit.isSuccess(exit) ? Option.some(exit.value) : Option.none())
      })
      return Stream.repeatEffectOption(pull)
    }))
