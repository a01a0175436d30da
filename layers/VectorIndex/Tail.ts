/**
 * The vectors behind a place of the log, by where they stand: a fold in memory that reads on whenever it is asked. It
 * holds places only, never vectors.
 *
 * @since 0.1.0
 */
import type * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { LocatedRecord, LogPosition, LogReader } from "../../services/LogReader.ts"
import type { VectorKind } from "../../services/VectorIndex.ts"
import type { Sha256 } from "../../src/domain/Ids.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Tail {
  /** Reads what is new in the log. Where that fails, what was read before still holds, and the next call goes on. */
  readonly catchUp: Effect.Effect<void>
  /** Where the last vector of a text stands, as far as the log is read. */
  readonly positionOf: (kind: VectorKind, text: Sha256) => LogPosition | undefined
}

const keyOf = ({ dims, model }: VectorKind, text: Sha256): string => `${text} ${dims} ${model}`

/**
 * From that place on, or from the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (log: LogReader["Type"], from: Option.Option<LogPosition>): Effect.Effect<Tail> =>
  Effect.gen(function*() {
    const turn = yield* Effect.makeSemaphore(1)
    const positions = new Map<string, LogPosition>()
    let next = Option.getOrUndefined(from)
    let warned = false

    const fold = (lines: Chunk.Chunk<LocatedRecord>) =>
      Effect.sync(() => {
        for (const { length, position, record } of lines) {
          if (record.kind === "vector") positions.set(keyOf(record.body, record.body.embed_sha256), position)
          next = { segment: position.segment, offset: position.offset + length }
        }
      })

    const catchUp = Effect.suspend(() => Stream.runForEachChunk(log.records(next), fold)).pipe(
      Effect.match({
        onFailure: ({ message }) => Option.some(message),
        onSuccess: () => Option.none<string>()
      }),
      Effect.flatMap((failure) => {
        const silent = warned || Option.isNone(failure)
        warned = Option.isSome(failure)
        return silent ? Effect.void : Effect.logWarning(
          `vectors that the log may hold are made anew, for it cannot be read: ${Option.getOrElse(failure, () => "")}`
        )
      }),
      turn.withPermits(1)
    )

    return { catchUp, positionOf: (kind, text) => positions.get(keyOf(kind, text)) }
  })
