/**
 * The most that can be kept of a sequence so that it rises: what of the lines of a damaged segment stands in its place
 * is what most of them agree on, wherever a stray one lies. Pure.
 *
 * @since 0.1.0
 */

/**
 * A longest strictly rising part of the items, in their order, by what `of` says of each.
 *
 * @since 0.1.0
 * @category choosing
 */
export const rising = <A>(items: ReadonlyArray<A>, of: (item: A) => number): ReadonlyArray<A> => {
  /** By the length of a rising part less one: the item that ends the lowest such part, and the end of the part before. */
  const ends: Array<End<A>> = []
  for (const item of items) {
    const value = of(item)
    const place = firstNotBelow(ends, value)
    ends[place] = { item, value, before: ends[place - 1] }
  }
  const kept: Array<A> = []
  for (let end = ends.at(-1); end !== undefined; end = end.before) kept.push(end.item)
  return kept.reverse()
}

interface End<A> {
  readonly item: A
  readonly value: number
  readonly before: End<A> | undefined
}

const firstNotBelow = (ends: ReadonlyArray<{ readonly value: number }>, value: number): number => {
  let [low, high] = [0, ends.length]
  // Nearly always it goes on from the last one.
  if ((ends.at(-1)?.value ?? Number.NEGATIVE_INFINITY) < value) return high
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle]?.value ?? value) < value) low = middle + 1
    else high = middle
  }
  return low
}
