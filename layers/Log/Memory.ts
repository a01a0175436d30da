/**
 * The log in memory: the same records in the same order, without a disk. For tests and for apps that want to try.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { type Inspected, type LocatedRecord, LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { Seq, Sha256, Timestamp } from "../../src/domain/Ids.ts"
import { LogDamaged } from "../../src/domain/LogErrors.ts"
import type { LogRecord } from "../../src/domain/LogRecord.ts"
import { SegmentSummary } from "../../src/domain/LogVerifyReport.ts"
import { Segment } from "../../src/domain/Maintenance.ts"
import { encode } from "../../src/log/Codec.ts"
import * as Compose from "../../src/log/Compose.ts"
import { knewDurable } from "../../src/log/Scan.ts"

/** The lines are this module's own array, grown in place under a semaphore: a copy a write would be quadratic. */
interface State {
  readonly lines: Array<LocatedRecord>
  readonly byOffset: Map<number, LogRecord>
  readonly vectors: Set<string>
  bytes: number
}

const segment = 1
const path = "the log in memory"

/** Each record is encoded all the same: what a disk would refuse is refused here. */
const lengthsOf = (records: ReadonlyArray<LogRecord>) =>
  Effect.catchTag(
    Either.all(records.map((record) => Either.map(encode(record), ({ length }) => ({ length, record })))),
    "ParseError",
    Effect.die
  )

const now: Effect.Effect<Timestamp> = Effect.clockWith((clock) =>
  Effect.map(clock.currentTimeMillis, (millis) => Timestamp.make(new Date(millis).toISOString()))
)

/** The file that these lines would be. */
const summaryOf = (lines: ReadonlyArray<LocatedRecord>): SegmentSummary => {
  const hash = createHash("sha256")
  for (const { record } of lines) hash.update(Either.getOrThrow(encode(record)))
  const last = lines.at(-1)
  return new SegmentSummary({
    segment,
    path,
    bytes: last === undefined ? 0 : last.position.offset + last.length,
    sha256: Sha256.make(hash.digest("hex")),
    durable_to: Math.max(0, ...lines.map(({ record }) => knewDurable(record)))
  })
}

/**
 * A reader and a writer of one log in memory. The writer takes no lock and never seals.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.gen(function*() {
  const state: State = { lines: [], byOffset: new Map(), vectors: new Set(), bytes: 0 }
  const turn = yield* Effect.makeSemaphore(1)

  /** All of it or nothing, the first line of the segment too. */
  const write = (compose: (place: Compose.Place) => ReadonlyArray<LogRecord>) =>
    turn.withPermits(1)(Effect.gen(function*() {
      const at = yield* now
      const { bytes, lines: { length } } = state
      const hasVector = (key: string) => state.vectors.has(key)
      const body = new Segment({ format: "mem-log/1", number: segment, previous_sha256: null })
      const first = length > 0
        ? []
        : Compose.alone([{ kind: "segment", body }], { at, seq: 1, durable_to: 0 })
      const head = yield* lengthsOf(first)
      const durable_to = head.reduce((sum, { length }) => sum + length, bytes)
      const records = compose({ at, seq: length + head.length + 1, durable_to, hasVector })
      for (const { length, record } of [...head, ...(yield* lengthsOf(records))]) {
        state.lines.push({ record, position: { segment, offset: state.bytes }, length })
        state.byOffset.set(state.bytes, record)
        state.bytes += length
      }
      for (const key of Compose.vectorKeys(records)) state.vectors.add(key)
      return records
    }))

  const reader = LogReader.of({
    records: (from = { segment, offset: 0 }) =>
      Stream.suspend(() => {
        const offset = from.segment > segment ? state.bytes : from.segment < segment ? 0 : from.offset
        return Stream.fromIterable(state.lines.filter(({ position }) => position.offset >= offset))
      }),
    at: ({ offset }) =>
      Effect.suspend(() =>
        Effect.mapError(
          Effect.fromNullable(state.byOffset.get(offset)),
          () => new LogDamaged({ path, offset, detail: "no line begins here" })
        )
      ),
    last: Effect.sync(() => Option.fromNullable(state.lines.at(-1))),
    inspect: Stream.suspend(() => {
      const lines = [...state.lines]
      return lines.length === 0 ? Stream.empty : Stream.concat(
        Stream.map(Stream.fromIterable(lines), (line): Inspected => ({ _tag: "Line", line })),
        Stream.sync((): Inspected => ({ _tag: "Segment", summary: summaryOf(lines) }))
      )
    }),
    segments: Effect.sync(() => state.bytes === 0 ? [] : [{ number: segment, bytes: state.bytes }])
  })

  const writer = LogWriter.of({
    append: (groups) =>
      groups.length === 0 ? Effect.succeed([]) : Effect.map(
        write((from) => Compose.groups(groups, from)),
        (records) => records.flatMap((record) => record.kind === "commit" ? [Seq.make(record.seq)] : [])
      ),
    appendAlone: (entries) =>
      entries.length === 0 ? Effect.void : Effect.asVoid(write((from) => Compose.alone(entries, from)))
  })

  return { reader, writer }
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<LogReader | LogWriter> = Layer.effectContext(
  Effect.map(make, ({ reader, writer }) => Context.make(LogReader, reader).pipe(Context.add(LogWriter, writer)))
)
