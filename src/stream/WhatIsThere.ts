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
        // Those who are ready to deliver get their turn first.
        yield* Effect.yieldNow({ priority: 1 })
        const taken = yield* Queue.takeBetween(queue, 1, capacity)
        const [good, rest] = Chunk.splitWhere(taken, Exit.isFailure)
        const last = Chunk.head(rest)
        if (Option.isSome(last) && Chunk.isEmpty(good)) return Chunk.of(yield* last.value)
        yield* Ref.set(end, last)
        return Chunk.filterMap(good, (exit) => Exit.isSuccess(exit) ? Option.some(exit.value) : Option.none())
      })
      return Stream.repeatEffectOption(pull)
    }))
