/**
 * What can be saved of a line that is no JSON: an agent that was cut short leaves half a line, and writes its next one
 * right behind it. Only whole objects count, and only such as stand in a transcript by themselves; the rest is named by
 * its place.
 *
 * The line is looked at as bytes. However hostile it is, the work stays in proportion to its length.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { isObject, isTooDeep, type JsonObject } from "./Json.ts"

/**
 * An object, and the bytes of the line that it stands in: `[from, to)`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Saved {
  readonly json: JsonObject
  readonly from: number
  readonly to: number
}

/** How a line of a transcript begins, whoever wrote it. */
const beginning = /^\{|\{"(?:type|parentUuid|timestamp)":/g

/** So many times the length of a line is scanned at most; a damaged line of a real file takes twice. */
const patience = 16

const quote = 0x22
const backslash = 0x5c
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d

/** The byte after the object that begins here; -1 where it does not end. */
const endOf = (bytes: Uint8Array, from: number): number => {
  let depth = 0
  let inString = false
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (inString) {
      if (byte === backslash) at++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (isOpening(byte)) depth++
    else if (isClosing(byte)) {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return -1
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * Parses bytes that should be one object; what is wrong in their UTF-8 becomes U+FFFD.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parse = (bytes: Uint8Array): Either.Either<unknown, unknown> =>
  Either.try((): unknown => JSON.parse(utf8.decode(bytes)))

/**
 * The whole objects in a line, in order, of those that `isLine` takes for lines.
 *
 * @since 0.1.0
 * @category salvaging
 */
export const salvage = (bytes: Uint8Array, isLine: (json: JsonObject) => boolean): ReadonlyArray<Saved> => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
  const saved: Array<Saved> = []
  const begin = new RegExp(beginning)
  let left = bytes.length * patience
  for (let match = begin.exec(text); match !== null && left > 0; match = begin.exec(text)) {
    const from = match.index
    const to = endOf(bytes, from)
    left -= (to < 0 ? bytes.length : to) - from
    if (to < 0) continue
    const json = Either.getOrUndefined(parse(bytes.subarray(from, to)))
    if (!isObject(json) || isTooDeep(json) || !isLine(json)) continue
    saved.push({ json, from, to })
    begin.lastIndex = to
  }
  return saved
}
