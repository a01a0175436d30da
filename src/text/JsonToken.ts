/**
 * The tokens of JSON, one at a time, at any place of a text. Between two lines there may be what a tool writes before a
 * line that it shows. Pure.
 *
 * @since 0.1.0
 */
import { behindGutter } from "./Gutter.ts"

/**
 * A value without members: `raw` is how it is written, a string without its quotes; absent where it is long.
 *
 * @since 0.1.0
 * @category models
 */
export interface Scalar {
  readonly kind: "string" | "number" | "boolean" | "null"
  readonly raw: string | undefined
}

/**
 * A token; `Open` is a string that does not end on its line, `None` anything that is no token, and the end of the text.
 *
 * @since 0.1.0
 * @category models
 */
export type Token =
  & { readonly start: number; readonly end: number }
  & (
    | { readonly _tag: "Mark"; readonly mark: string }
    | { readonly _tag: "Scalar"; readonly scalar: Scalar }
    | { readonly _tag: "Open" }
    | { readonly _tag: "None" }
  )

/** Only names and constants are compared. */
const longest = 64

const quote = 0x22
const backslash = 0x5c

const blanks = /[ \t\r]*/y

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const constants: ReadonlyArray<readonly [word: string, kind: "boolean" | "null"]> = [
  ["true", "boolean"],
  ["false", "boolean"],
  ["null", "null"]
]

const matchEnd = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

const nextStart = (text: string, from: number): number => {
  let at = matchEnd(blanks, text, from)
  while (text.charCodeAt(at) === 0x0a) at = matchEnd(blanks, text, behindGutter(text, at + 1))
  return at
}

const stringAt = (text: string, start: number): Token => {
  let at = start + 1
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20) break
    if (code === quote) {
      const raw = at - start > longest ? undefined : text.slice(start + 1, at)
      return { _tag: "Scalar", scalar: { kind: "string", raw }, start, end: at + 1 }
    }
    if (code === backslash && text.charCodeAt(at + 1) >= 0x20) at++
  }
  return { _tag: "Open", start, end: Math.min(at, text.length) }
}

/**
 * The next token from here on.
 *
 * @since 0.1.0
 * @category reading
 */
export const tokenAt = (text: string, from: number): Token => {
  const start = nextStart(text, from)
  const first = text.charAt(start)
  if (first === "\"") return stringAt(text, start)
  if (first !== "" && "{}[]:,".includes(first)) return { _tag: "Mark", mark: first, start, end: start + 1 }
  const end = matchEnd(number, text, start)
  if (end > start) {
    const raw = end - start > longest ? undefined : text.slice(start, end)
    return { _tag: "Scalar", scalar: { kind: "number", raw }, start, end }
  }
  for (const [raw, kind] of constants) {
    if (text.startsWith(raw, start)) return { _tag: "Scalar", scalar: { kind, raw }, start, end: start + raw.length }
  }
  return { _tag: "None", start, end: start }
}
