/**
 * What a server's numbers are worth: vectors of length 1, or the reason why they are none. Pure.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { EmbedRefused } from "../../../src/domain/EmbedderErrors.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type Answer = Either.Either<Float32Array, EmbedRefused>

/**
 * Numbers as JSON has them: what is no number at the server is null here.
 *
 * @since 0.1.0
 * @category models
 */
export type Values = ReadonlyArray<number | null>

const noDirection = new EmbedRefused({ detail: "the model finds no direction in it", retryable: false })

/**
 * The values, brought to length 1.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unit = (values: Values): Answer => {
  const numbers = Float64Array.from(values, (value) => value ?? Number.NaN)
  const length = Math.hypot(...numbers)
  return Number.isFinite(length) && length > 0
    ? Either.right(Float32Array.from(numbers, (value) => value / length))
    : Either.left(noDirection)
}

/**
 * The mean of a text's windows; one that was refused refuses the text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const mean = (windows: ReadonlyArray<Answer>): Answer =>
  Either.flatMap(Either.all(windows), ([first = new Float32Array(), ...others]) => {
    if (others.length === 0) return Either.right(first)
    const sums = Array.from(first)
    for (const vector of others) vector.forEach((value, i) => sums[i] = (sums[i] ?? 0) + value)
    return unit(sums)
  })
