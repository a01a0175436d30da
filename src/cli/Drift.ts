/**
 * `mem drift`: what a sync would do. It changes no byte, creates no file and takes no lock.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { connectorName } from "./Sync.ts"
import { drifting } from "./Syncing.ts"

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const drift = Command.make("drift", {
  name: connectorName,
  estimate: Options.boolean("estimate").pipe(
    Options.withDescription("Also what it would cost: reads what has changed, embeds nothing, and asks no model")
  ),
  exitCode: Options.boolean("exit-code").pipe(Options.withDescription("Exit with 10 where there is any drift"))
}, (given) => drifting({ command: "drift", ...given })).pipe(
  Command.withDescription("Show what a sync would do. Reads only.")
)
