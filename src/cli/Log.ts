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
import * as Codec from "../log/Codec.ts"
import { global } from "./Global.ts"
import * as Grammar from "./Grammar.ts"
import { home } from "./Home.ts"
import { Output } from "./Output.ts"
import { UsageError } from "./UsageError.ts"

const number = (n: number): string => n.toLocaleString("en-US")

const verify = Command.make("verify", {}, () =>
  Effect.gen(function*() {
    const { json } = yield* global
    const folder = yield* home
    const { write } = yield* Output
    const found = yield* Effect.gen(function*() {
      const reader = yield* LogReader
      const segments = yield* reader.segments
      const counted = yield* Stream.runFold(
        reader.records(),
        { records: 0, good: 0 },
        ({ good, records }, { length }) => ({
          records: records + 1,
          good: good + length
        })
      )
      const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0)
      return { segments: segments.length, bytes, records: counted.records, torn: bytes - counted.good }
    }).pipe(Effect.provide(Live.readLog(folder)))
    if (found.torn > 0) {
      yield* Effect.logWarning(
        `the log ends in ${found.torn} bytes of a write that was never finished; the next sync moves them aside`
      )
    }
    yield* write(
      json
        ? `${JSON.stringify({ command: "log verify", ok: true, ...found })}\n`
        : `${number(found.records)} records in ${number(found.segments)} segments, ${
          number(found.bytes)
        } bytes: all checksums are right\n`
    )
  })).pipe(
    Command.withDescription("Check every line of the log: its checksum, its place, its form. Exit code 6 on damage.")
  )

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
