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
import { recordIndex } from "./Archive.ts"
import type { SessionTask } from "./SessionRun.ts"

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
 * Reads what a sync would read, and counts the Records that are not archived yet. A session that cannot be read to its
 * end counts as far as it goes.
 *
 * @since 0.1.0
 * @category programs
 */
export const estimate = (
  connector: SessionConnector,
  tasks: ReadonlyArray<SessionTask>
): Effect.Effect<Estimate, LogReadError, LogReader> =>
  Effect.gen(function*() {
    const { positions } = yield* recordIndex
    const seen = new Set<string>()
    for (const { entry, ref } of tasks) {
      yield* Stream.runForEachChunk(connector.records(ref, entry?.cursor), (items) =>
        Effect.gen(function*() {
          const keys = [...items].flatMap((item) => item instanceof Record ? [item.key] : [])
          const known = yield* positions(connector.name, keys)
          for (const key of keys) if (!known.has(key)) seen.add(key)
        })).pipe(Effect.catchTag("RecordSourceError", () => Effect.void))
    }
    return new Estimate({
      documents: tasks.length,
      passages: 0,
      tokens: 0,
      embed_texts: 0,
      records: seen.size
    })
  })
