import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { Line, lines } from "../../src/log/Lines.ts"

const split = (pieces: ReadonlyArray<Uint8Array>, maxBytes = 1_000) =>
  Stream.fromIterable(pieces).pipe(lines(maxBytes), Stream.runCollect, Effect.map(Chunk.toReadonlyArray))

const bytes = (text: string) => new Uint8Array(Buffer.from(text))

const cutUp = (whole: Uint8Array, cuts: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  return at.slice(1).map((end, i) => whole.subarray(at[i], end))
}

const input = FastCheck.record({
  whole: FastCheck.array(FastCheck.constantFrom(0x0a, 0x0a, 0x0d, 0x61, 0xe2, 0xff), { maxLength: 60 })
    .map((values) => Uint8Array.from(values)),
  cuts: FastCheck.array(FastCheck.nat(), { maxLength: 8 })
})

describe("lines", () => {
  it.effect.prop(
    "lose no byte and know where they stood, however the bytes arrive",
    [input],
    ([{ cuts, whole }]) =>
      Effect.gen(function*() {
        const found = yield* split(cutUp(whole, cuts))
        let offset = 0
        const rebuilt = found.flatMap((line) => {
          assert.isTrue(Line.$is("Line")(line))
          assert.strictEqual(line.offset, offset)
          const own = line._tag === "Line" ? [...line.bytes, ...(line.terminated ? [0x0a] : [])] : []
          offset += own.length
          assert.isFalse(own.slice(0, -1).includes(0x0a))
          return own
        })
        assert.deepStrictEqual(rebuilt, [...whole])
        assert.isTrue(found.slice(0, -1).every(({ terminated }) => terminated))
      })
  )

  it.effect("only a line feed ends a line", () =>
    Effect.map(split([bytes("a\r\rb\u2028c\u0085d\u000b\n")]), (found) =>
      assert.deepStrictEqual(found, [
        Line.Line({ bytes: bytes("a\r\rb\u2028c\u0085d\u000b"), offset: 0, terminated: true })
      ])))

  it.effect("a tail without a line feed is marked", () =>
    Effect.map(split([bytes("a\nb")]), (found) =>
      assert.deepStrictEqual(found, [
        Line.Line({ bytes: bytes("a"), offset: 0, terminated: true }),
        Line.Line({ bytes: bytes("b"), offset: 2, terminated: false })
      ])))

  it.effect("a line above the limit is told by place and length; its neighbours are whole", () =>
    Effect.map(split(["a\nbb", "bb", "b\nc\ndddd"].map(bytes), 3), (found) =>
      assert.deepStrictEqual(found, [
        Line.Line({ bytes: bytes("a"), offset: 0, terminated: true }),
        Line.TooLong({ length: 5, offset: 2, terminated: true }),
        Line.Line({ bytes: bytes("c"), offset: 8, terminated: true }),
        Line.TooLong({ length: 4, offset: 10, terminated: false })
      ])))

  it.effect("gives a line out before the next bytes are asked for", () =>
    Effect.gen(function*() {
      let asked = 0
      const pieces = Stream.repeatEffect(Effect.sync(() => bytes(`${asked++}\n`)))
      yield* pieces.pipe(lines(10), Stream.take(3), Stream.runDrain)
      assert.strictEqual(asked, 3)
    }))

  it.effect("a line that never ends is not held", () =>
    Effect.gen(function*() {
      const mebibyte = 1024 * 1024
      const held: Array<number> = []
      yield* Stream.range(1, 200).pipe(
        Stream.rechunk(1),
        Stream.map((i) => {
          if (i % 50 === 0) {
            globalThis.gc?.()
            held.push(process.memoryUsage().arrayBuffers)
          }
          return new Uint8Array(mebibyte).fill(0x61)
        }),
        lines(4 * mebibyte),
        Stream.runDrain
      )
      assert.isBelow(Math.max(...held) - Math.min(...held), 20 * mebibyte)
    }))
})
