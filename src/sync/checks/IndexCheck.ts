/**
 * The search index against the log.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import type { LogReader } from "../../../services/LogReader.ts"
import { Projection } from "../../../services/Projection.ts"
import type { Finding } from "../../domain/DoctorReport.ts"
import type { Live } from "../../log/Live.ts"
import { plural } from "../../text/Amounts.ts"
import { catchUp } from "../CatchUp.ts"
import { liveIn } from "../LiveText.ts"
import { digest } from "../rebuild.ts"
import { about, repair } from "./About.ts"

const ofIndex = about("index")
const again = `${repair}, "mem sync" or "mem rebuild --from-log"`

/**
 * The index against a fold of the log that was made just now, in `fresh`.
 *
 * @since 0.1.0
 * @category checks
 */
export const checkIndex = (
  live: Live,
  fresh: Effect.Effect<Projection["Type"]>
): Effect.Effect<Finding, never, LogReader | Projection> =>
  Effect.gen(function*() {
    if (Option.isNone(live.last)) return ofIndex("note", "there is nothing to search yet")
    // What would be a warning to a reader of the index is a finding here.
    const { behind, state } = yield* Effect.flatMap(Projection, ({ status }) => status).pipe(
      Logger.withMinimumLogLevel(LogLevel.None)
    )
    switch (state) {
      case "missing":
        return ofIndex("problem", "it is not there; searching makes one in memory each time", again)
      case "foreign":
        return ofIndex("problem", "it was made from another log, and is not used", again)
      case "damaged":
        return ofIndex("problem", "it is damaged, and is not used", again)
      case "behind":
        return ofIndex("note", `it is ${plural(behind, "record")} behind the log; the next sync brings it up`)
      case "current": {
        const found = yield* digest
        const projection = yield* fresh
        const wanted = yield* Effect.zipRight(catchUp, digest).pipe(Effect.provideService(Projection, projection))
        return found.state_sha256 === wanted.state_sha256
          ? ofIndex("ok", `${liveIn(found)}, as the log has them`)
          : ofIndex("problem", "it does not say what the log says", again)
      }
    }
  }).pipe(Effect.catchAll(({ message }) => Effect.succeed(ofIndex("problem", message, again))))
