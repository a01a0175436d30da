/**
 * The index of archived Records as a fold of the whole log.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogReader } from "../../services/LogReader.ts"
import { RecordIndex } from "../../services/RecordIndex.ts"
import { index } from "../../src/log/RecordPlaces.ts"

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<RecordIndex["Type"], never, LogReader> = Effect.map(index, RecordIndex.of)

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<RecordIndex, never, LogReader> = Layer.effect(RecordIndex, make)
