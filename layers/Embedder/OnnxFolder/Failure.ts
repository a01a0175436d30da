/**
 * How errors speak of this embedder.
 *
 * @since 0.1.0
 */
import { EmbedderError } from "../../../src/domain/EmbedderErrors.ts"

/**
 * @since 0.1.0
 * @category constants
 */
export const name = "onnx-folder"

/**
 * A folder whose files are missing, damaged, or not what is understood here.
 *
 * @since 0.1.0
 * @category errors
 */
export const unusableFolder = (
  detail: string,
  advice = "download the model's folder again"
): EmbedderError => new EmbedderError({ embedder: name, detail, advice, retryable: false })
