/**
 * The tokens of an encoding by their bytes. A token's rank is its number: how late it was made.
 *
 * All tokens lie in one array of bytes, and are found by their hash: there is no string and no object for each, so the
 * table is read in a moment, and a piece is looked up where it stands.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"

/**
 * @since 0.1.0
 * @category models
 */
export interface RankTable {
  /** How many tokens there are. */
  readonly size: number
  /** The rank of `bytes.subarray(start, end)`, or {@link noRank} where that is no token. */
  readonly rankOf: (bytes: Uint8Array, start: number, end: number) => number
}

/**
 * Above every rank.
 *
 * @since 0.1.0
 * @category constants
 */
export const noRank = 0x7fffffff

const hashOf = (bytes: Uint8Array, start: number, end: number): number => {
  let hash = end - start
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x9e3779b1)
  return hash ^ hash >>> 15
}

/** The ends of the tokens within `bytes`, each beginning where the one before it ends. */
interface Tokens {
  readonly bytes: Uint8Array
  readonly ends: Int32Array
}

/** Two thirds of the places are empty at least: the way to one that is free is short. */
const placesFor = (tokens: number): number => 2 ** Math.ceil(Math.log2(3 * tokens + 1))

const tableOf = ({ bytes, ends }: Tokens): Either.Either<RankTable, string> => {
  const places = placesFor(ends.length)
  // The hash and the number above zero of a token lie side by side.
  const table = new Int32Array(2 * places)
  let longest = 0

  const isAt = (rank: number, other: Uint8Array, start: number, end: number): boolean => {
    const from = rank === 0 ? 0 : ends[rank - 1] ?? 0
    const length = end - start
    if ((ends[rank] ?? 0) - from !== length) return false
    for (let i = 0; i < length; i++) if (bytes[from + i] !== other[start + i]) return false
    return true
  }

  /** Where a token is, or the empty place where it would be. */
  const placeOf = (other: Uint8Array, start: number, end: number, hash: number): number => {
    let place = 2 * (hash & places - 1)
    for (let after = table[place + 1] ?? 0; after !== 0; after = table[place + 1] ?? 0) {
      if (table[place] === hash && isAt(after - 1, other, start, end)) break
      place = place + 2 & 2 * places - 1
    }
    return place
  }

  const rankOf = (other: Uint8Array, start: number, end: number): number => {
    if (end - start > longest) return noRank
    const after = table[placeOf(other, start, end, hashOf(other, start, end)) + 1] ?? 0
    return after === 0 ? noRank : after - 1
  }

  let start = 0
  for (let rank = 0; rank < ends.length; rank++) {
    const end = ends[rank] ?? start
    const hash = hashOf(bytes, start, end)
    const place = placeOf(bytes, start, end, hash)
    if (table[place + 1] !== 0) return Either.left(`has a token twice, in line ${table[place + 1]} and ${rank + 1}`)
    table[place] = hash
    table[place + 1] = rank + 1
    longest = Math.max(longest, end - start)
    start = end
  }
  for (let byte = 0; byte < 256; byte++) {
    if (rankOf(Uint8Array.of(byte), 0, 1) === noRank) return Either.left(`has no token for the byte ${byte}`)
  }
  return Either.right({ size: ends.length, rankOf })
}

const lineFeed = 0x0a
const blank = 0x20
const padding = 0x3d
const zero = 0x30
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const noDigit = 64

/** What a byte is worth as a digit of base64. */
const worth = new Uint8Array(256).fill(noDigit)
for (let i = 0; i < digits.length; i++) worth[digits.charCodeAt(i)] = i

/**
 * Reads a file `*.tiktoken`: a line for each token, in the order of their ranks, its bytes in base64, a blank, its rank.
 * A Left says what is wrong with it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (file: Uint8Array): Either.Either<RankTable, string> => {
  const bytes = new Uint8Array(file.length)
  const ends = new Int32Array(file.length)
  let size = 0
  let length = 0
  let at = 0
  while (at < file.length) {
    const start = length
    let bits = 0
    let held = 0
    for (let digit = worth[file[at] ?? 0] ?? noDigit; digit !== noDigit; digit = worth[file[at] ?? 0] ?? noDigit) {
      bits = (bits << 6 | digit) & 0xffff
      held += 6
      if (held >= 8) {
        held -= 8
        bytes[length++] = bits >> held
      }
      at += 1
    }
    while (file[at] === padding) at += 1
    let rank = file[at] === blank ? 0 : Number.NaN
    for (at += 1; at < file.length && file[at] !== lineFeed; at++) {
      const digit = (file[at] ?? 0) - zero
      rank = digit >= 0 && digit <= 9 ? 10 * rank + digit : Number.NaN
    }
    at += 1
    if (length === start || rank !== size) return Either.left(`has no token of rank ${size} in line ${size + 1}`)
    ends[size++] = length
  }
  return tableOf({ bytes: bytes.slice(0, length), ends: ends.slice(0, size) })
}
