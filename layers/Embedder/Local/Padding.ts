/**
 * Sequences as an engine takes them: of one length side by side, the shorter ones filled up with what the mask hides.
 *
 * @since 0.1.0
 */
import type { Rows } from "./OnnxRuntime.ts"

/**
 * `mask` is 1 where there is a piece and 0 behind the end.
 *
 * @since 0.1.0
 * @category models
 */
export interface Padded {
  readonly ids: Rows
  readonly mask: Rows
}

/**
 * `pad` is the piece that they are filled up with.
 *
 * @since 0.1.0
 * @category constructors
 */
export const padded = (sequences: ReadonlyArray<ReadonlyArray<number>>, pad: number): Padded => {
  const length = Math.max(...sequences.map((sequence) => sequence.length))
  const ids = new BigInt64Array(sequences.length * length).fill(BigInt(pad))
  const mask = new BigInt64Array(sequences.length * length)
  sequences.forEach((sequence, row) =>
    sequence.forEach((id, column) => {
      ids[row * length + column] = BigInt(id)
      mask[row * length + column] = 1n
    })
  )
  const dims = [sequences.length, length] as const
  return { ids: { values: ids, dims }, mask: { values: mask, dims } }
}
