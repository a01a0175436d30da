/**
 * Why JSON does not go on at a place: it was cut off there, or it never was JSON that a program printed. Pure.
 *
 * @since 0.1.0
 */
import type { Token } from "./JsonToken.ts"

/**
 * `Cut`: the text ends, a string is left open, or a mark says that something is missing. `Other`: what stands there is
 * code, or the `…` of one who shows a shape. `Unclear`: neither.
 *
 * @since 0.1.0
 * @category models
 */
export type JsonBreak = "Cut" | "Other" | "Unclear"

/** Half a constant at the end is no word. */
const halfConstant = 5

const elided = /^(?:…|\.{3})\s*[}\],]|^\$\{/

const cutMark = /^(?:…|\.{3}|\[|<|[a-z]{1,4}\s*(?:…|\.{3}|[\r\n]|$))/

const saysCut = /truncat|omit|\bcut\b|\bmore\b/i

/**
 * @since 0.1.0
 * @category reading
 */
export const breakAt = (text: string, goodEnd: number, { _tag, end, start }: Token): JsonBreak => {
  if (_tag === "Open" && text.endsWith("${", end)) return "Other"
  const ahead = text.slice(start, start + 80)
  if (elided.test(ahead)) return "Other"
  if (_tag === "Open" || text.length - start < halfConstant) return "Cut"
  if (cutMark.test(ahead) || saysCut.test(ahead.split("\n", 1)[0] ?? "")) return "Cut"
  const isSameLine = start - goodEnd < 80 && !text.slice(goodEnd, start).includes("\n")
  return isSameLine && /^[\p{L}_$`']/u.test(ahead) ? "Other" : "Unclear"
}
