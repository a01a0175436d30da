import { assert, describe, it } from "@effect/vitest"
import * as EffectChunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as CharsOverFour from "../../layers/TokenCounter/CharsOverFour.ts"
import { chunks } from "../../src/chunk/chunks.ts"
import type { Chunk } from "../../src/domain/Chunk.ts"
import { ChunkPolicy } from "../../src/domain/ChunkPolicy.ts"
import { OrIdle } from "../../src/domain/FlushTrigger.ts"
import { RecordKey } from "../../src/domain/Ids.ts"
import { Record } from "../../src/domain/Record.ts"

const record = (i: number, tokens = 1): Record =>
  new Record({ key: RecordKey.make(`r${i}`), text: "x".repeat(tokens * 4) })

const policyOf = (seconds: number, max_tokens = 10): ChunkPolicy =>
  new ChunkPolicy({ max_tokens, split_on: "Record", flush: new OrIdle({ idle: Duration.seconds(seconds) }) })

/** Records, each so many seconds after the one before it. */
const delayed = (...delays: ReadonlyArray<number>): Stream.Stream<Record> =>
  Stream.fromIterable(delays.entries()).pipe(
    Stream.rechunk(1),
    Stream.mapEffect(([i, delay]) => Effect.as(Effect.sleep(Duration.seconds(delay)), record(i)))
  )

/** When a chunk came, in seconds, its number, and the numbers of its records. */
type Seen = readonly [number, number, string]

const keysOf = (chunk: Chunk): string => chunk.records.map(({ key }) => key.slice(1)).join(" ")

/** Runs what is chunked for so many seconds, a second at a time; what came by then, and how it ended if it did. */
const watch = <E>(records: Stream.Stream<Record, E>, policy: ChunkPolicy, seconds: number) =>
  Effect.gen(function*() {
    const seen = yield* Ref.make<ReadonlyArray<Seen>>([])
    const fiber = yield* records.pipe(
      chunks(policy),
      Stream.runForEach((chunk) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Ref.update(seen, (before) => [...before, [now / 1000, chunk.t, keysOf(chunk)] as const]))
      ),
      Effect.provide(CharsOverFour.layer),
      Effect.fork
    )
    for (let i = 0; i < seconds; i++) {
      yield* TestClock.adjust("1 second")
    }
    const exit = yield* Fiber.poll(fiber)
    yield* Fiber.interrupt(fiber)
    return { seen: yield* Ref.get(seen), exit }
  })

