/**
 * Reads the segment files: as a stream of checked records in constant memory, a single line by its place, or the last
 * one from the end. It writes nothing, takes no lock, and bears a writer that appends meanwhile.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import type { LogFile, LogFs } from "../../services/LogFs.ts"
import type { LocatedRecord, LogPosition, LogReader, LogReadError } from "../../services/LogReader.ts"
import { LogDamaged, type LogFsError, LogTooNew } from "../../src/domain/LogErrors.ts"
import { decode, maxLineBytes } from "../../src/log/Codec.ts"
import { nextSeq } from "../../src/log/Gap.ts"
import * as Lines from "../../src/log/Lines.ts"
import * as Scan from "../../src/log/Scan.ts"
import { nameOf } from "../../src/log/SegmentFile.ts"
import { fold } from "../../src/stream/Fold.ts"
import { untilLeft } from "../../src/stream/UntilLeft.ts"
import { pathsOf } from "./Paths.ts"
import { bytesFrom, notFoundIs, segmentNumbers } from "./SegmentBytes.ts"
import { inspect } from "./SegmentInspector.ts"

const tailBytes = 64 * 1024
const lineFeed = 0x0a

/**
 * What a segment file holds from there on, its verdict last.
 *
 * @since 0.1.0
 * @category reading
 */
export const scan = (file: LogFile, offset: number, from: Scan.State): Stream.Stream<Scan.Scanned, LogFsError> =>
  bytesFrom(file, offset).pipe(
    fold(Lines.initial(offset), Lines.step(maxLineBytes)),
    fold(from, Scan.step)
  )

/**
 * The last line of a file, if it is whole: read from the end, however long it is.
 *
 * @since 0.1.0
 * @category reading
 */
export const lastLine = (
  file: LogFile
): Effect.Effect<Option.Option<{ readonly offset: number; readonly line: Uint8Array }>, LogFsError> =>
  Effect.gen(function*() {
    const size = yield* file.size
    // The line feed before the longest line is looked for too.
    const most = Math.min(size, maxLineBytes + 1)
    for (let length = Math.min(tailBytes, most);; length = Math.min(length * 8, most)) {
      const bytes = yield* file.read(size - length, length)
      if (bytes.length === 0 || bytes.at(-1) !== lineFeed) return Option.none()
      const before = bytes.lastIndexOf(lineFeed, bytes.length - 2)
      if (before >= 0 || length === size) {
        return Option.some({ offset: size - length + before + 1, line: bytes.subarray(before + 1, -1) })
      }
      if (length === most) return Option.none()
    }
  })

/**
 * What a verdict means for a reader: a torn tail is no failure where the log ends, and is damage anywhere else.
 *
 * @since 0.1.0
 * @category reading
 */
export const failureOf = (
  path: string,
  scanned: Scan.Scanned,
  isLast: boolean
): Option.Option<LogDamaged | LogTooNew> => {
  if (scanned._tag === "Record" || (scanned._tag === "Torn" && isLast)) return Option.none()
  const { _tag, detail, offset } = scanned
  return Option.some(
    _tag === "TooNew" ? new LogTooNew({ path, offset, detail }) : new LogDamaged({ path, offset, detail })
  )
}

const isNotFound = (error: LogReadError): boolean => error._tag === "LogFsError" && error.reason === "NotFound"

