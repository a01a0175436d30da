import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { fold, type Step } from "../../src/stream/Fold.ts"

/** Says how many items each batch had, and at the end how many there were in all. */
const tally: Step<number, string, string> = (sum, signal) =>
  signal._tag === "Flush" ? [sum, [`all ${sum}`]] : [sum + signal.items.length, [`batch ${signal.items.length}`]]

const collect = <E>(stream: Stream.Stream<string, E>) => Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

describe("fold", () => {
  it.effect("steps once a batch, and once more at the end", () =>
    Effect.map(
      collect(Stream.fromChunks(Chunk.make("a", "b"), Chunk.of("c")).pipe(fold(0, tally))),
      (out) => assert.deepStrictEqual(out, ["batch 2", "batch 1", "all 3"])
    ))

  it.effect("flushes an empty stream", () =>
    Effect.map(collect(Stream.empty.pipe(fold(0, tally))), (out) => assert.deepStrictEqual(out, ["all 0"])))

  it.effect("does not flush a stream that failed, and keeps its error", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const failing = Stream.concat(Stream.make("a"), Stream.fail("torn" as const))
      const result = yield* failing.pipe(
        fold(0, tally),
        Stream.runForEach((out) => Effect.sync(() => seen.push(out))),
        Effect.either
      )
      assert.deepStrictEqual(seen, ["batch 1"])
      assert.deepStrictEqual(result, Either.left("torn"))
    }))

  it.effect("starts from the same state each time it runs", () =>
    Effect.gen(function*() {
      const stream = Stream.make("a").pipe(fold(0, tally))
      assert.deepStrictEqual(yield* collect(stream), yield* collect(stream))
    }))
})
