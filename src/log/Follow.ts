/**
 * Reads on in the log whenever it is asked: what a fold in memory needs that wants to stay current. Who asks at the same
 * time waits for one reading.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { LocatedRecord, LogPosition, LogReader, LogReadError } from "../../services/LogReader.ts"

/**
 * From that place on, or from the first line. Where reading fails, what was taken in before still holds, and the next
 * call goes on behind it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const follow = (
  log: LogReader["Type"],
  from: Option.Option<LogPosition>,
  take: (line: LocatedRecord) => void
): Effect.Effect<Effect.Effect<void, LogReadError>> =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    let next = Option.getOrUndefined(from)
    return Effect.suspend(() =>
      Stream.runForEachChunk(log.records(next), (lines) =>
        Effect.sync(() => {
          for (const line of lines) {
            take(line)
            next = { segment: line.position.segment, offset: line.position.offset + line.length }
          }
        }))
    ).pipe(turn.withPermits(1))
  })