/**
 * A reader of the log below this home.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (fs: LogFs["Type"], home: string): LogReader["Type"] => {
  const { segments: folder } = pathsOf(home)
  const pathOf = (segment: number) => `${folder}/${nameOf(segment)}`

  type Located = Either.Either<LocatedRecord, LogDamaged | LogTooNew>

  const located = (segment: number, isLast: boolean) => (scanned: Scan.Scanned): Option.Option<Located> => {
    const failure = failureOf(pathOf(segment), scanned, isLast)
    if (Option.isSome(failure)) return Option.some(Either.left(failure.value))
    if (scanned._tag !== "Record") return Option.none()
    const { length, offset, record } = scanned
    return Option.some(Either.right({ record, position: { segment, offset }, length }))
  }

  const segment = (
    number: number,
    { expected, isLast, offset }: {
      readonly expected: Ref.Ref<Option.Option<number>>
      readonly isLast: boolean
      readonly offset: number
    }
  ): Stream.Stream<LocatedRecord, LogReadError> =>
    Stream.unwrapScoped(Effect.gen(function*() {
      const file = yield* fs.open(pathOf(number), "read")
      const from = offset === 0 ? Scan.fromStart(number, yield* Ref.get(expected)) : Scan.fromMiddle
      return scan(file, offset, from).pipe(
        Stream.filterMap(located(number, isLast)),
        untilLeft,
        Stream.chunks,
        Stream.tap((batch) =>
          Option.match(Chunk.last(batch), {
            onNone: () => Effect.void,
            onSome: ({ record }) => Ref.set(expected, Option.some(nextSeq(record)))
          })
        ),
        Stream.flattenChunks
      )
    })).pipe((lines) =>
      // A writer that recovers takes away a last segment that was never begun, maybe just now.
      isLast ? Stream.catchSome(lines, (error) => isNotFound(error) ? Option.some(Stream.empty) : Option.none()) : lines
    )

  const records = (from: LogPosition = { segment: 0, offset: 0 }): Stream.Stream<LocatedRecord, LogReadError> =>
    Stream.unwrap(Effect.gen(function*() {
      const numbers = (yield* segmentNumbers(fs, folder)).filter((number) => number >= from.segment)
      const last = numbers.at(-1)
      const expected = yield* Ref.make(Option.none<number>())
      return Stream.flatMap(
        Stream.fromIterable(numbers),
        (number) =>
          segment(number, { expected, isLast: number === last, offset: number === from.segment ? from.offset : 0 })
      )
    }))

  const at = ({ offset, segment }: LogPosition) =>
    Effect.scoped(Effect.gen(function*() {
      const path = pathOf(segment)
      const file = yield* fs.open(path, "read")
      for (let length = tailBytes;; length *= 8) {
        const bytes = yield* file.read(offset, length)
        const end = bytes.indexOf(lineFeed)
        if (end < 0 && bytes.length === length && length < maxLineBytes) continue
        if (end < 0) return yield* new LogDamaged({ path, offset, detail: "no whole line begins here" })
        return yield* Either.mapLeft(
          decode(bytes.subarray(0, end)),
          ({ _tag, detail }) =>
            _tag === "Unknown" ? new LogTooNew({ path, offset, detail }) : new LogDamaged({ path, offset, detail })
        )
      }
    }))

  /** By its end alone, where that is a whole line; else what stands before a torn tail has to be found from the start. */
  const lastOf = (number: number, isLast: boolean): Effect.Effect<Option.Option<LocatedRecord>, LogReadError> =>
    Effect.gen(function*() {
      const tail = yield* Effect.scoped(Effect.flatMap(fs.open(pathOf(number), "read"), lastLine)).pipe(
        notFoundIs(Option.none())
      )
      const found = Option.flatMap(tail, ({ line, offset }) =>
        Option.map(
          Either.getRight(decode(line)),
          (record): LocatedRecord => ({ record, position: { segment: number, offset }, length: line.length + 1 })
        ))
      if (Option.isSome(found)) return found
      const expected = yield* Ref.make(Option.none<number>())
      return yield* Stream.runLast(segment(number, { expected, isLast, offset: 0 }))
    })

  const last = Effect.gen(function*() {
    const numbers = yield* segmentNumbers(fs, folder)
    for (const number of numbers.toReversed()) {
      const found = yield* lastOf(number, number === numbers.at(-1))
      if (Option.isSome(found)) return found
    }
    return Option.none<LocatedRecord>()
  })

  const sizeOf = (number: number) =>
    Effect.scoped(Effect.flatMap(fs.open(pathOf(number), "read"), ({ size }) => size)).pipe(
      Effect.map((bytes) => [{ number, bytes }]),
      notFoundIs([])
    )

  const segments = Effect.flatMap(
    segmentNumbers(fs, folder),
    (numbers) => Effect.map(Effect.forEach(numbers, sizeOf), (sizes) => sizes.flat())
  )

  return { records, at, last, inspect: inspect(fs, home), segments }
}
