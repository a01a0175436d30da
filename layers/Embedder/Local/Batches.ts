/**
 * Which sequences an engine is given together. The shorter ones of a batch are filled up to the longest, so those of
 * like length go together.
 *
 * @since 0.1.0
 */

/**
 * Tokens of a batch, fillings included. More do not make it faster, but take memory, and time until an interruption is
 * heard.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxTokens = 512

/**
 * Every sequence in exactly one batch, by length. One that is too long for any batch is one alone.
 *
 * @since 0.1.0
 * @category batching
 */
export const batches = <A extends { readonly sequence: ReadonlyArray<number> }>(
  items: ReadonlyArray<A>,
  max: number = maxTokens
): ReadonlyArray<ReadonlyArray<A>> => {
  const all: Array<Array<A>> = []
  for (const item of [...items].sort((a, b) => a.sequence.length - b.sequence.length)) {
    const open = all.at(-1)
    if (open !== undefined && (open.length + 1) * item.sequence.length <= max) open.push(item)
    else all.push([item])
  }
  return all
}
