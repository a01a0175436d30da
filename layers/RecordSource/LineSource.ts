/**
 * What the line-based sources share: bytes become numbered lines, lines become Records, and a bad line is handed to
 * the caller at its place, after the Records before it.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { RecordSourceError } from "../../src/domain/ConnectorErrors.ts"
import type { Record } from "../../src/domain/Record.ts"
import { maxLineBytes } from "../../src/log/Codec.ts"
import { type Line, lines } from "../../src/log/Lines.ts"
import { fold, type Step } from "../../src/stream/Fold.ts"

/**
 * A file, its bytes, and what to do about a line that is no Record: fail with it, or note it and go on.
 *
 * @since 0.1.0
 * @category models
 */
export interface LineSource {
  readonly file: string
  readonly bytes: Stream.Stream<Uint8Array, RecordSourceError>
  readonly onBadLine: (error: RecordSourceError) => Effect.Effect<void, RecordSourceError>
}

type Result = Either.Either<Record, RecordSourceError>

/**
 * What a line is: a Record, a bad line, or nothing at all. `line` counts from 1; the content has no line end.
 *
 * @since 0.1.0
 * @category models
 */
export type ReadLine = (file: string, line: number, content: string) => ReadonlyArray<Result>

/**
 * A bad line, by file and number.
 *
 * @since 0.1.0
 * @category constructors
 */
export const bad = (file: string, line: number, detail: string, advice: string): RecordSourceError =>
  new RecordSourceError({ source: file, position: line, detail, advice })

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const carriageReturn = 0x0d

const byteOrderMark = /^\uFEFF/

const content = (bytes: Uint8Array, line: number): Either.Either<string, string> =>
  Either.try({
    try: () => {
      const text = utf8.decode(bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes)
      return line === 1 ? text.replace(byteOrderMark, "") : text
    },
    catch: () => "not UTF-8"
  })

/** Runs of good Records, with each bad line between them: a batch is almost always a single run. */
type Run = Either.Either<ReadonlyArray<Record>, RecordSourceError>

const runsOf = (results: ReadonlyArray<Result>): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  let good: Array<Record> = []
  for (const result of results) {
    if (Either.isRight(result)) good.push(result.right)
    else {
      runs.push(Either.right(good), Either.left(result.left))
      good = []
    }
  }
  return [...runs, Either.right(good)]
}

const step = (file: string, read: ReadLine): Step<number, Line, Run> => (line, signal) => {
  if (signal._tag === "Flush") return [line, []]
  const results = signal.items.flatMap((item, i): ReadonlyArray<Result> => {
    const at = line + i
    return item._tag === "TooLong"
      ? [
        Either.left(
          bad(file, at, `a line of ${item.length} bytes`, `${maxLineBytes} is the most that a record may have`)
        )
      ]
      : Either.match(content(item.bytes, at), {
        onLeft: (detail) => [Either.left(bad(file, at, detail, "convert the file to UTF-8"))],
        onRight: (text) => read(file, at, text)
      })
  })
  return [line + signal.items.length, runsOf(results)]
}

/**
 * The Records of the source, in the batches that its bytes come in.
 *
 * @since 0.1.0
 * @category constructors
 */
export const recordsOf = (source: LineSource, read: ReadLine): Stream.Stream<Record, RecordSourceError> =>
  source.bytes.pipe(
    lines(maxLineBytes),
    fold(1, step(source.file, read)),
    Stream.flatMap(Either.match({
      onLeft: (error) => Stream.drain(Stream.fromEffect(source.onBadLine(error))),
      onRight: Stream.fromIterable
    }))
  )
