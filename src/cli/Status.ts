/**
 * `mem status`: what is in memory, what failed and was left out, and how the log and the search index are.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import { StatusReport } from "../domain/StatusReport.ts"
import { waiting, waitingOf } from "../memory/waiting.ts"
import { looked } from "../sync/status.ts"
import { answer } from "./Answer.ts"
import { configuration } from "./Configuration.ts"
import { optionsOf } from "./Remembering.ts"
import * as StatusText from "./StatusText.ts"

const encode = Schema.encodeSync(StatusReport)

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const status = Command.make("status", {}, () =>
  Effect.gen(function*() {
    const { file, home } = yield* configuration
    const layer = Layer.provideMerge(Live.readIndex(home), Live.read(home))
    const report = yield* Effect.gen(function*() {
      const { live, report } = yield* looked
      const { model } = file
      if (model === undefined || report.connectors.every(({ source_type }) => source_type === "document")) return report
      return yield* Effect.map(waiting(live, optionsOf(file)), (found) => waitingOf(report, found)).pipe(
        Effect.provide(Live.model(file, Live.withoutKey(model)))
      )
    }).pipe(Effect.provide(Layer.merge(layer, Live.connectors(file))))
    yield* answer({ document: encode(report), lines: StatusText.lines(report) })
  })).pipe(Command.withDescription("Show what is in memory, what failed and why, and how it is. Reads only."))
