/**
 * The errors of embedders that run on this machine.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { EmbedderError } from "../../../src/domain/EmbedderErrors.ts"

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
 * An engine that worked and does not now.
 *
 * @since 0.1.0
 * @category errors
 */
export const brokenEngine = (embedder: string, engine: string, detail: string): EmbedderError =>
  new EmbedderError({
    embedder,
    detail: `${engine} failed: ${detail}`,
    advice: "the next call tries again, and starts it anew if it has ended",
    retryable: true
  })
