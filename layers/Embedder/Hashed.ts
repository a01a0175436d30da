/**
 * Vectors without a model, for tests: every three neighbouring characters of a text, hashed, pull its vector one way.
 * The same text always has the same vector, and texts that share much of their spelling lie close together; of meaning
 * it knows nothing.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Embedder } from "../../services/Embedder.ts"
import { embedderKind, type RegisteredEmbedder } from "../../src/config/embedderKind.ts"
import { EmbedderFingerprint } from "../../src/domain/Ids.ts"
import { wholeNumber } from "../../src/domain/Numbers.ts"
import * as CharsOverFour from "../TokenCounter/CharsOverFour.ts"

/**
 * `dims` is the length of every vector.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly dims: number
}

/**
 * @since 0.1.0
 * @category options
 */
export const defaultOptions: Options = { dims: 16 }

/** Spreads the bits of a 32-bit number over all of them (the finisher of MurmurHash3). */
const mix = (bits: number): number => {
  const a = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
  return b ^ (b >>> 16)
}

const vectorOf = (text: string, dims: number): Float32Array => {
  const sums = new Float64Array(dims)
  const edged = `\u0002${text}\u0003\u0003`
  for (let at = 2; at < edged.length; at++) {
    let gram = 0
    for (let unit = at - 2; unit <= at; unit++) gram = mix(gram ^ edged.charCodeAt(unit))
    for (let i = 0; i < dims; i++) sums[i] = (sums[i] ?? 0) + ((mix(gram + i) & 1) === 0 ? -1 : 1)
  }
  const length = Math.hypot(...sums)
  // What pulls in all directions alike still needs one.
  return length === 0
    ? Float32Array.from(sums, (_, i) => i === 0 ? 1 : 0)
    : Float32Array.from(sums, (sum) => sum / length)
}

/**
 * It refuses no text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ dims }: Options = defaultOptions): Embedder["Type"] =>
  Embedder.of({
    fingerprint: EmbedderFingerprint.make(`hashed/1/${dims}`),
    dims,
    counter: CharsOverFour.make,
    missing: Effect.succeed,
    embed: (texts) => Effect.sync(() => texts.map((text) => Either.right(vectorOf(text, dims))))
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = defaultOptions): Layer.Layer<Embedder> =>
  Layer.succeed(Embedder, make(options))

/**
 * How it is configured: `embedder: { kind: hashed }`, with `dims` from 1 to 4096 if not 16.
 *
 * @since 0.1.0
 * @category kinds
 */
export const kind: RegisteredEmbedder = embedderKind({
  kind: "hashed",
  remark: "hashed is for tests: it knows spelling and nothing of meaning",
  config: Schema.Struct({ dims: Schema.optionalWith(wholeNumber(1, 4096), { default: () => defaultOptions.dims }) }),
  make: (options) => Effect.succeed(make(options))
})
