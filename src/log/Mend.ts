/**
 * What a damaged segment becomes when it is repaired: its lines that are whole and in their place, unchanged, and a gap
 * for each run of lost ones. Pure; who repairs carries it out.
 *
 * Which lines are lost follows from those around them, over the ends of segments too. The first line of a segment says
 * nothing that cannot be said anew, so it is made again and needs no gap. Nothing of this hangs on the time or on how far
 * an earlier repair came: one that was cut short is taken up, and ends as if it had not been.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Option from "effect/Option"
import type { LogRecord } from "../domain/LogRecord.ts"
import { lastSeq } from "./Gap.ts"
import type { Found } from "./Inspect.ts"
import { Loss } from "./Loss.ts"
import { rising } from "./Rising.ts"

/**
 * The first line of a segment.
 *
 * @since 0.1.0
 * @category models
 */
export type SegmentLine = Extract<LogRecord, { readonly kind: "segment" }>

/** A whole line, by what it stands for and where it stands. */
interface Place {
  readonly seq: number
  readonly last: number
  readonly offset: number
  readonly length: number
}

/** The segment's own first line, wherever it stands. */
interface Head extends Place {
  readonly record: SegmentLine
}

/**
 * What a reading of a segment has come upon. `lines` are those besides the segment's own first one, `faults` the places
 * of faults, `next` is the `seq` behind the last line where that is known. The arrays are the reading's own and grow in
 * place: one holds the places of the lines of one segment, never their bytes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Seen {
  readonly segment: number
  readonly bytes: number
  readonly durable_to: number
  readonly head: Option.Option<Head>
  readonly lines: Array<Place>
  readonly faults: Array<number>
  readonly next: Option.Option<number>
}

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const nothing = (segment: number): Seen => ({
  segment,
  bytes: 0,
  durable_to: 0,
  head: Option.none(),
  lines: [],
  faults: [],
  next: Option.none()
})

const line = (seen: Seen, record: LogRecord, offset: number, length: number): Seen => {
  const place: Place = { seq: record.seq, last: lastSeq(record), offset, length }
  if (record.kind !== "segment") {
    seen.lines.push(place)
    return seen
  }
  // That of another segment has no place here.
  return record.body.number === seen.segment && Option.isNone(seen.head)
    ? { ...seen, head: Option.some({ ...place, record }) }
    : seen
}

/**
 * Takes in what `Inspect` has found.
 *
 * @since 0.1.0
 * @category steps
 */
export const see = (seen: Seen, found: Found): Seen => {
  if (found._tag === "Record") return line(seen, found.record, found.offset, found.length)
  if (found._tag === "End") return { ...seen, bytes: found.bytes, durable_to: found.durable_to, next: found.seq }
  seen.faults.push(found.offset)
  const { length, offset } = found
  return Option.match(found.record, { onNone: () => seen, onSome: (record) => line(seen, record, offset, length) })
}

/**
 * How many bytes of a segment are what was written, or had been on disk once: at the end of the log, those in front of
 * the torn tail.
 *
 * @since 0.1.0
 * @category places
 */
export const endOf = ({ bytes, durable_to, faults }: Omit<Seen, "lines">, isLast: boolean): number =>
  isLast ? faults.find((offset) => offset >= durable_to) ?? bytes : bytes

/**
 * The part of what was seen that is kept of each segment while all of them are looked at: `firstSeq` is that of the
 * first line besides the segment's own.
 *
 * @since 0.1.0
 * @category models
 */
