/**
 * Turns texts into vectors. Caching and counting are layers around any embedder, not options of one.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { EmbedderError, EmbedderUnavailable, EmbedRefused } from "../src/domain/EmbedderErrors.ts"
import type { EmbedderFingerprint } from "../src/domain/Ids.ts"
import type { TokenCounter } from "./TokenCounter.ts"

/**
 * @since 0.1.0
 * @category tags
 */
export class Embedder extends Context.Tag("mem/Embedder")<Embedder, {
  /** Model, precision, dimensions, weights. Vectors of two fingerprints are never compared. */
  readonly fingerprint: EmbedderFingerprint
  /** Length of every vector. */
  readonly dims: number
  /** The model's own counter, so that a passage's budget and the model's limit cannot diverge. */
  readonly counter: TokenCounter["Type"]
  /** US dollars for a million tokens, where they cost any; estimates use it. */
  readonly usd_per_million_tokens?: number
  /** Which of the texts would reach the model: all of them, unless a cache around it has their vectors in the log. */
  readonly missing: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, EmbedderError>
  /**
   * One answer a text, in order: its unit-length vector of `dims`, or why that text alone was refused. It fails as a
   * whole only when the embedder does not work now (`EmbedderError`) or cannot work here (`EmbedderUnavailable`).
   */
  readonly embed: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Either.Either<Float32Array, EmbedRefused>>, EmbedderError | EmbedderUnavailable>
  /**
   * As `embed`, for texts that are questions: of a model that tells questions from what answers them. Where it is not
   * there, `embed` is for both.
   */
  readonly embedQueries?: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Either.Either<Float32Array, EmbedRefused>>, EmbedderError | EmbedderUnavailable>
}>() {}
