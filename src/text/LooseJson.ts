/**
 * JSON at any place of a text: behind a prompt, between warnings, cut off in the middle. Each object is shown to a judge
 * with its own members, when it has ended and where it was cut. However hostile the text is and however deep its objects
 * are nested, the work stays in proportion to its length. Pure.
 *
 * @since 0.1.0
 */
import { breakAt } from "./JsonBreak.ts"
import { type Scalar, type Token, tokenAt } from "./JsonToken.ts"
import type { Span } from "./Span.ts"

/**
 * What a member holds; of what has members of its own, only the kind.
 *
 * @since 0.1.0
 * @category models
 */
export type Value = Scalar | { readonly kind: "array" | "object"; readonly raw: undefined }

/**
 * An object with the members that were read, in their order. Of a cut one the last may have no value yet. `isSure` is
 * whether the text ends there or says that it was cut, so that few members will do.
 *
 * @since 0.1.0
 * @category models
 */
export interface Seen {
  readonly members: ReadonlyMap<string, Value | undefined>
  readonly cut: false | { readonly isSure: boolean }
}

/**
 * How far an object reaches that is looked for and was cut: to the end of its line, if it is of a form that takes one
 * line, or to the end of the text.
 *
 * @since 0.1.0
 * @category models
 */
export type Reach = "line" | "text"

/**
 * Says of an object that it is looked for.
 *
 * @since 0.1.0
 * @category models
 */
export type Judge = (seen: Seen) => Reach | undefined

interface Frame {
  readonly start: number
  readonly closing: string
  readonly members: Map<string, Value | undefined>
  name: string
  items: number
  wanted: number
  expects: "first" | "key" | "colon" | "value" | "next"
}

const frameAt = (start: number, mark: string): Frame => ({
  start,
  closing: mark === "{" ? "}" : "]",
  members: new Map(),
  name: "",
  items: 0,
  wanted: 0,
  expects: "first"
})

const isObject = ({ closing }: Frame): boolean => closing === "}"

const put = (frame: Frame, value: Value): void => {
  frame.items += 1
  frame.expects = "next"
  if (isObject(frame)) frame.members.set(frame.name, value)
}

/** What a token does to the innermost frame, if JSON goes on with it. */
const step = (frame: Frame, token: Token): "inside" | "opens" | "closes" | "fails" => {
  const { expects } = frame
  const takesKey = isObject(frame) && (expects === "first" || expects === "key")
  const takesValue = expects === "value" || (!isObject(frame) && expects === "first")
  if (token._tag === "Scalar") {
    if (takesValue) put(frame, token.scalar)
    else if (takesKey && token.scalar.kind === "string") {
      frame.name = token.scalar.raw ?? ""
      frame.members.set(frame.name, undefined)
      frame.expects = "colon"
    } else return "fails"
    return "inside"
  }
  if (token._tag !== "Mark") return "fails"
  const { mark } = token
  if (mark === frame.closing) return expects === "first" || expects === "next" ? "closes" : "fails"
  if (mark === "{" || mark === "[") {
    if (!takesValue) return "fails"
    put(frame, { kind: mark === "{" ? "object" : "array", raw: undefined })
    return "opens"
  }
  if (mark === ":" && expects === "colon") frame.expects = "value"
  else if (mark === "," && expects === "next") frame.expects = isObject(frame) ? "key" : "value"
  else return "fails"
  return "inside"
}

/** What was found from a place on, and where to look next. */
interface Read {
  readonly spans: ReadonlyArray<Span>
  readonly next: number
}

/** The outermost of the open frames that is looked for, from its start. */
const cutOff = (text: string, frames: ReadonlyArray<Frame>, goodEnd: number, bad: Token, judge: Judge): Read => {
  const broken = breakAt(text, goodEnd, bad)
  if (broken === "Other") return { spans: [], next: 0 }
  const isSure = broken === "Cut"
  for (const [i, frame] of frames.entries()) {
    const whole = i < frames.length - 1 ? frame.items - 1 : frame.items
    const isOfWanted = frame.wanted > 0 && frame.wanted === whole && (i < frames.length - 1 || isSure)
    const reach = isObject(frame)
      ? judge({ members: frame.members, cut: { isSure } })
      : isOfWanted
      ? "text"
      : undefined
    if (reach === undefined) continue
    const lineEnd = reach === "line" ? text.indexOf("\n", goodEnd) : -1
    const end = lineEnd < 0 ? text.length : lineEnd
    return { spans: [{ start: frame.start, end }], next: end }
  }
  return { spans: [], next: 0 }
}

const readFrom = (text: string, start: number, judge: Judge): Read => {
  const spans: Array<Span> = []
  const frames = [frameAt(start, text.charAt(start))]
  let at = start + 1
  // Where a string only seemed to begin, an object may begin within it.
  let lastString = start
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const token = tokenAt(text, at)
    if (token._tag === "Open" || (token._tag === "Scalar" && token.scalar.kind === "string")) lastString = token.start
    const done = step(frame, token)
    if (done === "fails") {
      const cut = cutOff(text, frames, at, token, judge)
      const again = lastString > start ? lastString + 1 : token.start
      return { spans: [...spans, ...cut.spans], next: Math.max(again, cut.next) }
    }
    at = token.end
    if (done === "opens") frames.push(frameAt(token.start, text.charAt(token.start)))
    if (done === "closes") {
      frames.pop()
      const isWanted = isObject(frame)
        ? judge({ members: frame.members, cut: false }) !== undefined
        : frame.items > 0 && frame.wanted === frame.items
      if (isWanted) spans.push({ start: frame.start, end: at })
      const parent = frames.at(-1)
      if (isWanted && parent !== undefined) parent.wanted += 1
    }
  }
  return { spans, next: at }
}

/** The bracket of an array that the object at this place is the first item of, if it is, or its own. */
const outermost = (text: string, object: number, floor: number): number => {
  let start = object
  for (let at = object - 1; at >= floor; at--) {
    const before = text.charAt(at)
    if (before === "[") start = at
    else if (before.trim() !== "") break
  }
  return start
}

/**
 * Where the objects are that the judge knows, and the arrays of nothing else; one may lie in another.
 *
 * @since 0.1.0
 * @category reading
 */
export const objectsIn = (text: string, judge: Judge): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  const begin = /\{[ \t\r]*["\n]/g
  let floor = 0
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const read = readFrom(text, outermost(text, found.index, floor), judge)
    for (const span of read.spans) spans.push(span)
    begin.lastIndex = floor = Math.max(read.next, found.index + 1)
  }
  return spans
}
