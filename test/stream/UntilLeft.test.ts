import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { untilLeft } from "../../src/stream/UntilLeft.ts"

type Item = Either.Either<number, string>

const item: FastCheck.Arbitrary<Item> = FastCheck.oneof(
  { weight: 5, arbitrary: FastCheck.nat().map((n) => Either.right(n)) },
  { weight: 1, arbitrary: FastCheck.string().map((fault) => Either.left(fault)) }
)
const batches = FastCheck.array(FastCheck.array(item, { maxLength: 6 }), { maxLength: 6 })

/** What came out, and what it ended with. */
const collect = <E>(stream: Stream.Stream<number, E>) =>
  Effect.gen(function*() {
    const seen: Array<number> = []
    const end = yield* Effect.either(Stream.runForEach(stream, (n) => Effect.sync(() => seen.push(n))))
    return [seen, end] as const
  })

describe("untilLeft", () => {
  it.effect.prop(
    "gives out all that stands before the first Left, then fails with it",
    [batches],
    ([batches]) =>
      Effect.gen(function*() {
        const items = batches.flat()
        const first = items.findIndex(Either.isLeft)
        const [seen, end] = yield* collect(untilLeft(Stream.fromChunks(...batches.map(Chunk.unsafeFromArray))))
        assert.deepStrictEqual(
          seen,
          (first < 0 ? items : items.slice(0, first)).flatMap(Either.match({
            onLeft: () => [],
            onRight: (n: number) => [n]
          }))
        )
        assert.deepStrictEqual(end, Either.map(items[first] ?? Either.right(0), () => undefined))
      })
  )

  it.effect("keeps the batches", () =>
    Effect.gen(function*() {
      const stream = Stream.fromChunks(Chunk.make(1, 2), Chunk.make(3, 4, 5)).pipe(Stream.map(Either.right), untilLeft)
      const sizes = yield* Stream.runCollect(Stream.chunks(stream))
      assert.deepStrictEqual(Chunk.toReadonlyArray(sizes).map(Chunk.size), [2, 3])
    }))

  it.effect("asks for nothing behind the Left", () =>
    Effect.gen(function*() {
      let asked = 0
      const stream = Stream.make<Array<Item>>(Either.right(1), Either.left("end")).pipe(
        Stream.concat(Stream.sync((): Item => Either.right(++asked))),
        untilLeft
      )
      assert.deepStrictEqual(yield* collect(stream), [[1], Either.left("end")])
      assert.strictEqual(asked, 0)
    }))

  it.effect("lets the stream's own failure through, behind what came before it", () =>
    Effect.gen(function*() {
      const stream = Stream.make<Array<Item>>(Either.right(1)).pipe(Stream.concat(Stream.fail("disk")), untilLeft)
      assert.deepStrictEqual(yield* collect(stream), [[1], Either.left("disk")])
    }))
})
