/**
 * `mem blame`: follows a sentence of memory down to the bytes of a transcript.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import { BlameReport } from "../domain/BlameReport.ts"
import { blame as program } from "../memory/blame.ts"
import { marked } from "../memory/OwnOutput.ts"
import { answer } from "./Answer.ts"
import * as BlameText from "./BlameText.ts"
import { existingHome } from "./Home.ts"
import { Terminal } from "./Terminal.ts"
import { UsageError } from "./UsageError.ts"

const encode = Schema.encodeSync(BlameReport)

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const blame = Command.make("blame", {
  words: Args.text({ name: "ID|SENTENCE" }).pipe(
    Args.withDescription("An id such as L1:4f… as \"mem memory\" prints it, or a sentence of memory"),
    Args.repeated
  )
}, ({ words }) =>
  Effect.gen(function*() {
    const asked = words.join(" ").trim()
    if (asked === "") {
      return yield* new UsageError({ command: "mem blame", detail: "nothing is asked for: give an id, or a sentence" })
    }
    const home = yield* existingHome("mem blame")
    const report = yield* Effect.provide(program(asked), Live.read(home))
    const lines = BlameText.lines(report)
    const { reads } = yield* Terminal
    yield* answer({ document: encode(report), lines: reads ? lines : marked("blame", lines) })
  })).pipe(Command.withDescription("Follow a sentence of memory down to its transcript. Reads only."))
