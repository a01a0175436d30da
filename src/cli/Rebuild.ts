/**
 * `mem rebuild --from-log`: throws the search index away and folds it again. Nothing is fetched, cut or embedded.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import { RebuildReport } from "../domain/RebuildReport.ts"
import { liveIn } from "../sync/LiveText.ts"
import { rebuild as program } from "../sync/rebuild.ts"
import { plural } from "../text/Amounts.ts"
import { answer } from "./Answer.ts"
import { existingHome } from "./Home.ts"
import { UsageError } from "./UsageError.ts"
import { wrapped } from "./Words.ts"

const encode = Schema.encodeSync(RebuildReport)

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const rebuild = Command.make("rebuild", {
  fromLog: Options.boolean("from-log").pipe(
    Options.withDescription("From the log, which has all that is needed; it must be said")
  )
}, ({ fromLog }) =>
  Effect.gen(function*() {
    if (!fromLog) {
      return yield* new UsageError({
        command: "mem rebuild",
        detail: "say what to make the search index from: mem rebuild --from-log"
      })
    }
    const home = yield* existingHome("mem rebuild")
    const report = yield* Effect.provide(program, Live.writeIndex(home))
    yield* answer({
      document: encode(report),
      lines: [
        ...wrapped(
          "",
          `made anew from ${plural(report.records, "record")} of the log, with ${liveIn(report)} live; nothing embedded`
        ),
        ...wrapped("", `sha256 ${report.state_sha256.slice(0, 16)}…, which "mem dump --digest" prints in full`)
      ]
    })
  })).pipe(Command.withDescription("Throw the search index away and make it anew from the log. Nothing is embedded."))
