/**
 * The pairs of a piece by rank, and by place among equals: a binary heap of numbers.
 *
 * @since 0.1.0
 */

/** No string is so long. With ranks below 2^23, rank and place are one exact number. */
const places = 2 ** 30

/**
 * @since 0.1.0
 * @category models
 */
export class PairHeap {
  /** Of the pair that was popped last. */
  rank = 0
  /** Of the pair that was popped last. */
  place = 0
  private readonly pairs: Array<number> = []

  /** Adds a pair. */
  push(rank: number, place: number): void {
    const { pairs } = this
    const pair = rank * places + place
    let at = pairs.length
    pairs.push(pair)
    while (at > 0) {
      const above = at - 1 >> 1
      const other = pairs[above] ?? 0
      if (other <= pair) break
      pairs[at] = other
      at = above
    }
    pairs[at] = pair
  }

  /** Takes the least pair, if there is one. */
  pop(): boolean {
    const { pairs } = this
    const least = pairs[0]
    const last = pairs.pop()
    if (least === undefined || last === undefined) return false
    this.rank = Math.floor(least / places)
    this.place = least % places
    const { length } = pairs
    if (length === 0) return true
    let at = 0
    for (let below = 1; below < length; below = 2 * at + 1) {
      const left = pairs[below] ?? 0
      const right = pairs[below + 1] ?? Infinity
      const less = right < left ? below + 1 : below
      const other = Math.min(left, right)
      if (last <= other) break
      pairs[at] = other
      at = less
    }
    pairs[at] = last
    return true
  }
}
