/**
 * Where there is no index, nothing is known to lack a vector: the next run that has one looks again.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { MemoryIndex } from "../../services/MemoryIndex.ts"

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<MemoryIndex> = Layer.succeed(MemoryIndex, {
  // Whoever asks then looks into the log.
  isEmpty: Effect.succeed(false),
  embedder: Effect.succeedNone,
  unembedded: () => Stream.empty
})
