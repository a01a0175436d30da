/**
 * Texts that are longer than the model reads at once. They are read in windows that overlap, and their vector is the
 * mean of the windows' vectors: worse than smaller texts would be, but nothing of the text is left out.
 *
 * @since 0.1.0
 */
import * as Model from "../MiniLm/Model.ts"

/**
 * Pieces of a window: what the model reads at once, without the two around it.
 *
 * @since 0.1.0
 * @category constants
 */
export const width = Model.maxTokens - 2

/**
 * Pieces that a window has in common with the one before it.
 *
 * @since 0.1.0
 * @category constants
 */
export const overlap = 32

/**
 * The sequences that the model reads for a text of these pieces: one, unless the text is too long.
 *
 * @since 0.1.0
 * @category windows
 */
export const windows = (pieces: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => {
  const step = width - overlap
  const n = 1 + Math.max(0, Math.ceil((pieces.length - width) / step))
  return Array.from({ length: n }, (_, i) => [
    Model.edges.first,
    ...pieces.slice(i * step, i * step + width),
    Model.edges.last
  ])
}

/**
 * The mean of the vectors, of length 1; a single one is left as it is. There is none where a value is no number, or
 * where the vectors cancel each other out.
 *
 * @since 0.1.0
 * @category pooling
 */
export const mean = (vectors: ReadonlyArray<Float32Array>): Float32Array | undefined => {
  const [first = new Float32Array(), ...others] = vectors
  const sums = Float64Array.from(first)
  for (const vector of others) vector.forEach((value, i) => sums[i] = (sums[i] ?? 0) + value)
  const length = Math.hypot(...sums)
  if (!Number.isFinite(length) || length === 0) return undefined
  return others.length === 0 ? first : Float32Array.from(sums, (sum) => sum / length)
}