export interface Summary extends Omit<Seen, "lines"> {
  readonly firstSeq: Option.Option<number>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const summaryOf = ({ lines, ...seen }: Seen): Summary => ({
  ...seen,
  firstSeq: Option.map(Option.fromNullable(lines[0]), ({ seq }) => seq)
})

/**
 * Where a segment lies in its log: the `seq` of its first line, that of the first line behind it where anything tells,
 * and whether it is the last one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Bounds {
  readonly first: number
  readonly behind: Option.Option<number>
  readonly isLast: boolean
}

/**
 * The `seq` of the first line behind a segment, by what the later ones hold, of which those between have a first line
 * each. `later` has what was seen of each, none of one whose file is missing. What begins with a line of another place
 * than its first says only where that one was at the latest: a segment whose own end is whole ends there.
 *
 * @since 0.1.0
 * @category places
 */
export const behind = (
  first: number,
  next: Option.Option<number>,
  later: ReadonlyArray<Option.Option<Summary>>
): Option.Option<number> => {
  for (const [between, summary] of later.entries()) {
    const head = Option.flatMap(summary, ({ head }) => Option.map(head, ({ seq }) => seq))
    const begins = Option.orElse(
      head,
      () => Option.flatMap(summary, ({ firstSeq }) => Option.map(firstSeq, (seq) => seq - 1))
    )
    const most = Option.filter(Option.map(begins, (seq) => seq - between), (seq) => seq > first)
    if (Option.isNone(most)) continue
    const exact = between === 0 && Option.isSome(head)
    const own = Option.filter(next, (seq) => !exact && seq > first && seq <= most.value)
    return Option.orElse(own, () => most)
  }
  return Option.none()
}

/**
 * Whether a segment needs no repair for what stands in it.
 *
 * @since 0.1.0
 * @category checking
 */
export const isWhole = (seen: Summary, { behind, first, isLast }: Bounds): boolean =>
  Option.exists(seen.head, ({ offset, seq }) => offset === 0 && seq === first)
  && seen.faults.every((offset) => offset >= endOf(seen, isLast))
  && (isLast || Option.match(behind, { onNone: () => true, onSome: (seq) => Option.contains(seen.next, seq) }))

/**
 * A part of a repaired segment. `Keep`: bytes of the damaged one, as they are. `Begin`: the segment's first line, which
 * names the sha256 of the segment before; `was` is where it was whole. `Gap`: in place of lost lines. `Seal`: the end of
 * the log, all of which is on disk.
 *
 * @since 0.1.0
 * @category models
 */
export type Piece = Data.TaggedEnum<{
  Keep: { readonly offset: number; readonly length: number }
  Begin: { readonly seq: number; readonly was: Option.Option<Head> }
  Gap: { readonly first: number; readonly last: number; readonly offset: number; readonly length: number }
  Seal: { readonly seq: number }
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const Piece = Data.taggedEnum<Piece>()

/**
 * The repaired segment, in pieces, what is lost, and the `seq` of the line behind it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Plan {
  readonly pieces: ReadonlyArray<Piece>
  readonly losses: ReadonlyArray<Loss>
  readonly next: number
}

/**
 * The segment as it is, but that its first line may name another one before it.
 *
 * @since 0.1.0
 * @category planning
 */
export const chained = ({ bytes, next, segment }: Summary, head: Head): Plan => ({
  pieces: [
    Piece.Begin({ seq: head.seq, was: Option.some(head) }),
    Piece.Keep({ offset: head.length, length: bytes - head.length })
  ],
  losses: [Loss.Chained({ segment })],
  next: Option.getOrElse(next, () => head.seq + 1)
})

/**
 * A segment whose file is not there.
 *
 * @since 0.1.0
 * @category planning
 */
export const missing = (segment: number, { behind, first }: Bounds): Plan => {
  // Where nothing tells how many there were, there was one at least.
  const last = Option.getOrElse(behind, () => first + 2) - 1
  const gap = first + 1 <= last ? [Piece.Gap({ first: first + 1, last, offset: 0, length: 0 })] : []
  return {
    pieces: [Piece.Begin({ seq: first, was: Option.none() }), ...gap],
    losses: [
      Loss.Missing({ segment, lines: gap.length === 0 ? Option.none() : Option.some([first + 1, last] as const) })
    ],
    next: Math.max(first, last) + 1
  }
}

/** The lines that can be kept: in front of a torn tail, where they belong, and as many as agree with one another. */
const keep = ({ lines }: Seen, { behind, first }: Bounds, end: number): ReadonlyArray<Place> =>
  rising(
    lines.filter(({ last, offset, seq }) =>
      offset < end && seq > first && Option.match(behind, { onNone: () => true, onSome: (most) => last < most })
    ),
    ({ seq }) => seq
  )

/**
 * What becomes of a segment that is there.
 *
 * @since 0.1.0
 * @category planning
 */
export const plan = (seen: Seen, bounds: Bounds): Plan => {
  const { bytes, segment } = seen
  const { behind, first, isLast } = bounds
  const end = endOf(seen, isLast)
  const kept = keep(seen, bounds, end)
  const head = Option.filter(
    seen.head,
    ({ offset, seq }) => seq === first && offset < (kept[0]?.offset ?? end)
  )
  const pieces: Array<Piece> = []
  const losses: Array<Loss> = Option.isNone(head) ? [Loss.Begun({ segment })] : []
  let seq = first
  let at = 0

  /** The bytes from `at` to there are given up, and with them the lines from `seq` to that one. */
  const lose = (to: number, last: number): void => {
    const [offset, length] = [at, to - at]
    const lines = seq <= last ? Option.some([seq, last] as const) : Option.none()
    if (seq <= last) pieces.push(Piece.Gap({ first: seq, last, offset, length }))
    const told = Option.isSome(lines) || (length > 0 && (at > 0 || Option.isSome(head)))
    if (told) losses.push(Loss.Lost({ segment, offset, length, lines }))
  }

  const begin = Piece.Begin({ seq: first, was: head })
  if (Option.isSome(head)) {
    lose(head.value.offset, first - 1)
    at = head.value.offset + head.value.length
  }
  pieces.push(begin)
  seq = first + 1
  for (const place of kept) {
    // One that a gap before it stands for already.
    if (place.seq < seq) continue
    lose(place.offset, place.seq - 1)
    const before = pieces.at(-1)
    if (before?._tag === "Keep" && before.offset + before.length === place.offset) {
      pieces[pieces.length - 1] = Piece.Keep({ offset: before.offset, length: before.length + place.length })
    } else pieces.push(Piece.Keep({ offset: place.offset, length: place.length }))
    seq = place.last + 1
    at = place.offset + place.length
  }
  // Where nothing behind tells how many lines were lost at the end, it was one at least.
  const least = !isLast && (at < end || bytes === 0) ? seq : seq - 1
  const last = Option.match(behind, { onNone: () => least, onSome: (next) => next - 1 })
  lose(end, last)
  if (isLast) pieces.push(Piece.Seal({ seq }))
  return {
    pieces,
    losses: end < bytes ? [...losses, Loss.Torn({ segment, length: bytes - end })] : losses,
    next: isLast ? seq + 1 : last + 1
  }
}
