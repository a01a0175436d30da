import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { whatIsThere } from "../../src/stream/WhatIsThere.ts"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

const yields = (times: number) => Effect.repeatN(Effect.yieldNow(), times)

describe("whatIsThere", () => {
  const input = FastCheck.record({
    batches: FastCheck.array(FastCheck.array(FastCheck.nat(), { maxLength: 7 }), { maxLength: 8 }),
    capacity: FastCheck.integer({ min: 1, max: 9 }),
    fails: FastCheck.boolean(),
    producer: FastCheck.nat(4),
    consumer: FastCheck.nat(4)
  })

  it.effect.prop(
    "loses nothing and keeps the order, in batches within the bounds; a failure comes last",
    [input],
    ([{ batches, capacity, consumer, fails, producer }]) =>
      Effect.gen(function*() {
        const seen: Array<ReadonlyArray<number>> = []
        const end = yield* Stream.fromChunks(...batches.map(Chunk.unsafeFromArray)).pipe(
          Stream.tap(() => yields(producer)),
          Stream.concat(fails ? Stream.fail("end") : Stream.empty),
          whatIsThere(capacity),
          Stream.runForEach((batch) =>
            Effect.zipRight(Effect.sync(() => seen.push(Chunk.toReadonlyArray(batch))), yields(consumer))
          ),
          Effect.either
        )
        assert.deepStrictEqual(seen.flat(), batches.flat())
        assert.isTrue(seen.every(({ length }) => length >= 1 && length <= capacity))
        assert.deepStrictEqual(end, fails ? Either.left("end") : Either.right(undefined))
      })
  )

  it.effect("hands over all that is about to come, and waits for nothing that takes time", () =>
    Effect.gen(function*() {
      const sizesWith = (pause: Effect.Effect<void>) =>
        Effect.gen(function*() {
          const fiber = yield* Stream.fromIterable(numbers(40)).pipe(
            Stream.rechunk(1),
            Stream.tap(() => pause),
            whatIsThere(16),
            Stream.runCollect,
            Effect.map((batches) => Chunk.toReadonlyArray(batches).map(Chunk.size)),
            Effect.fork
          )
          while (Option.isNone(yield* Fiber.poll(fiber))) yield* TestClock.adjust("1 seconds")
          return yield* Fiber.join(fiber)
        })
      assert.deepStrictEqual(yield* sizesWith(Effect.yieldNow()), [16, 16, 8])
      assert.deepStrictEqual(yield* sizesWith(Effect.sleep("1 seconds")), Array(40).fill(1))
    }))

  it.effect("runs no further ahead than its capacity", () =>
    Effect.gen(function*() {
      const [first, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let made = 0
      const fiber = yield* Stream.repeatEffect(Effect.sync(() => ++made)).pipe(
        Stream.take(100),
        Stream.rechunk(1),
        whatIsThere(4),
        Stream.runForEach(() => Effect.zipRight(Deferred.succeed(first, undefined), Deferred.await(go))),
        Effect.fork
      )
      yield* Deferred.await(first)
      yield* yields(200)
      // One batch is with the consumer, one in the queue, one element waits for its place there.
      assert.isAtMost(made, 9)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(fiber)
      assert.strictEqual(made, 100)
    }))

  it.effect("waits for the first element without a timer", () =>
    Effect.gen(function*() {
      const element = yield* Deferred.make<number>()
      const fiber = yield* Stream.fromEffect(Deferred.await(element)).pipe(
        whatIsThere(4),
        Stream.runCollect,
        Effect.fork
      )
      yield* yields(50)
      assert.strictEqual((yield* Fiber.poll(fiber))._tag, "None")
      yield* Deferred.succeed(element, 1)
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(fiber)), [Chunk.of(1)])
    }))

  it.effect("passes a defect on, and ends its producer with its consumer", () =>
    Effect.gen(function*() {
      const dying = yield* Effect.exit(
        Stream.make(1).pipe(Stream.concat(Stream.die("a bug")), whatIsThere(4), Stream.runDrain)
      )
      assert.deepStrictEqual(
        Exit.isFailure(dying) ? Chunk.toReadonlyArray(Cause.defects(dying.cause)) : [],
        ["a bug"]
      )
      let ended = false
      yield* Stream.make(1).pipe(
        Stream.concat(Stream.never),
        Stream.ensuring(Effect.sync(() => {
          ended = true
        })),
        whatIsThere(4),
        Stream.take(1),
        Stream.runDrain
      )
      assert.isTrue(ended)
    }))
})
