import { assert, describe, it } from "@effect/vitest"
import * as EffectChunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { VecSource } from "../../layers/RecordSource/Vec.ts"
import * as CharsOverFour from "../../layers/TokenCounter/CharsOverFour.ts"
import { RecordSource } from "../../services/RecordSource.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { chunks } from "../../src/chunk/chunks.ts"
import type { Chunk } from "../../src/domain/Chunk.ts"
import { ChunkPolicy } from "../../src/domain/ChunkPolicy.ts"
import { Tokens } from "../../src/domain/FlushTrigger.ts"
import { RecordKey } from "../../src/domain/Ids.ts"
import { Record } from "../../src/domain/Record.ts"

const record = (i: number, tokens: number): Record =>
  new Record({ key: RecordKey.make(`r${i}`), seq: i, text: "x".repeat(tokens * 4) })

const recordsOf = (sizes: ReadonlyArray<number>): ReadonlyArray<Record> => sizes.map((size, i) => record(i, size))

const policyOf = (max_tokens: number, n = max_tokens): ChunkPolicy =>
  new ChunkPolicy({ max_tokens, split_on: "Record", flush: new Tokens({ n }) })

const inBatches = (records: ReadonlyArray<Record>, size: number): Stream.Stream<Record> =>
  Stream.fromIterable(records).pipe(Stream.rechunk(size))

const chunked = <E>(records: Stream.Stream<Record, E>, policy: ChunkPolicy) =>
  records.pipe(
    chunks(policy),
    Stream.runCollect,
    Effect.map((collected): ReadonlyArray<Chunk> => EffectChunk.toReadonlyArray(collected)),
    Effect.provide(CharsOverFour.layer)
  )

/** As the specification's harness has it: a source in memory, and a counter that estimates. */
const viaVecSource = (records: ReadonlyArray<Record>, policy: ChunkPolicy) =>
  Effect.gen(function*() {
    const source = yield* RecordSource
    return EffectChunk.toReadonlyArray(yield* source.records.pipe(chunks(policy), Stream.runCollect))
  }).pipe(Effect.provide(Layer.merge(VecSource(records), CharsOverFour.layer)))

const budget = 10
const small = [1, 2, 3, 1, 1, 2, 4, 1, 1, 3]
const mixed = [3, 0, 12, 4, 4, 4, 30, 0, 10, 1, 9, 1, 11, 2]
const oversized = [30, 11, 45]
const samples = { small, mixed, oversized }

const forEachSample = (
  check: (records: ReadonlyArray<Record>, chunks: ReadonlyArray<Chunk>) => void
) =>
  Effect.forEach(Object.values(samples), (sizes) => {
    const records = recordsOf(sizes)
    return Effect.map(viaVecSource(records, policyOf(budget)), (found) => check(records, found))
  }, { discard: true })

const encode = Schema.encodeSync(Schema.parseJson(Record))

const bytesOf = (record: Record): string => encode(record)

const sum = (records: ReadonlyArray<Record>): number =>
  records.reduce((total, { text }) => total + CharsOverFour.make.count(text), 0)

const noRecordIsSplit = (records: ReadonlyArray<Record>, found: ReadonlyArray<Chunk>): void => {
  const inputs = new Set(records.map(bytesOf))
  for (const chunk of found) for (const each of chunk.records) assert.isTrue(inputs.has(bytesOf(each)))
}

const lossless = (records: ReadonlyArray<Record>, found: ReadonlyArray<Chunk>): void =>
  assert.deepStrictEqual(found.flatMap((chunk) => chunk.records.map(bytesOf)), records.map(bytesOf))

const contiguous = (_: ReadonlyArray<Record>, found: ReadonlyArray<Chunk>): void =>
  assert.deepStrictEqual(found.map(({ t }) => t), found.map((_, i) => i + 1))

const respectsBudget = (max: number) => (_: ReadonlyArray<Record>, found: ReadonlyArray<Chunk>): void => {
  for (const { over_budget, records, tokens } of found) {
    assert.strictEqual(tokens, sum(records))
    assert.isAbove(records.length, 0)
    if (over_budget) assert.strictEqual(records.length, 1)
    assert.strictEqual(over_budget, tokens > max)
  }
}

/** No two neighbours could have been one: nothing is closed early. */
const greedy = (max: number) => (_: ReadonlyArray<Record>, found: ReadonlyArray<Chunk>): void => {
  for (const [i, { tokens }] of found.slice(1).entries()) {
    const next = found[i + 1]?.records[0]
    assert.isDefined(next)
    assert.isAbove((found[i]?.tokens ?? 0) + CharsOverFour.make.count(next.text), max)
    assert.isAtLeast(tokens, 0)
  }
}

