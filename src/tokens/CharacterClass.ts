/**
 * What the pre-split wants to know of a character, in one byte that is looked up.
 *
 * A code point is classified when it is first met: the regular expressions are asked once for each, and the text itself
 * never meets one. Half a surrogate pair counts as the U+FFFD that it becomes: a symbol.
 *
 * @since 0.1.0
 */

/**
 * Bits of a class. A mark is in three of them: it may stand in a word, in either place, and among symbols.
 *
 * @since 0.1.0
 * @category constants
 */
export const upper = 1
/**
 * @since 0.1.0
 * @category constants
 */
export const lower = 2
/**
 * @since 0.1.0
 * @category constants
 */
export const letter = 4
/**
 * @since 0.1.0
 * @category constants
 */
export const number = 8
/**
 * Unicode's White_Space, which has U+0085 and lacks U+FEFF: `\s` is another set.
 *
 * @since 0.1.0
 * @category constants
 */
export const space = 16
/**
 * CR and LF, which are spaces too.
 *
 * @since 0.1.0
 * @category constants
 */
export const newline = 32
/**
 * Neither space, letter nor number.
 *
 * @since 0.1.0
 * @category constants
 */
export const symbol = 64

const classes = [
  [upper, /[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]/u],
  [lower, /[\p{Ll}\p{Lm}\p{Lo}\p{M}]/u],
  [letter, /\p{L}/u],
  [number, /\p{N}/u],
  [space, /\p{White_Space}/u],
  [newline, /[\r\n]/],
  [symbol, /[^\p{White_Space}\p{L}\p{N}]/u]
] as const

/** Every code point is in some class, so that 0 says that it was not met yet. */
const met = new Uint8Array(0x110000)

const meet = (code: number): number => {
  const character = String.fromCodePoint(code)
  const bits = classes.reduce((sum, [bit, pattern]) => pattern.test(character) ? sum | bit : sum, 0)
  met[code] = bits
  return bits
}

/**
 * The bits of a code point.
 *
 * @since 0.1.0
 * @category classification
 */
export const classOf = (code: number): number => {
  const bits = met[code] ?? symbol
  return bits === 0 ? meet(code) : bits
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

/**
 * The code point that begins at a place within a text of UTF-16 units.
 *
 * @since 0.1.0
 * @category classification
 */
export const codeAt = (units: Uint16Array, at: number): number => {
  const unit = units[at] ?? 0
  if (!isHigh(unit)) return unit
  const second = units[at + 1] ?? 0
  return isLow(second) ? 0x10000 + (unit - 0xd800 << 10) + second - 0xdc00 : unit
}

/**
 * How many UTF-16 units a code point takes.
 *
 * @since 0.1.0
 * @category classification
 */
export const widthOf = (code: number): number => code > 0xffff ? 2 : 1
