/**
 * `mem chunk`: shows how files would be chunked. It reads them as streams and writes nothing.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as Jsonl from "../../layers/RecordSource/Jsonl.ts"
import * as TextLines from "../../layers/RecordSource/TextLines.ts"
import * as CharsOverFour from "../../layers/TokenCounter/CharsOverFour.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { chunks } from "../chunk/chunks.ts"
import { ChunkPolicy } from "../domain/ChunkPolicy.ts"
import { ChunkSummary } from "../domain/ChunkReport.ts"
import { RecordSourceError } from "../domain/ConnectorErrors.ts"
import { bytesOf } from "./ByteSource.ts"
import * as ChunkPrinter from "./ChunkPrinter.ts"
import { global } from "./Global.ts"
import { UsageError } from "./UsageError.ts"

const files = Args.text({ name: "FILE" }).pipe(
  Args.withDescription("JSON lines, one Record a line, of which only \"text\" is needed; - reads standard input"),
  Args.repeated
)

const options = {
  maxTokens: Options.text("max-tokens").pipe(
    Options.withPseudoName("N"),
    Options.withDescription("Most tokens of a chunk, 5000 if not given; a Record above it is kept whole, alone"),
    Options.withDefault(String(ChunkPolicy.default.max_tokens))
  ),
  counter: Options.text("counter").pipe(
    Options.withPseudoName("NAME"),
    Options.withDescription("How tokens are counted: chars (the default), one for four characters, an estimate"),
    Options.withDefault("chars")
  ),
  text: Options.boolean("text").pipe(Options.withDescription("Take each line of plain text as a Record")),
  jsonl: Options.boolean("jsonl").pipe(
    Options.withDescription("Print one JSON object a chunk, as soon as it is complete")
  ),
  skipBad: Options.boolean("skip-bad").pipe(
    Options.withDescription("Go on after a line that is no Record, and report how many there were")
  )
}

const refuse = (detail: string) => new UsageError({ command: "mem chunk", detail })

const counters: ReadonlyMap<string, TokenCounter["Type"]> = new Map([["chars", CharsOverFour.make]])

const counterOf = (name: string): Either.Either<TokenCounter["Type"], UsageError> =>
  Either.fromNullable(
    counters.get(name),
    () => refuse(`--counter is "${name}": it must be one of ${[...counters.keys()].join(", ")}`)
  )

const policyOf = (maxTokens: string): Either.Either<ChunkPolicy, UsageError> =>
  Either.mapLeft(
    ChunkPolicy.from({ max_tokens: /^\d+$/.test(maxTokens) ? Number(maxTokens) : Number.NaN }),
    () => refuse(`--max-tokens is "${maxTokens}": a token budget is a whole number, 1 or more`)
  )

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
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const chunk = Command.make("chunk", { files, ...options }, (given) =>
  Effect.gen(function*() {
    const { json } = yield* global
    if (given.files.length === 0) return yield* refuse("no FILE is given (- reads standard input)")
    if (given.files.indexOf("-") !== given.files.lastIndexOf("-")) {
      return yield* refuse("standard input (-) can be read only once")
    }
    if (json && given.jsonl) return yield* refuse("--json and --jsonl exclude each other")
    const counter = yield* counterOf(given.counter)
    const policy = yield* policyOf(given.maxTokens)
    const made = { max_tokens: policy.max_tokens, counter: counter.fingerprint }
    const printer = given.jsonl
      ? ChunkPrinter.jsonl
      : json
      ? yield* ChunkPrinter.json(made)
      : yield* ChunkPrinter.table(made)
    const source = given.text ? TextLines : Jsonl

    yield* Effect.forEach(given.files, (file) =>
      Effect.gen(function*() {
        const skipped = yield* Ref.make(0)
        const read = yield* Ref.make(0)
        const onBadLine = given.skipBad
          ? noteBadLine(skipped)
          : (error: RecordSourceError) => Effect.fail(withOptions(given.text)(error))
        const { records } = source.make({ file, bytes: bytesOf(file), onBadLine })
        yield* printer.file({
          file,
          chunks: records.pipe(
            chunks(policy),
            Stream.tap((chunk) => Ref.update(read, (n) => n + chunk.records.length)),
            Stream.map(ChunkSummary.of),
            Stream.provideService(TokenCounter, counter)
          ),
          badLines: Effect.map(Ref.get(skipped), (bad_lines) => given.skipBad ? { bad_lines } : {})
        })
        yield* sumUp(file, yield* Ref.get(skipped), yield* Ref.get(read))
      }), { discard: true })
    yield* printer.end
  })).pipe(Command.withDescription("Show how files would be chunked. Reads only; a pipe that never ends is fine."))