describe("the specification's tests", () => {
  it.effect("a1_no_record_is_split", () => forEachSample(noRecordIsSplit))

  it.effect("a2_lossless", () => forEachSample(lossless))

  it.effect("a3_t_is_contiguous", () => forEachSample(contiguous))

  it.effect("a4_respects_budget", () => forEachSample(respectsBudget(budget)))

  it.effect("a5_oversized_record_survives", () =>
    Effect.gen(function*() {
      const big = record(1, budget * 3)
      const found = yield* viaVecSource([record(0, 2), big, record(2, 2)], policyOf(budget))
      assert.deepStrictEqual(found.map(({ over_budget, records }) => [over_budget, records.length]), [
        [false, 1],
        [true, 1],
        [false, 1]
      ])
      assert.strictEqual(found[1]?.records[0]?.text, big.text)
    }))

  it.effect("a6_empty_source", () =>
    Effect.map(viaVecSource([], policyOf(budget)), (found) => assert.deepStrictEqual(found, [])))
})

const anything = FastCheck.record({
  sizes: FastCheck.array(FastCheck.oneof(FastCheck.nat(4), FastCheck.nat(40)), { maxLength: 120 }),
  max: FastCheck.integer({ min: 1, max: 30 }),
  batch: FastCheck.constantFrom(1, 3, 64, 4096)
})

const law = (
  name: string,
  check: (max: number) => (records: ReadonlyArray<Record>, chunks: ReadonlyArray<Chunk>) => void
) =>
  it.effect.prop(name, [anything], ([{ batch, max, sizes }]) => {
    const records = recordsOf(sizes)
    return Effect.map(chunked(inBatches(records, batch), policyOf(max)), (found) => check(max)(records, found))
  })

describe("laws, for records and batches of any size", () => {
  law("a1_no_record_is_split", () => noRecordIsSplit)
  law("a2_lossless", () => lossless)
  law("a3_t_is_contiguous", () => contiguous)
  law("a4_respects_budget", respectsBudget)
  law("greedy: no two neighbours could have been one", greedy)

  it.effect.prop("a5_oversized_record_survives", [anything, FastCheck.nat()], ([{ batch, max, sizes }, where]) => {
    const before = sizes.slice(0, where % (sizes.length + 1))
    const records = recordsOf([...before, max * 3, ...sizes.slice(before.length)])
    const key = `r${before.length}`
    return Effect.map(chunked(inBatches(records, batch), policyOf(max)), (found) => {
      const holders = found.filter((chunk) => chunk.records.some((each) => each.key === key))
      assert.deepStrictEqual(holders.map(({ over_budget, records, tokens }) => [over_budget, records.length, tokens]), [
        [true, 1, max * 3]
      ])
    })
  })

  it.effect.prop("a6_empty_source", [FastCheck.integer({ min: 1, max: 30 }), FastCheck.nat(3)], ([max, empty]) => {
    const batches = Array.from({ length: empty }, () => EffectChunk.empty<Record>())
    return Effect.map(
      chunked(Stream.fromChunks(...batches), policyOf(max)),
      (found) => assert.deepStrictEqual(found, [])
    )
  })

  it.effect.prop("the batches of the source change nothing", [anything], ([{ max, sizes }]) => {
    const records = recordsOf(sizes)
    return Effect.gen(function*() {
      const one = yield* chunked(inBatches(records, 1), policyOf(max))
      const all = yield* chunked(inBatches(records, 4096), policyOf(max))
      assert.deepStrictEqual(one, all)
    })
  })

  it.effect("empty batches between others make no chunk and lose none", () => {
    const records = recordsOf([4, 4, 4])
    const batches = records.flatMap((each) => [EffectChunk.empty<Record>(), EffectChunk.of(each)])
    return Effect.map(
      chunked(Stream.fromChunks(...batches, EffectChunk.empty()), policyOf(budget)),
      (found) =>
        assert.deepStrictEqual(found.map((chunk) => chunk.records.map(({ key }) => key)), [["r0", "r1"], ["r2"]])
    )
  })
})

describe("the budget", () => {
  it.effect("a sum equal to it fits", () =>
    Effect.map(
      chunked(inBatches(recordsOf([4, 6, 1]), 64), policyOf(10)),
      (found) => assert.deepStrictEqual(found.map(({ tokens }) => tokens), [10, 1])
    ))

  it.effect("the smaller of flush and max_tokens closes, max_tokens judges", () =>
    Effect.map(
      chunked(inBatches(recordsOf([3, 3, 8, 12]), 64), policyOf(10, 5)),
      (found) =>
        assert.deepStrictEqual(found.map(({ over_budget, tokens }) => [tokens, over_budget]), [
          [3, false],
          [3, false],
          [8, false],
          [12, true]
        ])
    ))

  it.effect("nothing joins an oversized record, not even a record of no tokens", () =>
    Effect.map(
      chunked(inBatches(recordsOf([0, 30, 0, 0]), 64), policyOf(10)),
      (found) => assert.deepStrictEqual(found.map(({ records }) => records.length), [1, 1, 2])
    ))
})

