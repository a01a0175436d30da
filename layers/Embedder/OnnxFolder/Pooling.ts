/**
 * From the vectors of a sequence's pieces to one of length 1. Pure.
 *
 * @since 0.1.0
 */
import type { OnnxModel } from "../Local/Engine.ts"

const unit = (values: Float64Array): Float32Array => {
  const length = Math.hypot(...values)
  return Float32Array.from(values, (value) => value / length)
}

const meanOf = (hidden: Float32Array, dims: number): Float64Array => {
  const sums = new Float64Array(dims)
  hidden.forEach((value, i) => sums[i % dims] = (sums[i % dims] ?? 0) + value)
  return sums
}

/**
 * `hidden` holds one vector for each piece, one behind the other; with `none` it is the sequence's own. What has no
 * direction becomes no numbers.
 *
 * @since 0.1.0
 * @category pooling
 */
export const pool = (hidden: Float32Array, { dims, pooling }: Pick<OnnxModel, "dims" | "pooling">): Float32Array => {
  switch (pooling) {
    case "mean":
      return unit(meanOf(hidden, dims))
    case "lasttoken":
      return unit(Float64Array.from(hidden.subarray(hidden.length - dims)))
    case "cls":
    case "none":
      return unit(Float64Array.from(hidden.subarray(0, dims)))
  }
}
