/**
 * Knows which texts of memory have no vector yet: evidence, session memories and consolidated memories, as they are
 * searched. It is a fold of the log.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { EmbedderFingerprint } from "../src/domain/Ids.ts"
import type { ProjectionError } from "../src/domain/StoreErrors.ts"

/**
 * @since 0.1.0
 * @category tags
 */
export class MemoryIndex extends Context.Tag("mem/MemoryIndex")<MemoryIndex, {
  /** Whether there is no memory at all, as far as the log is folded. */
  readonly isEmpty: Effect.Effect<boolean, ProjectionError>
  /** By which embedder memory is searched, as far as the log is folded. */
  readonly embedder: Effect.Effect<Option.Option<EmbedderFingerprint>, ProjectionError>
  /**
   * The texts that are live, as far as the log is folded, and have no vector of that embedder: a text that more than one
   * memory holds comes more than once.
   */
  readonly unembedded: (embedder: EmbedderFingerprint) => Stream.Stream<string, ProjectionError>
}>() {}
