/**
 * What of a Chunk is shown at once: a window. A Chunk within its budget is one; a Record above it is read through
 * several, each cut between characters, which together are its text. A view: neither Chunk nor Record is split by it.
 * Pure.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { hash } from "node:crypto"
import type { Chunk } from "../domain/Chunk.ts"
import { Sha256 } from "../domain/Ids.ts"
import type { Record } from "../domain/Record.ts"

/**
 * A Record, or the part of it that is shown: a half-open range in UTF-16 units.
 *
 * @since 0.1.0
 * @category models
 */
export interface Piece {
  readonly record: Record
  readonly start: number
  readonly end: number
}

/**
 * @since 0.1.0
 * @category models
 */
export type Window = ReadonlyArray<Piece>

/**
 * Whether the loop may read the Record at all: what a machine made of other text is no evidence, nor is what a model
 * thought.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isEvidence = ({ derived, kind, text }: Record): boolean =>
  derived === false && kind !== "thinking" && text.trim() !== ""

/**
 * @since 0.1.0
 * @category getters
 */
export const textOf = ({ end, record, start }: Piece): string => record.text.slice(start, end)

/** Never between the halves of a pair. */
const between = (text: string, at: number): number =>
  at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at

/** Where the text can be cut behind `start` without parting a pair, and not before the next character. */
const cutAt = (text: string, start: number, at: number): number => {
  const cut = between(text, at)
  return cut > start ? cut : Math.min(text.length, start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1))
}

/** Where a window from `start` on ends: at the end of a line where one is near. */
const endOf = (text: string, start: number, max_tokens: number, count: (text: string) => number): number => {
  const fits = (end: number): boolean => count(text.slice(start, end)) <= max_tokens
  let good = start
  let bad = start + 1
  while (bad < text.length && fits(cutAt(text, start, bad))) {
    good = bad
    bad = start + (bad - start) * 2
  }
  if (bad >= text.length) {
    if (fits(text.length)) return text.length
    bad = text.length
  }
  while (bad - good > 1) {
    const middle = good + Math.floor((bad - good) / 2)
    if (fits(cutAt(text, start, middle))) good = middle
    else bad = middle
  }
  const hard = cutAt(text, start, good)
  const line = text.lastIndexOf("\n", hard - 1) + 1
  return line > start + (hard - start) / 2 && fits(line) ? line : hard
}

const parts = (record: Record, max_tokens: number, count: (text: string) => number): ReadonlyArray<Window> => {
  const windows: Array<Window> = []
  let start = 0
  while (start < record.text.length) {
    const end = endOf(record.text, start, max_tokens, count)
    windows.push([{ record, start, end }])
    start = end
  }
  return windows
}

/**
 * The windows of a Chunk, in order. Records that are no evidence are in none.
 *
 * @since 0.1.0
 * @category windows
 */
export const windowsOf = (
  { over_budget, records }: Pick<Chunk, "over_budget" | "records">,
  max_tokens: number,
  count: (text: string) => number
): ReadonlyArray<Window> => {
  const shown = records.filter(isEvidence)
  if (over_budget) return shown.flatMap((record) => parts(record, max_tokens, count))
  return shown.length === 0 ? [] : [shown.map((record) => ({ record, start: 0, end: record.text.length }))]
}

/**
 * The two halves of a window that was too long for a model; none of one that is a single character. The same window has
 * the same halves.
 *
 * @since 0.1.0
 * @category windows
 */
export const halves = (window: Window): Option.Option<readonly [Window, Window]> => {
  const [piece, second] = window
  if (piece === undefined) return Option.none()
  if (second !== undefined) {
    const middle = Math.ceil(window.length / 2)
    return Option.some([window.slice(0, middle), window.slice(middle)])
  }
  const { end, record, start } = piece
  const middle = cutAt(record.text, start, start + Math.floor((end - start) / 2))
  return middle >= end
    ? Option.none()
    : Option.some([[{ record, start, end: middle }], [{ record, start: middle, end }]])
}

/** As often as a window can be halved. */
const deepest = 64

/**
 * The windows to show next for this one, the first of them: itself, or its halves where it was too long before, which
 * the log tells by the step of the first of them (`has`).
 *
 * @since 0.1.0
 * @category windows
 */
export const narrowed = (window: Window, has: (window: Window) => boolean, depth = 0): ReadonlyArray<Window> => {
  if (depth === deepest || has(window)) return [window]
  const parts = Option.getOrUndefined(halves(window))
  if (parts === undefined) return [window]
  const first = narrowed(parts[0], has, depth + 1)
  return first[0] !== undefined && has(first[0]) ? [...first, parts[1]] : [window]
}

/**
 * Names what a window shows: Records, ranges, and what they say.
 *
 * @since 0.1.0
 * @category hashing
 */
export const windowSha256 = (window: Window): Sha256 =>
  Sha256.make(hash(
    "sha256",
    JSON.stringify(window.map((piece) => {
      const { end, record: { key, kind, role, tool_name }, start } = piece
      return [key, start, end, role, kind, tool_name ?? null, textOf(piece)]
    })),
    "hex"
  ))
