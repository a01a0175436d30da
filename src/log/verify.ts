/**
 * Checks the whole log in one reading of it: each line's checksum, place and form, and each segment's sha256 against
 * the one that the next segment was begun behind. It goes on behind a fault and reports all of them. It only reads.
 *
 * A fault in the last segment is the torn tail of a write that was never acknowledged, and no fault, where no line of
 * that segment knows its bytes to have been on disk: what a recovery would cut off, and nothing else.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Inspected, LogReader } from "../../services/LogReader.ts"
import type { LogFsError } from "../domain/LogErrors.ts"
import type { LogRecord } from "../domain/LogRecord.ts"
import { type FaultKind, LogFault, LogVerifyReport, type SegmentSummary } from "../domain/LogVerifyReport.ts"

/**
 * So many faults are named, and the rest counted: a log full of nonsense must not fill the memory.
 *
 * @since 0.1.0
 * @category constants
 */
export const mostFaults = 1000

interface Faults {
  readonly named: ReadonlyArray<LogFault>
  readonly more: number
  readonly damaged: boolean
}

/** A fault of a segment that is being read, and how many records had been counted before it. */
interface Pending {
  readonly fault: LogFault
  readonly records: number
}

/**
 * The faults that are known to be such, those of the segment that is being read, and the segment that was read last,
 * which may turn out to be the last one.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly segments: number
  readonly bytes: number
  readonly records: number
  readonly torn: number
  readonly faults: Faults
  readonly pending: ReadonlyArray<Pending>
  readonly morePending: number
  readonly ended: Option.Option<SegmentSummary>
}

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const initial: State = {
  segments: 0,
  bytes: 0,
  records: 0,
  torn: 0,
  faults: { named: [], more: 0, damaged: false },
  pending: [],
  morePending: 0,
  ended: Option.none()
}

const damaging: ReadonlySet<FaultKind> = new Set<FaultKind>(["damaged", "missing", "misplaced", "mismatch"])

const name = ({ damaged, more, named }: Faults, faults: ReadonlyArray<LogFault>): Faults => {
  const room = Math.max(0, mostFaults - named.length)
  return {
    named: [...named, ...faults.slice(0, room)],
    more: more + Math.max(0, faults.length - room),
    damaged: damaged || faults.some(({ kind }) => damaging.has(kind))
  }
}

/** What is pending is what it looks like: its segment is not the last, or was not read to its end. */
const settle = (state: State): State => {
  const { faults, morePending, pending } = state
  const named = name(faults, pending.map(({ fault }) => fault))
  return {
    ...state,
    faults: { ...named, more: named.more + morePending, damaged: named.damaged || morePending > 0 },
    pending: [],
    morePending: 0
  }
}

const emptied = ({ bytes, path, segment }: SegmentSummary): ReadonlyArray<LogFault> =>
  bytes > 0 ? [] : [
    new LogFault({ kind: "missing", segment, path, offset: 0, length: 0, detail: "the file of this segment is empty" })
  ]

/** A segment in which something else is wrong cannot have the right sum, and needs no second fault for that. */
const mismatch = (
  ended: SegmentSummary,
  pending: ReadonlyArray<Pending>,
  { body, kind }: LogRecord,
  next: string
): ReadonlyArray<LogFault> => {
  if (kind !== "segment" || body.previous_sha256 === ended.sha256) return []
  const { bytes, path, segment, sha256 } = ended
  if (pending.some(({ fault }) => fault.segment === segment && fault.kind !== "too-new")) return []
  const named = body.previous_sha256 ?? "none"
  const detail = `its sha256 is ${sha256}, but ${next} was begun behind a segment with ${named}`
  return [new LogFault({ kind: "mismatch", segment, path, offset: 0, length: bytes, detail })]
}

/** The segment that was read last is not the last one: this comes from a later one. */
const goOn = (state: State, item: Inspected): State =>
  Option.match(state.ended, {
    onNone: () => state,
    onSome: (ended) => {
      const settled = settle(state)
      const line = item._tag === "Line" && item.line.position.segment === ended.segment + 1 ? [item.line] : []
      const next = `segment ${ended.segment + 1}`
      const found = [
        ...emptied(ended),
        ...line.flatMap(({ record }) => mismatch(ended, state.pending, record, next))
      ]
      return { ...settled, faults: name(settled.faults, found), ended: Option.none() }
    }
  })

/**
 * Takes in what the log's reader came upon.
 *
 * @since 0.1.0
 * @category steps
 */
export const take = (before: State, item: Inspected): State => {
  const state = goOn(before, item)
  if (item._tag === "Line") return { ...state, records: state.records + 1 }
  if (item._tag === "Segment") {
    return {
      ...state,
      segments: state.segments + 1,
      bytes: state.bytes + item.summary.bytes,
      ended: Option.some(item.summary)
    }
  }
  return state.pending.length < mostFaults
    ? { ...state, pending: [...state.pending, { fault: item.fault, records: state.records }] }
    : { ...state, morePending: state.morePending + 1 }
}

/** A line of a later version is no torn one: a recovery would not cut it off. */
const isTorn = ({ kind, offset, segment }: LogFault, last: SegmentSummary): boolean =>
  segment === last.segment && kind !== "too-new" && offset >= last.durable_to

/**
 * What the log is, when all of it was taken in: the first fault of the last segment that no line of it knew to have
 * been on disk begins a torn tail.
 *
 * @since 0.1.0
 * @category steps
 */
export const end = (state: State): LogVerifyReport => {
  const { bytes, records, segments } = state
  const cut = Option.flatMap(state.ended, (ended) =>
    Option.map(
      Option.fromNullable(state.pending.find(({ fault }) => isTorn(fault, ended))),
      (tail) => ({ ...tail, torn: ended.bytes - tail.fault.offset })
    ))
  const settled = settle(Option.match(cut, {
    onNone: () => state,
    onSome: ({ fault }) => ({
      ...state,
      pending: state.pending.filter(({ fault: { offset, segment } }) =>
        segment !== fault.segment || offset < fault.offset
      ),
      morePending: 0
    })
  }))
  const { damaged, more, named } = settled.faults
  return new LogVerifyReport({
    command: "log verify",
    ok: named.length === 0,
    segments,
    bytes,
    records: Option.match(cut, { onNone: () => records, onSome: (tail) => tail.records }),
    torn: Option.match(cut, { onNone: () => 0, onSome: ({ torn }) => torn }),
    damaged,
    faults: named,
    more_faults: more
  })
}

/**
 * @since 0.1.0
 * @category programs
 */
export const verify: Effect.Effect<LogVerifyReport, LogFsError, LogReader> = Effect.flatMap(
  LogReader,
  ({ inspect }) => Effect.map(Stream.runFold(inspect, initial, take), end)
)
