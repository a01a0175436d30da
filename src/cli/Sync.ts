/**
 * `mem sync`: the main job. It brings what the sources hold into memory, and does only what has changed.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { optionalText } from "./OptionalText.ts"
import { drifting, following, syncing } from "./Syncing.ts"
import { UsageError } from "./UsageError.ts"

/**
 * The connector that a command is about.
 *
 * @since 0.1.0
 * @category arguments
 */
export const connectorName = Args.text({ name: "NAME" }).pipe(
  Args.withDescription("A connector by its name in connectors.yaml; all of them if not given"),
  Args.optional
)

/**
 * @since 0.1.0
 * @category options
 */
export const allowMassRemoval = Options.boolean("allow-mass-removal").pipe(
  Options.withDescription("Let removals through that a guard refuses: a source that is suddenly empty or mostly gone")
)

/**
 * @since 0.1.0
 * @category options
 */
export const verify = Options.boolean("verify").pipe(
  Options.withDescription("Trust no sign that a document is unchanged: read and compare every one")
)

const limitOf = (option: string, given: Option.Option<string>): Effect.Effect<number | undefined, UsageError> =>
  Option.match(given, {
    onNone: () => Effect.succeed(undefined),
    onSome: (text) =>
      /^[1-9]\d{0,11}$/.test(text)
        ? Effect.succeed(Number(text))
        : new UsageError({ command: "mem sync", detail: `${option} is "${text}": it must be a whole number from 1 on` })
  })

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const sync = Command.make("sync", {
  name: connectorName,
  drift: Options.boolean("drift").pipe(
    Options.withDescription("Only show what would be done, as \"mem drift\" does; nothing is written")
  ),
  allowMassRemoval,
  verify,
  maxCalls: optionalText("max-calls", "N", "Calls of the language model in this run, at most; the next run goes on"),
  maxTokens: optionalText("max-tokens", "N", "Tokens that the language model is sent and answers in this run, at most"),
  follow: Options.boolean("follow").pipe(
    Options.withDescription("Then go on, and archive what agents write while it runs, until it is stopped")
  )
}, ({ allowMassRemoval, drift, follow, maxCalls, maxTokens, name, verify }) =>
  Effect.gen(function*() {
    const limited = Option.isSome(maxCalls) || Option.isSome(maxTokens)
    if (drift && (allowMassRemoval || verify || follow || limited)) {
      const detail = "--drift only shows what would be done, and takes no other option"
      return yield* new UsageError({ command: "mem sync", detail })
    }
    if (drift) return yield* drifting({ command: "drift", name, estimate: false, exitCode: false })
    if (follow && limited) {
      const detail = "--follow asks no model, so there is nothing that --max-calls and --max-tokens could limit"
      return yield* new UsageError({ command: "mem sync", detail })
    }
    if (follow) return yield* following({ name, allowMassRemoval, verify })
    const max_calls = yield* limitOf("--max-calls", maxCalls)
    const max_tokens = yield* limitOf("--max-tokens", maxTokens)
    yield* syncing({ command: "sync", name, allowMassRemoval, verify, documentsOnly: false, max_calls, max_tokens })
  })).pipe(Command.withDescription("Bring what the sources hold into memory; only what has changed is done."))
