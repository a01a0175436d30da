/**
 * Reads all segment files from end to end, whatever is wrong with them, in constant memory: every line with its place,
 * every fault, and the sha256 of each file, all in one reading of the bytes. As the reader, it writes nothing.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { createHash, type Hash } from "node:crypto"
import type { LogFs } from "../../services/LogFs.ts"
import type { Inspected } from "../../services/LogReader.ts"
import { Sha256 } from "../../src/domain/Ids.ts"
import type { LogFsError } from "../../src/domain/LogErrors.ts"
import { LogFault, SegmentSummary } from "../../src/domain/LogVerifyReport.ts"
import { maxLineBytes } from "../../src/log/Codec.ts"
import * as Inspect from "../../src/log/Inspect.ts"
import * as Lines from "../../src/log/Lines.ts"
import { nameOf } from "../../src/log/SegmentFile.ts"
import { fold } from "../../src/stream/Fold.ts"
import { pathsOf } from "./Paths.ts"
import { bytesFrom, segmentNumbers } from "./SegmentBytes.ts"

/** The segments of a log in order, and what is missing between them. */
const sequence = (numbers: ReadonlyArray<number>): ReadonlyArray<readonly [first: number, last: number] | number> =>
  numbers.flatMap((number, i) => {
    const before = numbers[i - 1] ?? 0
    return number === before + 1 ? [number] : [[before + 1, number - 1], number]
  })

const faultOf = (fault: LogFault): Inspected => ({ _tag: "Fault", fault })

/** What was found in the segment, as everybody is told of it; the hash is that of the bytes that were read so far. */
const located = (segment: number, path: string, hash: Hash) => (found: Inspect.Found): Inspected => {
  if (found._tag === "Record") {
    const { length, offset, record } = found
    return { _tag: "Line", line: { record, position: { segment, offset }, length } }
  }
  if (found._tag === "Fault") {
    const { detail, kind, length, lost, offset } = found
    const lines = Option.map(lost, ([first_seq, last_seq]) => ({ first_seq, last_seq }))
    return faultOf(
      new LogFault({ kind, segment, path, offset, length, detail, ...Option.getOrElse(lines, () => ({})) })
    )
  }
  const { bytes, durable_to } = found
  const sha256 = Sha256.make(hash.digest("hex"))
  return { _tag: "Segment", summary: new SegmentSummary({ segment, path, bytes, sha256, durable_to }) }
}

/**
 * All that the segments of the log below this home hold.
 *
 * @since 0.1.0
 * @category reading
 */
export const inspect = (fs: LogFs["Type"], home: string): Stream.Stream<Inspected, LogFsError> => {
  const { segments: folder } = pathsOf(home)
  const pathOf = (segment: number) => `${folder}/${nameOf(segment)}`

  /** Where nothing can tell which line comes next, the next good one is believed. */
  type NextSeq = Ref.Ref<Option.Option<number>>

  const readable = (segment: number, seq: NextSeq): Stream.Stream<Inspected, LogFsError> =>
    Stream.unwrapScoped(Effect.gen(function*() {
      const path = pathOf(segment)
      const file = yield* fs.open(path, "read")
      const hash = createHash("sha256")
      const tell = located(segment, path, hash)
      return bytesFrom(file, 0).pipe(
        Stream.tap((bytes) => Effect.sync(() => hash.update(bytes))),
        fold(Lines.initial(0), Lines.step(maxLineBytes)),
        fold(Inspect.initial(segment, yield* Ref.get(seq)), Inspect.step),
        Stream.mapChunksEffect((batch) =>
          Effect.as(
            Option.match(Option.filter(Chunk.last(batch), (found) => found._tag === "End"), {
              onNone: () => Effect.void,
              onSome: (end) => Ref.set(seq, end.seq)
            }),
            Chunk.map(batch, tell)
          )
        )
      )
    }))

  const one = (segment: number, isLast: boolean, seq: NextSeq): Stream.Stream<Inspected> =>
    Stream.catchAll(readable(segment, seq), (error) =>
      // A writer that recovers takes away a last segment that was never begun, maybe just now.
      isLast && error.reason === "NotFound" ? Stream.empty : Stream.fromEffect(Effect.as(
        Ref.set(seq, Option.none()),
        faultOf(
          new LogFault({
            kind: "unreadable",
            segment,
            path: pathOf(segment),
            offset: 0,
            length: 0,
            detail: error.message
          })
        )
      )))

  const missing = (first: number, last: number, seq: NextSeq): Stream.Stream<Inspected> => {
    const what = first === last ? "the file of this segment is" : `the files of segments ${first} to ${last} are`
    return Stream.fromEffect(Effect.as(
      Ref.set(seq, Option.none()),
      faultOf(
        new LogFault({
          kind: "missing",
          segment: first,
          path: pathOf(first),
          offset: 0,
          length: 0,
          detail: `${what} missing`
        })
      )
    ))
  }

  return Stream.unwrap(Effect.gen(function*() {
    const numbers = yield* segmentNumbers(fs, folder)
    const last = numbers.at(-1)
    const seq = yield* Ref.make(Option.some(1))
    return Stream.flatMap(
      Stream.fromIterable(sequence(numbers)),
      (part) => typeof part === "number" ? one(part, part === last, seq) : missing(part[0], part[1], seq)
    )
  }))
}
