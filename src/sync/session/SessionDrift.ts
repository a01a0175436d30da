/**
 * What a sync of sessions would have to read, by readers alone.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LogReader, LogReadError } from "../../../services/LogReader.ts"
import type { SessionConnector } from "../../../services/SourceConnector.ts"
import { Estimate } from "../../domain/Drift.ts"
import { Record } from "../../domain/Record.ts"
import type { Ahead } from "../../memory/Ahead.ts"
import * as Arrivals from "./Arrivals.ts"
import * as Fresh from "./Fresh.ts"
import { type SessionTask, unitsInAPart, unitsOf } from "./SessionRun.ts"

/**
 * Bytes behind the cursors, by the sizes that the listing gave; of one that was written anew all of them count, which
 * shows only when it is read.
 *
 * @since 0.1.0
 * @category counting
 */
export const bytesAhead = (tasks: ReadonlyArray<SessionTask>): number =>
  tasks.reduce((sum, { entry, ref }) => {
    const size = ref.size ?? 0
    const from = entry?.cursor?.offset ?? 0
    return sum + (from > size ? size : size - from)
  }, 0)

/**
 * `scrub` as for the sync. What would be archived is told to `ahead`, for who asks what memory would cost then.
 *
 * @since 0.1.0
 * @category models
 */
export interface EstimateOptions {
  readonly scrub: boolean
  readonly ahead: Ahead | undefined
}

/**
 * Reads what a sync would read, and counts the Records that it would archive. A session that cannot be read to its end
 * counts as far as it goes.
 *
 * @since 0.1.0
 * @category programs
 */
export const estimate = (
  connector: SessionConnector,
  tasks: ReadonlyArray<SessionTask>,
  { ahead, scrub }: EstimateOptions
): Effect.Effect<Estimate, LogReadError, LogReader> =>
  Effect.gen(function*() {
    const { unknown } = yield* Fresh.make(connector.name, { scrub })
    const arrivals = Arrivals.make()
    let records = 0
    let parts = 0
    for (const { entry, ref } of tasks) {
      let units = 0
      yield* Stream.runForEachChunk(connector.records(ref, entry?.cursor), (items) =>
        Effect.gen(function*() {
          const read = [...items].flatMap((item) => item instanceof Record ? [item] : [])
          units = read.reduce((sum, record) => sum + unitsOf(record), units)
          const { fresh } = yield* unknown(read)
          const arrived = arrivals.take(ref.doc_id, fresh)
          records += arrived.length
          ahead?.take(connector.name, ref.doc_id, arrived)
        })).pipe(Effect.catchTag("RecordSourceError", () => Effect.void))
      parts += Math.floor(units / unitsInAPart)
    }
    if (connector.limits.max_concurrent_fetches > 1) ahead?.mayCut(connector.name, arrivals.seams(parts))
    return new Estimate({
      documents: tasks.length,
      passages: 0,
      tokens: 0,
      embed_texts: 0,
      records
    })
  })
