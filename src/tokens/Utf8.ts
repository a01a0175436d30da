/**
 * The bytes of a piece.
 *
 * @since 0.1.0
 */
import { codeAt, widthOf } from "./CharacterClass.ts"

/** A unit takes no more: a pair of them takes four. */
const mostBytes = 3

const replacement = 0xfffd

const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000

/**
 * The UTF-8 of `units.subarray(start, end)`. A lone surrogate, which UTF-8 cannot hold, is U+FFFD.
 *
 * @since 0.1.0
 * @category conversions
 */
export const utf8 = (units: Uint16Array, start: number, end: number): Uint8Array => {
  const bytes = Buffer.allocUnsafe(mostBytes * (end - start))
  let length = 0
  for (let at = start; at < end;) {
    const met = codeAt(units, at)
    at += widthOf(met)
    const code = isSurrogate(met) ? replacement : met
    if (code < 0x80) bytes[length++] = code
    else if (code < 0x800) {
      bytes[length++] = 0xc0 | code >> 6
      bytes[length++] = 0x80 | code & 0x3f
    } else {
      if (code < 0x10000) bytes[length++] = 0xe0 | code >> 12
      else {
        bytes[length++] = 0xf0 | code >> 18
        bytes[length++] = 0x80 | code >> 12 & 0x3f
      }
      bytes[length++] = 0x80 | code >> 6 & 0x3f
      bytes[length++] = 0x80 | code & 0x3f
    }
  }
  return bytes.subarray(0, length)
}
