/**
 * Knows where the log keeps the vector of a text. It is a fold of the log, caught up whenever it is asked, and no more
 * than a hint: whoever uses a place reads the line there and checks it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EmbedderFingerprint, Sha256 } from "../src/domain/Ids.ts"
import type { LogPosition } from "./LogReader.ts"

/**
 * The model that a vector is wanted of, and the length that its vectors have.
 *
 * @since 0.1.0
 * @category models
 */
export interface VectorKind {
  readonly model: EmbedderFingerprint
  readonly dims: number
}

/**
 * @since 0.1.0
 * @category tags
 */
export class VectorIndex extends Context.Tag("mem/VectorIndex")<VectorIndex, {
  /**
   * Where the last vector of each of these texts stands, by the text's sha256; those that the log has none of are left
   * out. Where the log cannot be read, what was known before is answered, with a warning.
   */
  readonly positions: (
    kind: VectorKind,
    texts: ReadonlyArray<Sha256>
  ) => Effect.Effect<ReadonlyMap<Sha256, LogPosition>>
}>() {}
