/**
 * Texts that are longer than a model reads at once. They are read in windows that overlap, and their vector is the mean
 * of the windows' vectors: worse than smaller texts would be, but nothing of the text is left out.
 *
 * @since 0.1.0
 */

/**
 * What a model reads at once: at most `maxTokens` pieces, those counted that stand before and behind each sequence.
 *
 * @since 0.1.0
 * @category models
 */
export interface Frame {
  readonly maxTokens: number
  readonly before: ReadonlyArray<number>
  readonly behind: ReadonlyArray<number>
}

/**
 * Pieces of a window: what the model reads at once, without those around it.
 *
 * @since 0.1.0
 * @category getters
 */
export const widthOf = ({ before, behind, maxTokens }: Frame): number => maxTokens - before.length - behind.length

/**
 * Pieces that a window has in common with the one before it: an eighth of what is read at once.
 *
 * @since 0.1.0
 * @category getters
 */
export const overlapOf = ({ maxTokens }: Frame): number => Math.floor(maxTokens / 8)

/**
 * The sequences that the model reads for a text of these pieces: one, unless the text is too long.
 *
 * @since 0.1.0
 * @category windows
 */
export const windows = (frame: Frame) => {
  const width = widthOf(frame)
  const step = Math.max(1, width - overlapOf(frame))
  return (pieces: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => {
    const n = 1 + Math.max(0, Math.ceil((pieces.length - width) / step))
    return Array.from({ length: n }, (_, i) => [
      ...frame.before,
      ...pieces.slice(i * step, i * step + width),
      ...frame.behind
    ])
  }
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
