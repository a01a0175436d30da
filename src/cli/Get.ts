/**
 * `mem get`: prints what a hit points at, from the log. A whole document comes out as it is, byte for byte where no
 * terminal reads it; lines come numbered, with their surroundings, and Records of a session under a head each.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import { GetReport, GetSessionReport } from "../domain/GetReport.ts"
import { marked } from "../memory/OwnOutput.ts"
import { get as program, readings } from "../sync/get.ts"
import { answer } from "./Answer.ts"
import * as GetText from "./GetText.ts"
import { global } from "./Global.ts"
import { existingHome } from "./Home.ts"
import { Output } from "./Output.ts"
import { Terminal } from "./Terminal.ts"
import { UsageError } from "./UsageError.ts"

const encode = Schema.encodeSync(GetReport)
const encodeSession = Schema.encodeSync(GetSessionReport)

const refuse = (detail: string) => new UsageError({ command: "mem get", detail })

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const get = Command.make("get", {
  place: Args.text({ name: "CONNECTOR:DOC_ID[:LINES]" }).pipe(
    Args.withDescription(
      "A document or session, as \"mem search\" names it; LINES (or Records) are 10, 10-20, or 10- for all from there on"
    )
  ),
  context: Options.text("context").pipe(
    Options.withPseudoName("N"),
    Options.withDescription("Lines around those that are asked for; 3 if not given"),
    Options.withDefault("3")
  )
}, ({ context, place }) =>
  Effect.gen(function*() {
    if (!/^\d{1,6}$/.test(context)) return yield* refuse(`--context is "${context}": it must be a number of lines`)
    const places = readings(place)
    if (!Arr.isNonEmptyReadonlyArray(places)) {
      return yield* refuse(`"${place}" names no document: write CONNECTOR:DOC_ID, such as notes:ideas.md`)
    }
    const home = yield* existingHome("mem get")
    const { report, whole } = yield* Effect.provide(program(places, Number(context)), Live.read(home))
    const { json } = yield* global
    const { reads } = yield* Terminal
    if (report instanceof GetSessionReport) {
      const lines = GetText.session(report)
      return yield* answer({ document: encodeSession(report), lines: reads ? lines : marked("get", lines) })
    }
    if (whole && !json && !reads) return yield* Effect.flatMap(Output, ({ write }) => write(report.text))
    yield* answer({ document: encode(report), lines: whole ? GetText.plain(report) : GetText.numbered(report) })
  })).pipe(
    Command.withDescription("Print a document or a session of memory, or a part with its surroundings. Reads only.")
  )
