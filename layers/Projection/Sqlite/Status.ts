/**
 * How an index stands to the log, by the log's last line and the last one that was folded.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LogReader, type LogReadError } from "../../../services/LogReader.ts"
import type { FoldedLine } from "../../../services/Projection.ts"
import { ProjectionStatus } from "../../../src/domain/StatusReport.ts"
import { ProjectionError } from "../../../src/domain/StoreErrors.ts"
import { lastSeq } from "../../../src/log/Gap.ts"
import { stillThere } from "../../../src/sync/CatchUp.ts"

/**
 * How many lines the log has. The seal of the last run says nothing that an index could hold, and comes when that run's
 * index is closed.
 *
 * @since 0.1.0
 * @category reading
 */
export const linesOfLog: Effect.Effect<number, LogReadError, LogReader> = Effect.map(
  Effect.flatMap(LogReader, ({ last }) => last),
  Option.match({ onNone: () => 0, onSome: ({ record }) => record.kind === "seal" ? record.seq - 1 : lastSeq(record) })
)

/**
 * An index is of no use without its log.
 *
 * @since 0.1.0
 * @category errors
 */
export const logFailure = (path: string) => (cause: LogReadError): ProjectionError =>
  new ProjectionError({ path, detail: cause.message, advice: "mend the log first", cause })

/**
 * @since 0.1.0
 * @category reading
 */
export const statusOf = (
  path: string,
  last: Option.Option<FoldedLine>
): Effect.Effect<ProjectionStatus, ProjectionError, LogReader> =>
  Effect.gen(function*() {
    const lines = yield* linesOfLog
    if (Option.isNone(last)) return new ProjectionStatus({ state: "missing", behind: lines })
    if (!(yield* stillThere(last.value))) return new ProjectionStatus({ state: "foreign", behind: lines })
    const behind = Math.max(0, lines - last.value.seq)
    return new ProjectionStatus({ state: behind > 0 ? "behind" : "current", behind })
  }).pipe(Effect.mapError(logFailure(path)))