describe("a source that fails", () => {
  it.effect("ends the chunks with its own error, after those that were complete", () =>
    Effect.gen(function*() {
      const seen = yield* Ref.make<ReadonlyArray<number>>([])
      const source = inBatches(recordsOf([6, 6, 6, 1]), 1).pipe(Stream.concat(Stream.fail("torn" as const)))
      const exit = yield* source.pipe(
        chunks(policyOf(10)),
        Stream.runForEach(({ t }) => Ref.update(seen, (before) => [...before, t])),
        Effect.provide(CharsOverFour.layer),
        Effect.exit
      )
      assert.deepStrictEqual(yield* Ref.get(seen), [1, 2])
      assert.deepStrictEqual(exit, Exit.fail("torn"))
    }))
})

/** An endless source that counts what was pulled from it, and notes its release. */
const endless = (batch: number) =>
  Effect.gen(function*() {
    const pulled = yield* Ref.make(0)
    const released = yield* Deferred.make<void>()
    const records = Stream.repeatEffectChunk(
      Effect.map(
        Ref.getAndUpdate(pulled, (n) => n + batch),
        (from) => EffectChunk.makeBy(batch, (i) => record(from + i, 4))
      )
    ).pipe(Stream.ensuring(Deferred.succeed(released, void 0)))
    return { pulled, released, records }
  })

describe("a source without an end", () => {
  it.effect("take(3) ends, having pulled what it needs and at most one batch more", () =>
    Effect.forEach([1, 3, 64, 4096], (batch) =>
      Effect.gen(function*() {
        const { pulled, records, released } = yield* endless(batch)
        const found = yield* records.pipe(
          chunks(policyOf(10)),
          Stream.take(3),
          Stream.runCollect,
          Effect.map(EffectChunk.toReadonlyArray),
          Effect.provide(CharsOverFour.layer)
        )
        assert.deepStrictEqual(found.map(({ t }) => t), [1, 2, 3])
        assert.isTrue(yield* Deferred.isDone(released))
        // Three chunks of two records, and the record that closed the third.
        assert.isAtMost(yield* Ref.get(pulled), 7 + batch)
      }), { discard: true }))

  it.effect("interruption releases it", () =>
    Effect.gen(function*() {
      const { records, released } = yield* endless(1)
      const first = yield* Deferred.make<void>()
      const fiber = yield* records.pipe(
        chunks(policyOf(10)),
        Stream.tap(() => Deferred.succeed(first, void 0)),
        Stream.runDrain,
        Effect.provide(CharsOverFour.layer),
        Effect.fork
      )
      yield* Deferred.await(first)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* Deferred.isDone(released))
    }))
})

/** Heap in bytes that is still reachable: looked at every so many records, after garbage was collected. */
const peakHeap = (total: number) =>
  Effect.gen(function*() {
    let peak = 0
    let made = 0
    const look = Math.floor(total / 20)
    const records = Stream.repeatEffectChunk(Effect.sync(() => {
      if (made % look < 4000) {
        globalThis.gc?.()
        peak = Math.max(peak, process.memoryUsage().heapUsed)
      }
      made += 4000
      return EffectChunk.makeBy(4000, (i) =>
        new Record({ ...blank, key: RecordKey.make(`r${made + i}`), text: `text of record ${made + i}` }, {
          disableValidation: true
        }))
    }))
    const count = yield* records.pipe(
      Stream.take(total),
      chunks(policyOf(5000)),
      Stream.runFold(0, (n, chunk) =>
        n + chunk.records.length),
      Effect.provide(CharsOverFour.layer)
    )
    assert.strictEqual(count, total)
    return peak
  })

const blank = new Record({ key: RecordKey.make("blank"), text: "" })

describe("memory", () => {
  it.live(
    "is that of a chunk: two million records at the peak heap of two hundred thousand",
    () =>
      Effect.gen(function*() {
        assert.isDefined(globalThis.gc, "run with --expose-gc")
        yield* peakHeap(20_000)
        const few = yield* peakHeap(200_000)
        const many = yield* peakHeap(2_000_000)
        assert.isBelow(many, few * 1.1)
      }),
    120_000
  )
})

describe("counting", () => {
  it.effect("every record is counted once, alone", () =>
    Effect.gen(function*() {
      const counted: Array<string> = []
      const counter = TokenCounter.of({
        fingerprint: "noting",
        count: (text) => {
          counted.push(text)
          return text.length
        }
      })
      const records = recordsOf(mixed)
      yield* inBatches(records, 3).pipe(
        chunks(policyOf(20)),
        Stream.runDrain,
        Effect.provideService(TokenCounter, counter)
      )
      assert.deepStrictEqual(counted, records.map(({ text }) => text))
    }))
})
