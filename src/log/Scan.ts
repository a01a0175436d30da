/**
 * Reads the lines of one segment as records, as a pure step, and says what a bad byte means.
 *
 * The first bad line is a fault. What follows it decides: a later line that is whole and knows (`durable_to`) that the
 * bad bytes had been on disk makes it damage; where none does, it is the torn tail of a write that was never
 * acknowledged. Nothing behind a fault is ever given out as a record.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { LogRecord } from "../domain/LogRecord.ts"
import type { Step } from "../stream/Fold.ts"
import * as Codec from "./Codec.ts"
import * as Gap from "./Gap.ts"
import type { Line } from "./Lines.ts"

/**
 * What a segment holds, in order: records, and at most one verdict at the end. `offset` and `length` are in bytes,
 * `length` with the line feed.
 *
 * @since 0.1.0
 * @category models
 */
export type Scanned = Data.TaggedEnum<{
  Record: { readonly record: LogRecord; readonly offset: number; readonly length: number }
  /** Bytes from here on were never acknowledged. */
  Torn: { readonly offset: number; readonly detail: string }
  /** Bytes from here on had been on disk, and no longer are what they were. */
  Damaged: { readonly offset: number; readonly detail: string }
  /** A line of a later version, or of a kind that this one does not know. */
  TooNew: { readonly offset: number; readonly detail: string }
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const Scanned = Data.taggedEnum<Scanned>()

interface Fault {
  readonly offset: number
  readonly detail: string
}

/**
 * The `seq` that comes next (unknown before the first line), the number that the first line has to name, the first
 * fault, and whether a verdict was given.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly seq: Option.Option<number>
  readonly segment: Option.Option<number>
  readonly fault: Option.Option<Fault>
  readonly over: boolean
}

/**
 * From the first byte of a segment; `seq` is that of its first line where it is known.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromStart = (segment: number, seq: Option.Option<number>): State => ({
  seq,
  segment: Option.some(segment),
  fault: Option.none(),
  over: false
})

/**
 * From a line in the middle of a segment.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromMiddle: State = { seq: Option.none(), segment: Option.none(), fault: Option.none(), over: false }

/**
 * The record that a line is. One that is too long, or has no line feed, is none.
 *
 * @since 0.1.0
 * @category decoding
 */
export const decodeLine = (line: Line): Either.Either<LogRecord, Codec.LineFault> => {
  if (line._tag === "TooLong") {
    return Either.left(
      Codec.LineFault.Malformed({ detail: `a line of ${line.length} bytes, the most is ${Codec.maxLineBytes}` })
    )
  }
  return line.terminated
    ? Either.filterOrLeft(
      Codec.decode(line.bytes),
      Gap.isGenuine,
      () => Codec.LineFault.Malformed({ detail: "a gap that does not stand for lines from its own place on" })
    )
    : Either.left(Codec.LineFault.BadChecksum({ detail: "a line without its line feed" }))
}

/**
 * Its bytes, with the line feed if it has one.
 *
 * @since 0.1.0
 * @category decoding
 */
export const lengthOf = (line: Line): number =>
  (line._tag === "Line" ? line.bytes.length : line.length) + (line.terminated ? 1 : 0)

/** What is wrong with a whole record at this place, if anything is. */
const misplaced = (state: State, record: LogRecord): Option.Option<string> => {
  const expected = Option.getOrElse(state.seq, () => record.seq)
  if (record.seq !== expected) return Option.some(`its seq is ${record.seq}, ${expected} was expected`)
  return Option.flatMap(state.segment, (number) =>
    record.kind === "segment" && record.body.number === number
      ? Option.none()
      : Option.some(`it does not begin with the line of segment ${number}`))
}

/**
 * How many bytes of its segment a record says were on disk when it was written. In a segment that was repaired the lines
 * stand elsewhere than they did, so this may be more than there is.
 *
 * @since 0.1.0
 * @category durability
 */
export const knewDurable = (record: LogRecord): number =>
  record.kind === "commit" || record.kind === "seal" ? record.body.durable_to : 0

const one = (state: State, line: Line): readonly [State, ReadonlyArray<Scanned>] => {
  if (state.over) return [state, []]
  const decoded = decodeLine(line)
  if (Option.isSome(state.fault)) {
    const { detail, offset } = state.fault.value
    return Either.isRight(decoded) && knewDurable(decoded.right) > offset
      ? [{ ...state, over: true }, [Scanned.Damaged({ offset, detail })]]
      : [state, []]
  }
  const { offset } = line
  if (Either.isLeft(decoded)) {
    const { _tag, detail } = decoded.left
    return _tag === "Unknown"
      ? [{ ...state, over: true }, [Scanned.TooNew({ offset, detail })]]
      : [{ ...state, fault: Option.some({ offset, detail }) }, []]
  }
  const record = decoded.right
  return Option.match(misplaced(state, record), {
    // A line that knows of more bytes than stand before it tells of lost ones itself.
    onSome: (detail) =>
      knewDurable(record) > offset
        ? [{ ...state, over: true }, [Scanned.Damaged({ offset, detail })]] as const
        : [{ ...state, fault: Option.some({ offset, detail }) }, []] as const,
    onNone: () =>
      [
        { ...state, seq: Option.some(Gap.nextSeq(record)), segment: Option.none() },
        [Scanned.Record({ record, offset, length: lengthOf(line) })]
      ] as const
  })
}

/**
 * The step over the lines of a segment.
 *
 * @since 0.1.0
 * @category steps
 */
export const step: Step<State, Line, Scanned> = (state, signal) => {
  if (signal._tag === "Flush") {
    return state.over || Option.isNone(state.fault)
      ? [state, []]
      : [{ ...state, over: true }, [Scanned.Torn(state.fault.value)]]
  }
  const out: Array<Scanned> = []
  let now = state
  for (const line of signal.items) {
    const [next, scanned] = one(now, line)
    now = next
    out.push(...scanned)
  }
  return [now, out]
}
