/**
 * What can go wrong with an embedder: with one text, or with the embedder as a whole.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The embedder refused one text. The others of its batch have their vectors.
 *
 * @since 0.1.0
 * @category errors
 */
export class EmbedRefused extends Schema.TaggedError<EmbedRefused>("mem/EmbedRefused")("EmbedRefused", {
  detail: Schema.String,
  retryable: Schema.Boolean
}) {
  override get message(): string {
    return `the embedder refused a text: ${this.detail}; ${
      this.retryable ? "the next sync tries it again" : "lower max_tokens of the chunking, or choose another embedder"
    }`
  }
}

/**
 * The embedder cannot be used: it does not load, does not answer, or answers with vectors of another length than it
 * declared.
 *
 * @since 0.1.0
 * @category errors
 */
export class EmbedderError extends Schema.TaggedError<EmbedderError>("mem/EmbedderError")("EmbedderError", {
  embedder: Schema.String,
  detail: Schema.String,
  advice: Schema.String,
  retryable: Schema.Boolean,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `embedder ${this.embedder}: ${this.detail}; ${this.advice}`
  }
}

/**
 * The embedder cannot be loaded on this machine at all. Documents are stored all the same, without vectors, and found
 * by their words; their vectors are made from the log once an embedder is there.
 *
 * @since 0.1.0
 * @category errors
 */
export class EmbedderUnavailable extends Schema.TaggedError<EmbedderUnavailable>("mem/EmbedderUnavailable")(
  "EmbedderUnavailable",
  { embedder: Schema.String, detail: Schema.String, cause: Schema.optional(Schema.Defect) }
) {
  override get message(): string {
    return `embedder ${this.embedder} cannot be loaded here: ${this.detail}; documents are stored without vectors and found by their words, and the first sync with an embedder makes the vectors from the log; run "mem doctor" to see what it lacks`
  }
}
