/**
 * Figures, moments and sentences as a person reads them in 80 columns. Pure.
 *
 * @since 0.1.0
 */
import { plural, some as someOf } from "../text/Amounts.ts"
import { printable } from "./Printable.ts"

/**
 * Characters of a line, at most.
 *
 * @since 0.1.0
 * @category constants
 */
export const width = 80

const units = ["kB", "MB", "GB", "TB"]

/**
 * `812 bytes`, `1.5 MB`: decimal units.
 *
 * @since 0.1.0
 * @category formatting
 */
export const size = (bytes: number): string => {
  if (bytes < 1000) return plural(bytes, "byte")
  // What would be rounded up to 1,000 of a unit is 1 of the next.
  const power = Math.min(units.length, Math.floor(Math.log10(bytes * 1.0005) / 3))
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1] ?? ""}`
}

/**
 * `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`
 *
 * @since 0.1.0
 * @category formatting
 */
export const duration = (millis: number): string => {
  if (millis < 9950) return `${(millis / 1000).toFixed(1)} s`
  const seconds = Math.round(millis / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min${seconds % 60 === 0 ? "" : ` ${seconds % 60} s`}`
    : `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`
}

/**
 * `2026-11-29 20:00 UTC`, of a moment as the log writes it.
 *
 * @since 0.1.0
 * @category formatting
 */
export const moment = (timestamp: string): string => `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`

/**
 * A sentence as lines of at most {@link width} characters: the first behind `head`, the others behind `indent`. A word
 * that is longer than a line, such as a path, stays whole, so that it can be copied. The sentence must be printable.
 *
 * @since 0.1.0
 * @category formatting
 */
export const broken = (head: string, sentence: string, indent = " ".repeat(head.length)): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = head
  let empty = true
  for (const word of sentence.split(" ")) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line.trimEnd())
      line = indent
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  return [...lines, line.trimEnd()]
}

/**
 * As {@link broken}, of a sentence that may hold anything: nothing in it acts on a terminal.
 *
 * @since 0.1.0
 * @category formatting
 */
export const wrapped = (head: string, sentence: string, indent?: string): ReadonlyArray<string> =>
  broken(head, printable(sentence), indent)

/**
 * The first few, and how many more there are: `a.md, b.md and 7 more`.
 *
 * @since 0.1.0
 * @category formatting
 */
export const some = (names: ReadonlyArray<string>, most?: number): string => someOf(names.map(printable), most)
