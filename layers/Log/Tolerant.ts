/**
 * A reader of a damaged log, for commands that only look: it gives what stands before the damage, and says so once. A
 * writer refuses such a log; whoever checks it must not have this layer.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { LogReader } from "../../services/LogReader.ts"
import type { LogDamaged } from "../../src/domain/LogErrors.ts"

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<LogReader["Type"], never, LogReader> = Effect.gen(function*() {
  const inner = yield* LogReader
  const warned = yield* Ref.make(false)

  const warn = ({ message }: LogDamaged): Effect.Effect<void> =>
    Effect.flatMap(
      Ref.getAndSet(warned, true),
      (before) => before ? Effect.void : Effect.logWarning(`${message}. What stands before that place is used`)
    )

  const records: LogReader["Type"]["records"] = (from) =>
    Stream.catchTag(inner.records(from), "LogDamaged", (error) => Stream.drain(Stream.fromEffect(warn(error))))

  return LogReader.of({
    ...inner,
    records,
    last: Effect.catchTag(inner.last, "LogDamaged", () => Stream.runLast(records()))
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<LogReader, never, LogReader> = Layer.effect(LogReader, make)
