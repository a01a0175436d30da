/**
 * Byte pair encoding of one piece: of all neighbours that are a token together, those of the lowest rank are joined, the
 * leftmost first, until there are none.
 *
 * There are two ways to the same end. Looking at all pairs before each join is the faster one for what is short, and
 * quadratic; a heap of the pairs takes n log n. Only the number of parts that are left is wanted.
 *
 * @since 0.1.0
 */
import { PairHeap } from "./PairHeap.ts"
import { noRank, type RankTable } from "./RankTable.ts"

/**
 * By looking at all pairs.
 *
 * @since 0.1.0
 * @category merging
 */
export const byScan = ({ rankOf }: RankTable, bytes: Uint8Array): number => {
  let parts = bytes.length
  // Where each part begins, and the end; the rank of each with the one behind it.
  const starts: Array<number> = [0]
  const pairs: Array<number> = []
  for (let i = 1; i < parts; i++) {
    starts.push(i)
    pairs.push(rankOf(bytes, i - 1, i + 1))
  }
  starts.push(parts)
  const rankAt = (i: number): number => i + 1 < parts ? rankOf(bytes, starts[i] ?? 0, starts[i + 2] ?? 0) : noRank
  for (;;) {
    let least = noRank
    let at = 0
    for (let i = 0; i + 1 < parts; i++) {
      const rank = pairs[i] ?? noRank
      if (rank < least) {
        least = rank
        at = i
      }
    }
    if (least === noRank) return parts
    parts -= 1
    for (let i = at + 1; i <= parts; i++) {
      starts[i] = starts[i + 1] ?? 0
      pairs[i] = pairs[i + 1] ?? noRank
    }
    pairs[at] = rankAt(at)
    if (at > 0) pairs[at - 1] = rankAt(at - 1)
  }
}

/**
 * By a heap of the pairs. A part is known by the place where it begins; a pair in the heap is stale once the part is
 * gone or its pair is another one, which then has another rank.
 *
 * @since 0.1.0
 * @category merging
 */
export const byHeap = ({ rankOf }: RankTable, bytes: Uint8Array): number => {
  const end = bytes.length
  const next = new Int32Array(end + 1)
  const previous = new Int32Array(end + 1)
  const pairs = new Int32Array(end + 1).fill(noRank)
  const heap = new PairHeap(end)
  const look = (at: number): void => {
    const second = next[at] ?? end
    const rank = second < end ? rankOf(bytes, at, next[second] ?? end) : noRank
    pairs[at] = rank
    if (rank !== noRank) heap.push(rank, at)
  }
  for (let i = 0; i <= end; i++) {
    next[i] = i + 1
    previous[i] = i - 1
  }
  for (let i = 0; i < end; i++) look(i)
  let parts = end
  while (heap.pop()) {
    const { place } = heap
    if (pairs[place] !== heap.rank) continue
    const second = next[place] ?? end
    const third = next[second] ?? end
    pairs[second] = noRank
    next[place] = third
    previous[third] = place
    parts -= 1
    look(place)
    if (place > 0) look(previous[place] ?? 0)
  }
  return parts
}
