/**
 * Reads all lines of one segment, bad ones too, as a pure step: where `Scan` ends at the first fault, this goes on
 * behind it and says of each what it is and which lines are lost by it.
 *
 * Bad lines that follow each other are one fault. What a fault means, damage or a torn tail, hangs on the whole segment
 * and is decided by who has read it to its end.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { LogRecord } from "../domain/LogRecord.ts"
import type { FaultKind } from "../domain/LogVerifyReport.ts"
import type { Step } from "../stream/Fold.ts"
import { nextSeq } from "./Gap.ts"
import type { Line } from "./Lines.ts"
import * as Scan from "./Scan.ts"

/**
 * What stands in a segment, in order, `End` last. Offsets and lengths are in bytes.
 *
 * @since 0.1.0
 * @category models
 */
export type Found = Data.TaggedEnum<{
  Record: { readonly record: LogRecord; readonly offset: number; readonly length: number }
  Fault: {
    readonly kind: Exclude<FaultKind, "mismatch" | "unreadable">
    readonly offset: number
    readonly length: number
    readonly detail: string
    readonly lost: Option.Option<readonly [first: number, last: number]>
    /** The line, where it is whole and only stands where it does not belong. */
    readonly record: Option.Option<LogRecord>
  }
  /** `seq` is that of the line that comes next, where it is known. */
  End: { readonly bytes: number; readonly durable_to: number; readonly seq: Option.Option<number> }
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const Found = Data.taggedEnum<Found>()

/** A run of bad lines, and the `seq` of its first line, where it is known. */
interface Open {
  readonly kind: "damaged" | "too-new"
  readonly offset: number
  readonly length: number
  readonly lines: number
  readonly detail: string
  readonly seq: Option.Option<number>
}

/**
 * The `seq` that comes next, where it is known, the run of bad lines that is open, how many bytes were read, and how
 * many of them a line knew to be on disk.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly segment: number
  readonly seq: Option.Option<number>
  readonly open: Option.Option<Open>
  readonly bytes: number
  readonly durable_to: number
}

/**
 * From the first byte of a segment; `seq` is that of its first line where it is known.
 *
 * @since 0.1.0
 * @category constructors
 */
export const initial = (segment: number, seq: Option.Option<number>): State => ({
  segment,
  seq,
  open: Option.none(),
  bytes: 0,
  durable_to: 0
})

const fault = (
  kind: "damaged" | "missing" | "misplaced" | "too-new",
  offset: number,
  length: number,
  detail: string,
  lost: Option.Option<readonly [first: number, last: number]> = Option.none()
): Found => Found.Fault({ kind, offset, length, detail, lost, record: Option.none() })

/** Ends the open run before a line of this `seq`, or before one that tells nothing. */
const close = ({ open }: State, next: Option.Option<number>): ReadonlyArray<Found> =>
  Option.match(open, {
    onNone: () => [],
    onSome: ({ detail, kind, length, lines, offset, seq }) => {
      const lost = kind === "too-new" ? Option.none() : Option.filter(
        Option.zipWith(seq, next, (first, behind) => [first, behind - 1] as const),
        ([first, last]) => first <= last
      )
      const more = lines === 1 ? "" : ` (and ${lines - 1} more lines behind it)`
      return [fault(kind, offset, length, `${detail}${more}`, lost)]
    }
  })

const bad = (
  state: State,
  kind: Open["kind"],
  { detail, length, offset }: { readonly detail: string; readonly length: number; readonly offset: number }
): readonly [State, ReadonlyArray<Found>] => {
  // A line that is only too new has its place all the same.
  const seq = kind === "too-new" ? Option.map(state.seq, (n) => n + 1) : Option.none()
  const bytes = state.bytes + length
  if (Option.isSome(state.open) && state.open.value.kind === kind) {
    const { value } = state.open
    const open = Option.some({ ...value, length: value.length + length, lines: value.lines + 1 })
    return [{ ...state, seq, open, bytes }, []]
  }
  const open = Option.some({ kind, offset, length, lines: 1, detail, seq: state.seq })
  return [{ ...state, seq, open, bytes }, close(state, Option.none())]
}

/** What is wrong with the place of a whole line. */
const misplaced = (
  { open, seq }: State,
  record: LogRecord,
  offset: number
): ReadonlyArray<Found> => {
  const expected = Option.orElse(seq, () => Option.flatMap(open, (run) => run.seq))
  if (Option.isNone(expected) || expected.value === record.seq) return []
  const detail = `the line here has seq ${record.seq}, ${expected.value} was expected`
  if (record.seq < expected.value) return [fault("misplaced", offset, 0, detail)]
  // Behind bad lines they have been named already.
  return Option.isSome(open) && Option.isNone(seq)
    ? []
    : [fault("missing", offset, 0, detail, Option.some([expected.value, record.seq - 1] as const))]
}

const good = (
  state: State,
  record: LogRecord,
  length: number,
  offset: number
): readonly [State, ReadonlyArray<Found>] => {
  const begins = offset > 0 || (record.kind === "segment" && record.body.number === state.segment)
  const wrong = misplaced(state, record, offset)
  // In a repaired segment, all of which is on disk, lines may know of more bytes than stand before them.
  const durable = wrong.length === 0 ? Math.min(offset, Scan.knewDurable(record)) : Scan.knewDurable(record)
  const next: State = {
    ...state,
    seq: Option.some(nextSeq(record)),
    open: Option.none(),
    bytes: state.bytes + length,
    durable_to: Math.max(state.durable_to, durable)
  }
  return [next, [
    ...close(state, Option.some(record.seq)),
    ...wrong,
    begins
      ? Found.Record({ record, offset, length })
      : Found.Fault({
        kind: "misplaced",
        offset,
        length,
        detail: `the file does not begin with the line of segment ${state.segment}`,
        lost: Option.none(),
        record: Option.some(record)
      })
  ]]
}

const one = (state: State, line: Line): readonly [State, ReadonlyArray<Found>] => {
  const { offset } = line
  const length = Scan.lengthOf(line)
  const decoded = Scan.decodeLine(line)
  return Either.isRight(decoded)
    ? good(state, decoded.right, length, offset)
    : bad(state, decoded.left._tag === "Unknown" ? "too-new" : "damaged", {
      detail: decoded.left.detail,
      length,
      offset
    })
}

/**
 * The step over the lines of a segment.
 *
 * @since 0.1.0
 * @category steps
 */
export const step: Step<State, Line, Found> = (state, signal) => {
  if (signal._tag === "Flush") {
    const { bytes, durable_to, seq } = state
    return [
      { ...state, open: Option.none() },
      [...close(state, Option.none()), Found.End({ bytes, durable_to, seq })]
    ]
  }
  const out: Array<Found> = []
  let now = state
  for (const line of signal.items) {
    const [next, found] = one(now, line)
    now = next
    for (const each of found) out.push(each)
  }
  return [now, out]
}
