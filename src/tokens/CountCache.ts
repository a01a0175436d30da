/**
 * Counts of pieces that come again. A piece has one place, by its hash, and takes it from whichever piece was there: the
 * cache is as large on its first day as on its last, and a text that is made to miss it costs no more than no cache.
 *
 * A piece lies beside its count in one line of the processor's own cache, and keeps no text alive.
 *
 * @since 0.1.0
 */

/**
 * The count of a piece of a text, which is not empty.
 *
 * @since 0.1.0
 * @category models
 */
export type CountCache = (units: Uint16Array, start: number, end: number) => number

/** Units of a place: the piece's length and count, then the piece. */
const stride = 32

/** A piece of more units has no place. One that has has fewer than 256 tokens: a unit is three bytes at most. */
const longest = stride - 1

/**
 * A cache around a way to count, of so many places: a power of two. 65,536 of them take 4 MiB.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (places: number, count: CountCache): CountCache => {
  const table = new Uint16Array(places * stride)
  return (units, start, end) => {
    const length = end - start
    if (length > longest) return count(units, start, end)
    let hash = length
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (units[at] ?? 0), 0x9e3779b1)
    const place = ((hash ^ hash >>> 15) & places - 1) * stride
    const head = table[place] ?? 0
    if (head >> 8 === length) {
      let same = 0
      while (same < length && table[place + 1 + same] === units[start + same]) same += 1
      if (same === length) return head & 0xff
    }
    const n = count(units, start, end)
    table[place] = length << 8 | n
    table.set(units.subarray(start, end), place + 1)
    return n
  }
}
