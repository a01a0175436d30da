/**
 * The index of archived Records as a fold of the whole log, made when it is first asked.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { LogReader } from "../../services/LogReader.ts"
import { RecordIndex } from "../../services/RecordIndex.ts"
import * as RecordPlaces from "../../src/log/RecordPlaces.ts"
import { follow } from "../Log/Follow.ts"

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<RecordIndex["Type"], never, LogReader> = Effect.gen(function*() {
  const places = RecordPlaces.make()
  const catchUp = yield* follow(yield* LogReader, Option.none(), places.take)
  return RecordIndex.of({
    positions: (connector, keys) =>
      Effect.map(catchUp, () =>
        new Map(keys.flatMap((key) => {
          const position = places.positionOf(connector, key)
          return position === undefined ? [] : [[key, position] as const]
        })))
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<RecordIndex, never, LogReader> = Layer.effect(RecordIndex, make)
