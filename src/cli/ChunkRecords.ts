/**
 * A file of Records on its way through `mem chunk`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as Jsonl from "../../layers/RecordSource/Jsonl.ts"
import * as TextLines from "../../layers/RecordSource/TextLines.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { chunks } from "../chunk/chunks.ts"
import { ChunkSummary } from "../domain/ChunkReport.ts"
import { RecordSourceError } from "../domain/ConnectorErrors.ts"
import { bytesOf } from "./ByteSource.ts"
import type { Plan } from "./ChunkOptions.ts"
import type { ChunkPrinter } from "./ChunkPrinter.ts"
import type { Output, OutputFailure } from "./Output.ts"

/** More warnings than this tell nothing new. */
const mostWarnings = 10

const withOptions = (text: boolean) => ({ advice, ...error }: RecordSourceError): RecordSourceError =>
  new RecordSourceError({
    ...error,
    advice: `${advice} (${text ? "" : "--text reads plain text, "}--skip-bad goes on behind a bad line)`
  })

const noteBadLine = (skipped: Ref.Ref<number>) => (error: RecordSourceError) =>
  Effect.flatMap(
    Ref.getAndUpdate(skipped, (n) => n + 1),
    (before) => before < mostWarnings ? Effect.logWarning(error.message) : Effect.void
  )

/** What was skipped, in a line; an error where nothing else was there. */
const sumUp = (file: string, skipped: number, records: number) => {
  if (skipped === 0) return Effect.void
  if (records > 0) return Effect.logWarning(`${file}: ${skipped} bad ${skipped === 1 ? "line" : "lines"} skipped`)
  const advice = "see the first warnings, and convert the file"
  return Effect.fail(
    new RecordSourceError({ source: file, detail: `none of its ${skipped} lines is a Record`, advice })
  )
}

/**
 * Chunks the Records of a file as they are read, and prints the chunks.
 *
 * @since 0.1.0
 * @category programs
 */
export const chunkRecords = (
  { counter, policy, skipBad, text }: Plan,
  printer: ChunkPrinter,
  file: string
): Effect.Effect<void, OutputFailure | RecordSourceError, Output> =>
  Effect.gen(function*() {
    const skipped = yield* Ref.make(0)
    const read = yield* Ref.make(0)
    const onBadLine = skipBad
      ? noteBadLine(skipped)
      : (error: RecordSourceError) => Effect.fail(withOptions(text)(error))
    const { records } = (text ? TextLines : Jsonl).make({ file, bytes: bytesOf(file), onBadLine })
    yield* printer.records({
      file,
      chunks: records.pipe(
        chunks(policy),
        Stream.tap((chunk) => Ref.update(read, (n) => n + chunk.records.length)),
        Stream.map(ChunkSummary.of),
        Stream.provideService(TokenCounter, counter)
      ),
      badLines: Effect.map(Ref.get(skipped), (bad_lines) => skipBad ? { bad_lines } : {})
    })
    yield* sumUp(file, yield* Ref.get(skipped), yield* Ref.get(read))
  })
