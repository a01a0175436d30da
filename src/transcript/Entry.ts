/**
 * A line of a transcript becomes the objects that it holds: one as a rule, two where a line feed was lost, none where
 * nothing can be read. Every byte that belongs to none of them is named.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { isUtf8 } from "node:buffer"
import { isObject, isTooDeep, type JsonObject } from "./Json.ts"
import { parse, salvage } from "./Salvage.ts"

/**
 * An object, and the bytes that it was read from, by their place in the file.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly json: JsonObject
  readonly bytes: Uint8Array
  readonly offset: number
}

/**
 * Bytes that could not be read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Fault {
  readonly offset: number
  readonly length: number
  readonly detail: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Entries {
  readonly entries: ReadonlyArray<Entry>
  readonly faults: ReadonlyArray<Fault>
}

const carriageReturn = 0x0d
const byteOrderMark = [0xef, 0xbb, 0xbf]

const nothing: Entries = { entries: [], faults: [] }

const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

const notUtf8 = "not UTF-8; what is wrong in it became U+FFFD"

/** What is left between and around the objects that were saved. */
const damaged = (bytes: Uint8Array, offset: number, isLine: (json: JsonObject) => boolean): Entries => {
  const saved = salvage(bytes, isLine)
  const faults: Array<Fault> = []
  let at = 0
  const leave = (to: number) => {
    if (to > at && !isBlank(bytes.subarray(at, to))) {
      faults.push({ offset: offset + at, length: to - at, detail: "not JSON" })
    }
  }
  for (const { from, to } of saved) {
    leave(from)
    at = to
  }
  leave(bytes.length)
  // Two whole objects leave nothing over, and yet the line was no line.
  if (faults.length === 0) faults.push({ offset, length: bytes.length, detail: `${saved.length} objects in one line` })
  return {
    entries: saved.map(({ from, json, to }) => ({ json, bytes: bytes.subarray(from, to), offset: offset + from })),
    faults
  }
}

/** From here on there is no carriage return at the end, no mark and no NUL at the front. */
const readable = (bytes: Uint8Array, offset: number, isLine: (json: JsonObject) => boolean): Entries => {
  if (isBlank(bytes)) return nothing
  const json = parse(bytes)
  const bad = (detail: string): Fault => ({ offset, length: bytes.length, detail })
  const { entries, faults } = Either.isLeft(json)
    ? damaged(bytes, offset, isLine)
    : !isObject(json.right)
    ? { entries: [], faults: [bad("no JSON object")] }
    : isTooDeep(json.right)
    ? { entries: [], faults: [bad("nested too deep")] }
    : { entries: [{ json: json.right, bytes, offset }], faults: [] }
  return {
    entries,
    faults: [
      ...faults,
      ...entries.filter(({ bytes }) => !isUtf8(bytes)).map(({ bytes, offset }) => ({
        offset,
        length: bytes.length,
        detail: notUtf8
      }))
    ]
  }
}

/**
 * What a line holds. `isLine` says which objects may be saved from a damaged one.
 *
 * @since 0.1.0
 * @category reading
 */
export const entriesOf = (line: Uint8Array, offset: number, isLine: (json: JsonObject) => boolean): Entries => {
  const bytes = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
  const marked = offset === 0 && byteOrderMark.every((byte, i) => bytes[i] === byte)
  const begin = marked ? byteOrderMark.length : bytes.findIndex((byte) => byte !== 0)
  const nuls = (length: number): Fault => ({ offset, length, detail: "NUL bytes" })
  if (begin < 0) return bytes.length === 0 ? nothing : { entries: [], faults: [nuls(bytes.length)] }
  const { entries, faults } = readable(begin === 0 ? bytes : bytes.subarray(begin), offset + begin, isLine)
  return { entries, faults: begin === 0 || marked ? faults : [nuls(begin), ...faults] }
}
