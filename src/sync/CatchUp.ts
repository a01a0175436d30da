/**
 * Brings the projection up to the log: from where it stands, or from the first line where it is new or was lost.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type LocatedRecord, type LogPosition, LogReader, type LogReadError } from "../../services/LogReader.ts"
import { type FoldedLine, Projection } from "../../services/Projection.ts"
import type { ProjectionError } from "../domain/StoreErrors.ts"
import { behind } from "../log/Live.ts"

/**
 * Whether the log still has the line that somebody folded last. One that was read from the cache alone may be gone after
 * a power cut, and another one in its place.
 *
 * @since 0.1.0
 * @category checking
 */
export const stillThere = (line: FoldedLine): Effect.Effect<boolean, LogReadError, LogReader> =>
  Effect.flatMap(LogReader, (reader) =>
    reader.at(line.position).pipe(
      Effect.map((record) => record.seq === line.seq && record.at === line.at),
      Effect.catchTag("LogDamaged", () => Effect.succeed(false)),
      Effect.catchIf((error) => error._tag === "LogFsError" && error.reason === "NotFound", () => Effect.succeed(false))
    ))

/** How much of the log goes to the projection at a time: each time it waits for its disk. */
const bytesAtATime = 4 * 1024 * 1024

const fold = (from: Option.Option<LogPosition>): Effect.Effect<
  number,
  LogReadError | ProjectionError,
  LogReader | Projection
> =>
  Effect.gen(function*() {
    const { records } = yield* LogReader
    const { apply } = yield* Projection
    let held: ReadonlyArray<LocatedRecord> = []
    let bytes = 0
    let folded = 0
    const flush = Effect.suspend(() => {
      const lines = held
      held = []
      bytes = 0
      folded += lines.length
      return lines.length === 0 ? Effect.void : apply(lines)
    })
    yield* Stream.runForEachChunk(records(Option.getOrUndefined(from)), (batch) => {
      held = [...held, ...batch]
      bytes = Chunk.reduce(batch, bytes, (sum, { length }) => sum + length)
      return bytes < bytesAtATime ? Effect.void : flush
    }).pipe(
      // What stands before a damage is good.
      Effect.tapError((error) => error._tag === "ProjectionError" ? Effect.void : flush)
    )
    yield* flush
    return folded
  })

/**
 * Folds what the projection lacks; its value is how many lines that were. A projection that turns out damaged is folded
 * anew.
 *
 * @since 0.1.0
 * @category programs
 */
export const catchUp: Effect.Effect<number, LogReadError | ProjectionError, LogReader | Projection> = Effect.gen(
  function*() {
    const projection = yield* Projection
    const anew = Effect.zipRight(projection.clear, fold(Option.none()))
    const more = Effect.gen(function*() {
      const last = yield* projection.last
      const holds = Option.isSome(last) && (yield* stillThere(last.value))
      return yield* holds ? fold(Option.map(last, behind)) : anew
    })
    return yield* Effect.catchIf(
      more,
      (error) => error._tag === "ProjectionError" && error.damaged === true,
      () => anew
    )
  }
)
