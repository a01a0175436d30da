/** What every Embedder keeps. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import type * as Layer from "effect/Layer"
import { Embedder } from "../../services/Embedder.ts"

const someTexts = FastCheck.array(FastCheck.fullUnicodeString({ maxLength: 200 }), { maxLength: 12 })

/** The vectors; a refusal fails the test. */
export const vectors = (texts: ReadonlyArray<string>) =>
  Effect.flatMap(Embedder, ({ embed }) => Effect.map(embed(texts), (answers) => answers.map(Either.getOrThrow)))

const length = (vector: Float32Array): number => Math.hypot(...vector)

/** The largest difference of any value; infinite where the vectors are not even of the same lengths. */
export const difference = (a: ReadonlyArray<Float32Array>, b: ReadonlyArray<Float32Array>): number => {
  const shapes = [a, b].map((vectors) => vectors.map(({ length }) => length).join())
  if (shapes[0] !== shapes[1]) return Number.POSITIVE_INFINITY
  let largest = 0
  a.forEach((vector, i) =>
    vector.forEach((value, j) => largest = Math.max(largest, Math.abs(value - (b[i]?.[j] ?? Number.NaN))))
  )
  return largest
}

/** A model may compute the last bits otherwise in other company, hence the tolerance; a slow one asks for few runs. */
export const contract = <E>(
  name: string,
  layer: Layer.Layer<Embedder, E>,
  { numRuns = 100, tolerance = 0 }: { readonly numRuns?: number; readonly tolerance?: number } = {}
): void =>
  it.layer(layer)(`Embedder/${name}`, (it) => {
    it.effect.prop(
      "answers every text, in order, as it answers it alone",
      [someTexts],
      ([texts]) =>
        Effect.gen(function*() {
          const together = yield* vectors(texts)
          const alone = yield* Effect.forEach(texts, (text) => vectors([text]))
          assert.isAtMost(difference(together, alone.flat()), tolerance)
        }),
      { fastCheck: { numRuns } }
    )

    it.effect.prop("answers vectors of its dims, and of length 1", [someTexts], ([texts]) =>
      Effect.gen(function*() {
        const { dims } = yield* Embedder
        for (const vector of yield* vectors(texts)) {
          assert.strictEqual(vector.length, dims)
          assert.approximately(length(vector), 1, 1e-5)
        }
      }), { fastCheck: { numRuns } })

    it.effect("tells different texts apart", () =>
      Effect.gen(function*() {
        const [a = [], b = [], c = []] = yield* vectors(["a lease", "a harbour", "a lease"])
        assert.notDeepEqual(Array.from(a), Array.from(b))
        assert.deepStrictEqual(Array.from(a), Array.from(c))
      }))

    it.effect("answers a text as often as it is given", () =>
      Effect.gen(function*() {
        const [first, other, again] = yield* vectors(["one", "two", "one"])
        assert.deepStrictEqual(first, again)
        assert.notDeepEqual(first, other)
      }))

    it.effect("answers the empty text like any other", () =>
      Effect.map(vectors([""]), ([vector = []]) => assert.approximately(Math.hypot(...vector), 1, 1e-5)))

    it.effect("answers nothing to nothing", () =>
      Effect.gen(function*() {
        const { embed, missing } = yield* Embedder
        assert.deepStrictEqual(yield* embed([]), [])
        assert.deepStrictEqual(yield* missing([]), [])
      }))

    it.effect.prop(
      "misses only what it was asked about, in that order",
      [someTexts],
      ([texts]) =>
        Effect.gen(function*() {
          const { missing } = yield* Embedder
          const named = yield* missing(texts)
          let from = 0
          for (const text of named) {
            const at = texts.indexOf(text, from)
            assert.isAtLeast(at, 0, JSON.stringify(text))
            from = at + 1
          }
        })
    )

    it.effect("says which model it is, in one printable line, and brings its counter", () =>
      Effect.map(Embedder, ({ counter, fingerprint }) => {
        assert.match(fingerprint, /^[!-~]+$/)
        assert.strictEqual(counter.count(""), 0)
      }))
  })
