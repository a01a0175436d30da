/**
 * Tells the log what of memory rests on something that is there no more. It needs no model, so what was taken out is out
 * of memory too, whether one is configured or not.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { type AppendError, LogWriter } from "../../services/LogWriter.ts"
import { MemoryIndex } from "../../services/MemoryIndex.ts"
import { type LiveMemory, liveMemory } from "./LiveMemory.ts"
import { marksDue } from "./Stale.ts"

/**
 * Of a fold that has caught up.
 *
 * @since 0.1.0
 * @category programs
 */
export const writeMarks = (live: LiveMemory): Effect.Effect<void, AppendError, LogWriter> =>
  Effect.suspend(() => {
    const marks = marksDue(live)
    return marks.length === 0 ? Effect.void : Effect.flatMap(
      LogWriter,
      ({ appendAlone }) => appendAlone(marks.map((body) => ({ kind: "memory", body })))
    )
  })

/**
 * Of the log as it is. Where an index says that there is no memory, the log is not read for that.
 *
 * @since 0.1.0
 * @category programs
 */
export const markDue: Effect.Effect<
  void,
  AppendError | LogReadError,
  LogReader | LogWriter | MemoryIndex
> = Effect.gen(function*() {
  const { isEmpty } = yield* MemoryIndex
  if (yield* Effect.orElseSucceed(isEmpty, () => false)) return
  const { catchUp, memory } = yield* liveMemory
  yield* catchUp
  yield* writeMarks(memory)
})
