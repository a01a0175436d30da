/**
 * The index of vectors as a fold of the whole log, made when it is first asked.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { LogReader } from "../../services/LogReader.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { follow } from "../../src/log/Follow.ts"
import * as VectorPlaces from "../../src/log/VectorPlaces.ts"
import { forgiving } from "./Forgiving.ts"

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<VectorIndex["Type"], never, LogReader> = Effect.gen(function*() {
  const places = VectorPlaces.make()
  const catchUp = forgiving(yield* follow(yield* LogReader, Option.none(), places.take))
  return VectorIndex.of({
    positions: (kind, texts) =>
      Effect.map(catchUp, () =>
        new Map(texts.flatMap((text) => {
          const position = places.positionOf(kind, text)
          return position === undefined ? [] : [[text, position] as const]
        })))
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<VectorIndex, never, LogReader> = Layer.effect(VectorIndex, make)
