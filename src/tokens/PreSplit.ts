/**
 * Cuts a text into the pieces that are encoded one by one, as the published patterns of the encodings do.
 *
 * The pattern is walked by hand. As a regular expression it fails with a RangeError on a few million letters in a row,
 * and whichever alternative it tries, it scans again. Here each character is looked at a fixed number of times, whatever
 * the text. The order of the alternatives is the pattern's: word, number, symbols, spaces.
 *
 * @since 0.1.0
 */
import { classOf, codeAt, letter, lower, newline, number, space, symbol, upper, widthOf } from "./CharacterClass.ts"

/**
 * The end of the piece that begins at a place within the text.
 *
 * @since 0.1.0
 * @category models
 */
export type PieceEnd = (units: Uint16Array, start: number) => number

/** An end is behind its beginning, so that 0 says that an alternative does not match. */
const none = 0

/** A place behind the characters of these classes. */
const runEnd = (units: Uint16Array, start: number, bits: number): number => {
  let at = start
  while (at < units.length) {
    const code = codeAt(units, at)
    if ((classOf(code) & bits) === 0) break
    at += widthOf(code)
  }
  return at
}

const apostrophe = 0x27
const blank = 0x20
const slash = 0x2f
/** A capital of ASCII as the small letter it has, whatever else as it is. */
const smallOf = (unit: number | undefined): number =>
  unit === undefined ? 0 : unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit

const among = (letters: string): ReadonlySet<number> => new Set(Array.from(letters, (one) => one.charCodeAt(0)))
const alone = among("stmdſ")
const beforeE = among("rv")
const [e = 0, l = 0] = among("el")

/** Behind `'s 't 're 've 'm 'll 'd` in any case, else the same place: `ſ` is an s in another case. */
const contractionEnd = (units: Uint16Array, at: number): number => {
  if (units[at] !== apostrophe) return at
  const first = smallOf(units[at + 1])
  if (alone.has(first)) return at + 2
  const second = smallOf(units[at + 2])
  return second === e && beforeE.has(first) || second === l && first === l ? at + 3 : at
}

/**
 * Capitals as far as they go, then at least one letter that is none. Where there is none behind them, the last of them
 * that may be either (a mark, a letter without case) is that one, and what follows it is left.
 */
const mixedEnd = (units: Uint16Array, start: number): number => {
  let at = start
  let either = none
  while (at < units.length) {
    const code = codeAt(units, at)
    const bits = classOf(code)
    if ((bits & upper) === 0) break
    at += widthOf(code)
    if ((bits & lower) !== 0) either = at
  }
  const end = runEnd(units, at, lower)
  return end > at ? contractionEnd(units, end) : either === none ? none : contractionEnd(units, either)
}

const capitalsEnd = (units: Uint16Array, start: number): number => {
  const end = runEnd(units, start, upper)
  return end === start ? none : contractionEnd(units, end)
}

/** One character before the word belongs to it; a mark may be that, or the word's first. */
const casedWordEnd = (units: Uint16Array, start: number): number => {
  const code = codeAt(units, start)
  const bits = classOf(code)
  if ((bits & letter) !== 0) {
    const mixed = mixedEnd(units, start)
    return mixed === none ? capitalsEnd(units, start) : mixed
  }
  if ((bits & (number | newline)) !== 0) return none
  const behind = start + widthOf(code)
  const mixed = mixedEnd(units, behind)
  if (mixed !== none) return mixed
  return (bits & lower) === 0 ? capitalsEnd(units, behind) : mixedEnd(units, start)
}

const plainWordEnd = (units: Uint16Array, start: number): number => {
  const contraction = contractionEnd(units, start)
  if (contraction > start) return contraction
  const code = codeAt(units, start)
  const bits = classOf(code)
  if ((bits & (number | newline)) !== 0) return none
  const behind = start + widthOf(code)
  const end = runEnd(units, behind, letter)
  return end > behind || (bits & letter) !== 0 ? end : none
}

const mostDigits = 3

const numberEnd = (units: Uint16Array, start: number): number => {
  let at = start
  for (let n = 0; n < mostDigits && at < units.length; n++) {
    const code = codeAt(units, at)
    if ((classOf(code) & number) === 0) break
    at += widthOf(code)
  }
  return at === start ? none : at
}

/** Symbols with a blank before and line ends behind them. */
const symbolsEnd = (units: Uint16Array, start: number, slashes: boolean): number => {
  const first = units[start] === blank ? start + 1 : start
  let at = runEnd(units, first, symbol)
  if (at === first) return none
  for (; at < units.length; at++) {
    const unit = units[at] ?? 0
    if ((classOf(unit) & newline) === 0 && !(slashes && unit === slash)) break
  }
  return at
}

/** Up to the last line end; without one all but the last, which is left for the word, unless the text ends here. */
const spacesEnd = (units: Uint16Array, start: number): number => {
  let at = start
  let last = start
  let line = none
  while (at < units.length) {
    const bits = classOf(units[at] ?? 0)
    if ((bits & space) === 0) break
    last = at
    at += 1
    if ((bits & newline) !== 0) line = at
  }
  return line !== none ? line : at === units.length || last === start ? at : last
}

const pieceEnd = (wordEnd: PieceEnd, slashes: boolean): PieceEnd => (units, start) => {
  const word = wordEnd(units, start)
  if (word !== none) return word
  const digits = numberEnd(units, start)
  if (digits !== none) return digits
  const symbols = symbolsEnd(units, start, slashes)
  return symbols === none ? spacesEnd(units, start) : symbols
}

/**
 * As o200k_base cuts: a capital begins a word, slashes stay with the symbols before them.
 *
 * @since 0.1.0
 * @category pieces
 */
export const o200k: PieceEnd = pieceEnd(casedWordEnd, true)

/**
 * As cl100k_base cuts.
 *
 * @since 0.1.0
 * @category pieces
 */
export const cl100k: PieceEnd = pieceEnd(plainWordEnd, false)
