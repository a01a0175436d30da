/**
 * `mem ask`: answers a question from memory, with places that can be looked up, or says that it does not know.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import { AskReport } from "../domain/AskReport.ts"
import { ask as program, defaultOptions } from "../memory/ask.ts"
import { marked } from "../memory/OwnOutput.ts"
import { forQuestion } from "../memory/Room.ts"
import { embedded, search } from "../search/search.ts"
import { answer } from "./Answer.ts"
import * as AskText from "./AskText.ts"
import { configuration } from "./Configuration.ts"
import { NoModel } from "./ModelAdvice.ts"
import { optionalText } from "./OptionalText.ts"
import { roomIn } from "./Remembering.ts"
import { Terminal } from "./Terminal.ts"
import { UsageError } from "./UsageError.ts"

const encode = Schema.encodeSync(AskReport)

/** Passages, and as many Records of sessions: about what the calls that are allowed if nothing is said can read. */
const k = 40

const callsOf = (given: Option.Option<string>): Effect.Effect<number, UsageError> =>
  Option.match(given, {
    onNone: () => Effect.succeed(defaultOptions.max_calls),
    onSome: (text) =>
      /^[1-9]\d{0,11}$/.test(text)
        ? Effect.succeed(Number(text))
        : new UsageError({
          command: "mem ask",
          detail: `--max-calls is "${text}": it must be a whole number from 1 on`
        })
  })

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const ask = Command.make("ask", {
  words: Args.text({ name: "QUESTION" }).pipe(
    Args.withDescription("What you want to know; quotes around it are not needed"),
    Args.repeated
  ),
  maxCalls: optionalText(
    "max-calls",
    "N",
    `Calls of the language model, at most, the answer's among them; ${defaultOptions.max_calls} if not given`
  )
}, ({ maxCalls, words }) =>
  Effect.gen(function*() {
    const text = words.join(" ").trim()
    if (text === "") {
      return yield* new UsageError({ command: "mem ask", detail: "nothing is asked: write a question" })
    }
    const max_calls = yield* callsOf(maxCalls)
    const { file, home } = yield* configuration
    if (file.model === undefined) return yield* new NoModel({ command: "mem ask", file: file.file })
    const model = Live.model(file, file.model)
    const options = { ...defaultOptions, max_calls }
    yield* Effect.provide(roomIn(file, forQuestion(text, options.max_answer_tokens)), model)
    const query = yield* Effect.provide(embedded({ text, mode: "hybrid", k }), Live.embedder(file))
    const index = Layer.provideMerge(Live.readIndex(home), Live.read(home))
    const report = yield* Effect.provide(
      Effect.flatMap(search(query), (found) => program(text, found, options)),
      Layer.mergeAll(index, Live.connectors(file), model)
    )
    const lines = AskText.lines(report)
    const { reads } = yield* Terminal
    yield* answer({ document: encode(report), lines: reads ? lines : marked("ask", lines) })
  })).pipe(Command.withDescription("Answer a question from memory, with its sources. Reads only."))
