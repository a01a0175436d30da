/**
 * The log, folded from its first line. Read only where a sync cannot do without: an unchanged one never does.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { apply, empty, type Live } from "../log/Live.ts"

/**
 * What is live by the log alone.
 *
 * @since 0.1.0
 * @category reading
 */
export const live: Effect.Effect<Live, LogReadError, LogReader> = Effect.flatMap(
  LogReader,
  ({ records }) => Stream.runFold(records(), empty, (state, line) => apply(state, line)[0])
)
