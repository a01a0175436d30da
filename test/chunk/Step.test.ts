import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as CharsOverFour from "../../layers/TokenCounter/CharsOverFour.ts"
import { initial, type State, step } from "../../src/chunk/Step.ts"
import type { Chunk } from "../../src/domain/Chunk.ts"
import { ChunkPolicy } from "../../src/domain/ChunkPolicy.ts"
import { Tokens } from "../../src/domain/FlushTrigger.ts"
import { RecordKey } from "../../src/domain/Ids.ts"
import { Record } from "../../src/domain/Record.ts"
import { Signal } from "../../src/stream/Fold.ts"

const record = (i: number, tokens: number): Record =>
  new Record({ key: RecordKey.make(`r${i}`), text: "x".repeat(tokens * 4) })

const policy = new ChunkPolicy({ max_tokens: 10, split_on: "Record", flush: new Tokens({ n: 10 }) })

const next = step(policy, CharsOverFour.make.count)

const run = (signals: ReadonlyArray<Signal<Record>>, from: State = initial): ReadonlyArray<Chunk> => {
  let state = from
  return signals.flatMap((signal) => {
    const [after, out] = next(state, signal)
    state = after
    return out
  })
}

const shape = (chunks: ReadonlyArray<Chunk>) => chunks.map(({ records, t }) => [t, records.map(({ key }) => key)])

const batch = (...items: ReadonlyArray<Record>): Signal<Record> => Signal.Batch({ items })
const flush: Signal<Record> = Signal.Flush()

const nothing = record(0, 0)

describe("step", () => {
  it("numbers go on after a flush", () => {
    const chunks = run([batch(record(0, 3)), flush, batch(record(1, 3)), flush])
    assert.deepStrictEqual(shape(chunks), [[1, ["r0"]], [2, ["r1"]]])
  })

  it("a flush of nothing gives nothing and uses no number", () => {
    const chunks = run([flush, flush, batch(record(0, 3)), flush, flush, batch(record(1, 3)), flush])
    assert.deepStrictEqual(shape(chunks), [[1, ["r0"]], [2, ["r1"]]])
  })

  it("an empty batch opens no chunk", () => {
    assert.deepStrictEqual(run([batch(), flush]), [])
    assert.deepStrictEqual(shape(run([batch(record(0, 3)), batch(), batch(record(1, 3)), flush])), [[1, ["r0", "r1"]]])
  })

  it("a chunk may span hundreds of thousands of batches", () => {
    const batches = Array.from({ length: 200_000 }, () => batch(nothing))
    const [chunk, ...rest] = run([...batches, flush])
    assert.deepStrictEqual([chunk?.records.length, rest.length], [200_000, 0])
  })

  it("a counter that says NaN makes no chunk without end", () => {
    const [, chunks] = step(policy, () => Number.NaN)(initial, batch(record(0, 1), record(1, 1), record(2, 1)))
    assert.deepStrictEqual(shape(chunks), [[1, ["r0"]], [2, ["r1"]]])
  })

  it("a chunk keeps the order of the batches it came in", () => {
    const chunks = run([
      batch(record(0, 1), record(1, 1)),
      batch(record(2, 1)),
      batch(record(3, 1), record(4, 9)),
      flush
    ])
    assert.deepStrictEqual(shape(chunks), [[1, ["r0", "r1", "r2", "r3"]], [2, ["r4"]]])
  })

  it.prop("is pure: a state can be stepped again, and what came out before stays as it was", [
    FastCheck.array(FastCheck.nat(14), { maxLength: 12 }),
    FastCheck.array(FastCheck.nat(14), { maxLength: 12 })
  ], ([first, second]) => {
    const [open] = next(initial, batch(...first.map((size, i) => record(i, size))))
    const signals = [batch(...second.map((size, i) => record(100 + i, size))), flush]
    const once = shape(run(signals, open))
    run([batch(record(200, 3)), flush], open)
    assert.deepStrictEqual(shape(run(signals, open)), once)
  })
})
