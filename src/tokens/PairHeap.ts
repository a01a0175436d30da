/**
 * The pairs of a piece by rank, and by place among equals: a heap of numbers in which each has four below it, so that
 * the way down is short and the four lie side by side.
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
  /**
   * Of the pair that was popped last.
   *
   * @since 0.1.0
   */
  rank = 0
  /**
   * Of the pair that was popped last.
   *
   * @since 0.1.0
   */
  place = 0
  private pairs: Float64Array
  private size = 0

  /** A heap that grows where it must hold more pairs than that. */
  constructor(capacity: number) {
    this.pairs = new Float64Array(capacity + 1)
  }

  /**
   * Adds a pair.
   *
   * @since 0.1.0
   */
  push(rank: number, place: number): void {
    if (this.size === this.pairs.length) {
      const larger = new Float64Array(2 * this.size)
      larger.set(this.pairs)
      this.pairs = larger
    }
    const { pairs } = this
    const pair = rank * places + place
    let at = this.size++
    while (at > 0) {
      const above = at - 1 >> 2
      const other = pairs[above] ?? 0
      if (other <= pair) break
      pairs[at] = other
      at = above
    }
    pairs[at] = pair
  }

  /**
   * Takes the least pair, if there is one.
   *
   * @since 0.1.0
   */
  pop(): boolean {
    if (this.size === 0) return false
    const { pairs } = this
    const least = pairs[0] ?? 0
    this.rank = Math.floor(least / places)
    this.place = least - this.rank * places
    const size = --this.size
    const last = pairs[size] ?? 0
    let at = 0
    for (let first = 1; first < size; first = 4 * at + 1) {
      let below = first
      let other = pairs[first] ?? 0
      for (let i = first + 1; i < first + 4 && i < size; i++) {
        const one = pairs[i] ?? 0
        if (one < other) {
          other = one
          below = i
        }
      }
      if (last <= other) break
      pairs[at] = other
      at = below
    }
    pairs[at] = last
    return true
  }
}
