/** What every RecordSource keeps, given a way to make one that delivers these Records. */
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { RecordSource } from "../../services/RecordSource.ts"
import { RecordKey } from "../../src/domain/Ids.ts"
import { Record } from "../../src/domain/Record.ts"

const texts = FastCheck.array(FastCheck.fullUnicodeString(), { maxLength: 50 })

const recordsOf = (texts: ReadonlyArray<string>): ReadonlyArray<Record> =>
  texts.map((text, i) => new Record({ key: RecordKey.make(`r${i}`), seq: i, text }))

const collect = Effect.gen(function*() {
  const { records } = yield* RecordSource
  return Chunk.toReadonlyArray(yield* Stream.runCollect(records))
})

export const contract = (
  name: string,
  layer: (records: ReadonlyArray<Record>) => Layer.Layer<RecordSource>
): void => {
  describe(`RecordSource/${name}`, () => {
    it.effect.prop("delivers every Record once, whole, in order", [texts], ([texts]) =>
      Effect.gen(function*() {
        const records = recordsOf(texts)
        assert.deepStrictEqual(yield* Effect.provide(collect, layer(records)), records)
      }))

    it.effect("delivers them again when it is read again", () =>
      Effect.gen(function*() {
        const records = recordsOf(["a", "b"])
        const [first, second] = yield* Effect.all([collect, collect]).pipe(Effect.provide(layer(records)))
        assert.deepStrictEqual(first, records)
        assert.deepStrictEqual(second, records)
      }))

    it.effect("emits batches, not single Records", () =>
      Effect.gen(function*() {
        const records = recordsOf(Array.from({ length: 1000 }, (_, i) => `text ${i}`))
        const source = yield* Effect.provide(RecordSource, layer(records))
        const batches = yield* source.records.pipe(Stream.chunks, Stream.runCount)
        assert.isAtMost(batches, 1000 / 64)
      }))
  })
}
