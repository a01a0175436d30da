/**
 * The registry as a fold of the whole log.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ArtifactRegistry } from "../../services/ArtifactRegistry.ts"
import type { LogReader } from "../../services/LogReader.ts"
import { registry } from "../../src/memory/KnownParagraphs.ts"

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<ArtifactRegistry["Type"], never, LogReader> = Effect.map(registry, ArtifactRegistry.of)

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<ArtifactRegistry, never, LogReader> = Layer.effect(ArtifactRegistry, make)
