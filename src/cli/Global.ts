/**
 * The program itself: its name, its options that every command takes, before or behind its own name.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"

/**
 * `mem` with the options that every command shares.
 *
 * @since 0.1.0
 * @category commands
 */
export const global = Command.make("mem", {
  home: Options.text("home").pipe(
    Options.withPseudoName("DIR"),
    Options.withDescription(
      "The memory home; otherwise MEM_HOME, the nearest folder upward that holds connectors.yaml, or this folder"
    ),
    Options.optional
  ),
  json: Options.boolean("json").pipe(
    Options.withDescription("Print one JSON document on standard output, whatever the exit code")
  )
}).pipe(Command.withDescription("An append-only, searchable, evidence-keeping memory of your transcripts and notes."))
