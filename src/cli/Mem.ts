/**
 * The whole command line: words in, effects out. Errors that end a run are told here, on standard error for a person
 * and under `--json` as the one document on standard output.
 *
 * @since 0.1.0
 */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import { stripVTControlCharacters } from "node:util"
import { read } from "./Argv.ts"
import { ask } from "./Ask.ts"
import { blame } from "./Blame.ts"
import { chunk } from "./Chunk.ts"
import { doctor } from "./Doctor.ts"
import { drift } from "./Drift.ts"
import { dump } from "./Dump.ts"
import { get } from "./Get.ts"
import { global } from "./Global.ts"
import * as Grammar from "./Grammar.ts"
import { init } from "./Init.ts"
import { grammar as logGrammar, log } from "./Log.ts"
import { memory } from "./Memory.ts"
import { ClosedPipe, Output } from "./Output.ts"
import { overview } from "./Overview.ts"
import { printable } from "./Printable.ts"
import { rebuild } from "./Rebuild.ts"
import { grammar as refGrammar, ref } from "./Ref.ts"
import { search } from "./Search.ts"
import { status } from "./Status.ts"
import { sync } from "./Sync.ts"
import { version } from "./Version.ts"

const mem = global.pipe(
  Command.withSubcommands([
    init,
    sync,
    drift,
    status,
    ref,
    search,
    get,
    memory,
    ask,
    blame,
    rebuild,
    dump,
    chunk,
    log,
    doctor
  ])
)

const grammar = Grammar.make(global, [
  Grammar.make(init),
  Grammar.make(sync),
  Grammar.make(drift),
  Grammar.make(status),
  refGrammar,
  Grammar.make(search),
  Grammar.make(get),
  Grammar.make(memory),
  Grammar.make(ask),
  Grammar.make(blame),
  Grammar.make(rebuild),
  Grammar.make(dump),
  Grammar.make(chunk),
  logGrammar,
  Grammar.make(doctor)
])

const footer = HelpDoc.p(
  "The options of mem itself, --home DIR and --json, may stand before or behind a command. \"mem --help\" lists the commands and the exit codes."
)

const parse = Command.run(mem, { name: "mem", version, footer })

const config = CliConfig.layer({ showBuiltIns: false, showTypes: false })

const codeOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && Predicate.isString(error._tag) ? error._tag : "Defect"

const messageOf = (error: unknown): string =>
  ValidationError.isValidationError(error)
    ? stripVTControlCharacters(HelpDoc.toAnsiText(error.error)).trim()
    : error instanceof Error
    ? error.message
    : String(error)

/** A person who interrupts knows it, and the parser has printed its own mistakes already. */
const tell = (command: string, asJson: boolean) => (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  if (error instanceof ClosedPipe) return Effect.void
  const interrupted = Cause.isInterruptedOnly(cause)
  const failure = interrupted
    ? { code: "Interrupted", message: "interrupted before it was done" }
    : { code: codeOf(error), message: messageOf(error) }
  const document = `${JSON.stringify({ command, ok: false, error: failure })}\n`
  return Effect.zipRight(
    interrupted || ValidationError.isValidationError(error)
      ? Effect.void
      : Console.error(`mem: ${printable(failure.message)}`),
    asJson ? Effect.ignore(Effect.flatMap(Output, ({ write }) => write(document))) : Effect.void
  )
}

/**
 * Runs the command line, without the program's own name.
 *
 * @since 0.1.0
 * @category running
 */
export const run = (args: ReadonlyArray<string>) => {
  const { command, json, words } = read(grammar)(args)
  // The parser's own page of all commands is too wide for a terminal.
  const page = Effect.flatMap(Output, ({ write }) => write(overview))
  return Effect.flatMap(
    words,
    (words) =>
      words.length === 0 || (words.length === 1 && words[0] === "--help") ? page : parse(["node", "mem", ...words])
  ).pipe(
    Effect.onExit(Exit.match({ onSuccess: () => Effect.void, onFailure: tell(command, json) })),
    Effect.provide(config)
  )
}
