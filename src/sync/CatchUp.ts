/**
 * Brings the projection up to the log: from where it stands, or from the first line where it is new or was lost.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { type FoldedLine, Projection } from "../../services/Projection.ts"
import type { ProjectionError } from "../domain/StoreErrors.ts"
import { behind } from "../log/Live.ts"

/** A line that was read from the cache alone may be gone after a power cut, and another one in its place. */
const stillThere = (line: FoldedLine) =>
  Effect.flatMap(LogReader, (reader) =>
    reader.at(line.position).pipe(
      Effect.map((record) => record.seq === line.seq && record.at === line.at),
      Effect.catchTag("LogDamaged", () => Effect.succeed(false)),
      Effect.catchIf((error) => error._tag === "LogFsError" && error.reason === "NotFound", () => Effect.succeed(false))
    ))

/**
 * Folds what the projection lacks; its value is how many lines that were.
 *
 * @since 0.1.0
 * @category programs
 */
export const catchUp: Effect.Effect<number, LogReadError | ProjectionError, LogReader | Projection> = Effect.gen(
  function*() {
    const reader = yield* LogReader
    const projection = yield* Projection
    const last = yield* projection.last
    const holds = Option.isSome(last) && (yield* stillThere(last.value))
    if (!holds) yield* projection.clear
    const from = Option.map(Option.filter(last, () => holds), behind)
    return yield* reader.records(Option.getOrUndefined(from)).pipe(
      Stream.chunks,
      Stream.mapEffect((batch) => Effect.as(projection.apply(Chunk.toReadonlyArray(batch)), Chunk.size(batch))),
      Stream.runFold(0, (sum, n) => sum + n)
    )
  }
)