describe("OrIdle", () => {
  it.effect("gives out a chunk once nothing has come for so long: offers at 0, 0 and 9 s, idle 10 s, out at 19 s", () =>
    Effect.gen(function*() {
      const { exit, seen } = yield* watch(Stream.concat(delayed(0, 0, 9), Stream.never), policyOf(10), 60)
      assert.deepStrictEqual(seen, [[19, 1, "0 1 2"]])
      assert.strictEqual(exit._tag, "None")
    }))

  it.effect("goes on after a silence, counting on, as often as there is one", () =>
    Effect.gen(function*() {
      const { seen } = yield* watch(Stream.concat(delayed(1, 30, 1, 30), Stream.never), policyOf(10), 120)
      assert.deepStrictEqual(seen, [[11, 1, "0"], [42, 2, "1 2"], [72, 3, "3"]])
    }))

  it.effect("loses nothing that comes at the very moment, whichever of the two is first", () =>
    Effect.gen(function*() {
      const { seen } = yield* watch(Stream.concat(delayed(0, 10, 10, 10), Stream.never), policyOf(10), 60)
      assert.strictEqual(seen.map(([, , keys]) => keys).join(" "), "0 1 2 3")
      assert.deepStrictEqual(seen.map(([, t]) => t), seen.map((_, i) => i + 1))

      // From outside, once before and once after the timer's fibre has had its turn.
      for (const first of [true, false]) {
        const queue = yield* Queue.unbounded<Record>()
        const offer = (i: number) => Queue.offer(queue, record(i))
        yield* offer(0)
        const at = yield* Effect.fork(Effect.zipRight(Effect.sleep("10 seconds"), offer(1)))
        if (!first) yield* Effect.yieldNow()
        const { seen } = yield* watch(Stream.fromQueue(queue), policyOf(10), 40)
        yield* Fiber.join(at)
        assert.strictEqual(seen.map(([, , keys]) => keys).join(" "), "0 1")
      }
    }))

  it.effect("loses nothing behind a stage that takes longer than the silence", () =>
    Effect.gen(function*() {
      const begun = yield* Ref.make(0)
      const slow = Stream.fromIterable([0, 1, 2, 3]).pipe(
        Stream.mapEffect((i) =>
          Ref.update(begun, (n) => n + 1).pipe(Effect.zipRight(Effect.sleep("12 seconds")), Effect.as(record(i)))
        )
      )
      const { exit, seen } = yield* watch(slow, policyOf(10), 60)
      assert.deepStrictEqual(seen, [[22, 1, "0"], [34, 2, "1"], [46, 3, "2"], [48, 4, "3"]])
      assert.strictEqual(yield* Ref.get(begun), 4, "no record was begun twice")
      assert.strictEqual(exit._tag, "Some")
    }))

  it.effect("starts no timer while nothing is open", () =>
    Effect.gen(function*() {
      const fiber = yield* Stream.never.pipe(
        chunks(policyOf(10)),
        Stream.runDrain,
        Effect.provide(CharsOverFour.layer),
        Effect.fork
      )
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([...(yield* TestClock.sleeps())], [])
      yield* Fiber.interrupt(fiber)

      const { seen } = yield* watch(Stream.concat(delayed(100), Stream.never), policyOf(10), 120)
      assert.deepStrictEqual(seen, [[115, 1, "0"]])
    }))

  it.effect("takes batches without records for silence", () =>
    Effect.gen(function*() {
      const polling = Stream.repeatEffectChunk(Effect.as(Effect.sleep("3 seconds"), EffectChunk.empty<Record>()))
      const { seen } = yield* watch(Stream.concat(delayed(0, 1), polling), policyOf(10), 40)
      assert.deepStrictEqual(seen, [[11, 1, "0 1"]])
    }))

  it.effect("hears of no silence while the consumer is busy", () =>
    Effect.gen(function*() {
      const queue = yield* Queue.unbounded<Record>()
      yield* Queue.offerAll(queue, [record(0, 10), record(1, 10), record(2), record(3)])
      const seen = yield* Ref.make<ReadonlyArray<string>>([])
      const fiber = yield* Stream.fromQueue(queue, { maxChunkSize: 1 }).pipe(
        chunks(policyOf(10)),
        Stream.runForEach((chunk) =>
          Ref.update(seen, (before) => [...before, keysOf(chunk)]).pipe(Effect.zipRight(Effect.sleep("50 seconds")))
        ),
        Effect.provide(CharsOverFour.layer),
        Effect.fork
      )
      yield* TestClock.adjust("109 seconds")
      assert.deepStrictEqual(yield* Ref.get(seen), ["0", "1"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Ref.get(seen), ["0", "1", "2 3"])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("closes at the budget as ever, and gives out the rest at the end", () =>
    Effect.gen(function*() {
      const { exit, seen } = yield* watch(delayed(0, 0, 0, 1, 1), policyOf(10, 2), 5)
      assert.deepStrictEqual(seen, [[0, 1, "0 1"], [2, 2, "2 3"], [2, 3, "4"]])
      assert.deepStrictEqual(exit._tag === "Some" ? exit.value : exit, Exit.void)
    }))

  it.effect("ends with the source's own error, after what was complete and without what was open", () =>
    Effect.gen(function*() {
      const torn = Stream.concat(delayed(0, 0, 0, 20, 1), Stream.fail("torn" as const))
      const { exit, seen } = yield* watch(torn, policyOf(10, 2), 60)
      assert.deepStrictEqual(seen, [[0, 1, "0 1"], [10, 2, "2"]])
      assert.deepStrictEqual(exit._tag === "Some" ? exit.value : exit, Exit.fail("torn"))
    }))

  it.effect("take(1) closes the source, though a pull of it is under way", () =>
    Effect.gen(function*() {
      const released = yield* Deferred.make<void>()
      const interrupted = yield* Ref.make(0)
      const source = Stream.concat(
        delayed(0),
        Stream.fromEffect(Effect.onInterrupt(Effect.never, () => Ref.update(interrupted, (n) => n + 1)))
      ).pipe(Stream.ensuring(Deferred.succeed(released, void 0)))
      const fiber = yield* source.pipe(
        chunks(policyOf(10)),
        Stream.take(1),
        Stream.runCollect,
        Effect.provide(CharsOverFour.layer),
        Effect.fork
      )
      yield* TestClock.adjust("10 seconds")
      const found = yield* Fiber.join(fiber)
      assert.deepStrictEqual(EffectChunk.toReadonlyArray(found).map(keysOf), ["0"])
      assert.isTrue(yield* Deferred.isDone(released))
      assert.strictEqual(yield* Ref.get(interrupted), 1)
    }))

  it.effect.prop(
    "keeps every record, once and in order, whatever the delays, sizes, batches and stages",
    [FastCheck.record({
      batches: FastCheck.array(
        FastCheck.record({ delay: FastCheck.nat(25), sizes: FastCheck.array(FastCheck.nat(14), { maxLength: 4 }) }),
        { maxLength: 12 }
      ),
      idle: FastCheck.integer({ min: 1, max: 12 }),
      slow: FastCheck.nat(13),
      consumer: FastCheck.nat(13)
    })],
    ([{ batches, consumer, idle, slow }]) =>
      Effect.gen(function*() {
        let made = 0
        const records = batches.map(({ sizes }) => sizes.map((size) => record(made++, size)))
        const source = Stream.fromIterable(batches.entries()).pipe(
          Stream.rechunk(1),
          Stream.mapEffect(([i, { delay }]) => Effect.as(Effect.sleep(Duration.seconds(delay)), records[i] ?? [])),
          Stream.mapConcatChunk(EffectChunk.fromIterable),
          slow === 0 ? (all) => all : Stream.tap(() => Effect.sleep(Duration.seconds(slow)))
        )
        const fiber = yield* source.pipe(
          chunks(policyOf(idle)),
          Stream.tap(() => Effect.sleep(Duration.seconds(consumer))),
          Stream.runCollect,
          Effect.provide(CharsOverFour.layer),
          Effect.fork
        )
        yield* TestClock.adjust("1 hour")
        const found = EffectChunk.toReadonlyArray(yield* Fiber.join(fiber))
        assert.deepStrictEqual(found.flatMap((chunk) => chunk.records), records.flat())
        assert.deepStrictEqual(found.map(({ t }) => t), found.map((_, i) => i + 1))
        for (const { over_budget, records: { length }, tokens } of found) {
          assert.isAbove(length, 0)
          assert.isTrue(tokens <= 10 || over_budget && length === 1)
        }
      }),
    { fastCheck: { numRuns: 60 } }
  )
})
