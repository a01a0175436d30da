/**
 * `mem log verify` and `mem log cat`: look at the log itself. Both only read.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Live from "../../layers/Live.ts"
import { LogReader } from "../../services/LogReader.ts"
import { bodies } from "../domain/LogRecord.ts"
import * as Codec from "../log/Codec.ts"
import { verify as program } from "../log/verify.ts"
import { answer } from "./Answer.ts"
import { global } from "./Global.ts"
import * as Grammar from "./Grammar.ts"
import { home } from "./Home.ts"
import * as LogVerifyText from "./LogVerifyText.ts"
import { Output } from "./Output.ts"
import { UsageError } from "./UsageError.ts"

const verify = Command.make("verify", {}, () =>
  Effect.gen(function*() {
    const report = yield* Effect.provide(program, Live.readLog(yield* home))
    if (report.torn > 0) {
      yield* Effect.logWarning(
        `the log ends in ${report.torn} bytes of a write that was never finished; the next sync moves them aside`
      )
    }
    yield* Option.match(LogVerifyText.advice(report), {
      onNone: () => Effect.void,
      onSome: (advice) => Effect.logError(advice)
    })
    yield* answer({
      document: report,
      lines: LogVerifyText.lines(report),
      code: report.damaged ? 6 : report.ok ? 0 : 1
    })
  })).pipe(
    Command.withDescription(
      "Check the whole log: each line's checksum, place and form, each segment's sha256. Exit code 6 on damage."
    )
  )

const kinds: ReadonlyArray<string> = Object.keys(bodies)

const cat = Command.make("cat", {
  kind: Options.text("kind").pipe(
    Options.withPseudoName("KIND"),
    Options.withDescription("Only records of this kind, such as commit or reference"),
    Options.optional
  )
}, ({ kind }) =>
  Effect.gen(function*() {
    const { json } = yield* global
    if (json) return yield* new UsageError({ command: "mem log cat", detail: "it prints JSON lines without --json" })
    if (Option.exists(kind, (name) => !kinds.includes(name) && !name.startsWith("x-"))) {
      return yield* new UsageError({
        command: "mem log cat",
        detail: `--kind is ${JSON.stringify(Option.getOrElse(kind, () => ""))}: it must be one of ${kinds.join(", ")}`
      })
    }
    const folder = yield* home
    const { write } = yield* Output
    yield* Effect.gen(function*() {
      const reader = yield* LogReader
      yield* reader.records().pipe(
        Stream.filter(({ record }) =>
          Option.match(kind, { onNone: () => true, onSome: (name) => record.kind === name })
        ),
        Stream.mapEffect(({ record }) => Codec.encode(record)),
        Stream.runForEachChunk((lines) => write(Buffer.concat(Chunk.toReadonlyArray(lines)).toString("utf8")))
      )
    }).pipe(Effect.provide(Live.readLog(folder)))
  })).pipe(Command.withDescription("Print the records of the log, as the JSON lines that they are."))

/**
 * The command, and those below it.
 *
 * @since 0.1.0
 * @category commands
 */
export const log = Command.make("log").pipe(
  Command.withDescription("Look at the log itself."),
  Command.withSubcommands([verify, cat])
)

/**
 * How they are written.
 *
 * @since 0.1.0
 * @category grammar
 */
export const grammar: Grammar.Grammar = Grammar.make(Command.make("log"), [Grammar.make(verify), Grammar.make(cat)])
