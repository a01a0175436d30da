/**
 * What can go wrong when a language model is asked. The loop decides by the tag: the first two are tried again, a
 * refusal counts as a closed gate, a context that is too long halves the window.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The server asks to wait, `retry_after_ms` milliseconds where it says so.
 *
 * @since 0.1.0
 * @category errors
 */
export class RateLimited extends Schema.TaggedError<RateLimited>("mem/RateLimited")("RateLimited", {
  model: Schema.String,
  retry_after_ms: Schema.optional(Schema.Number)
}) {
  override get message(): string {
    const wait = this.retry_after_ms === undefined ? "later" : `in ${Math.ceil(this.retry_after_ms / 1000)} s`
    return `${this.model} is rate limited; try again ${wait}, or set a lower limit with --max-calls`
  }
}

/**
 * No answer in time.
 *
 * @since 0.1.0
 * @category errors
 */
export class ModelTimeout extends Schema.TaggedError<ModelTimeout>("mem/ModelTimeout")("ModelTimeout", {
  model: Schema.String,
  after_ms: Schema.Number
}) {
  override get message(): string {
    return `${this.model} gave no answer within ${this.after_ms} ms; check that its server is up, or raise its timeout`
  }
}

/**
 * The model declined to answer.
 *
 * @since 0.1.0
 * @category errors
 */
export class ModelRefused extends Schema.TaggedError<ModelRefused>("mem/ModelRefused")("ModelRefused", {
  model: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.model} declined: ${this.detail}; the chunk was left out of memory, its records are archived`
  }
}

/**
 * There is no connection to the model's server, or it broke off. `transient`: a moment later it may be otherwise.
 *
 * @since 0.1.0
 * @category errors
 */
export class ModelUnreachable extends Schema.TaggedError<ModelUnreachable>("mem/ModelUnreachable")("ModelUnreachable", {
  model: Schema.String,
  detail: Schema.String,
  transient: Schema.optional(Schema.Boolean)
}) {
  override get message(): string {
    return `there is no connection to ${this.model}: ${this.detail}; check that its server is up, and base_url in `
      + "connectors.yaml"
  }
}

/**
 * An answer that cannot be read, or a server that fails. `transient`: a moment later it may be otherwise.
 *
 * @since 0.1.0
 * @category errors
 */
export class BadResponse extends Schema.TaggedError<BadResponse>("mem/BadResponse")("BadResponse", {
  model: Schema.String,
  detail: Schema.String,
  transient: Schema.optional(Schema.Boolean),
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `${this.model} gave no usable answer: ${this.detail}; check its base URL and its name in connectors.yaml`
  }
}

/**
 * The prompt does not fit into the model's context, of which `answer_tokens` are kept for the answer.
 *
 * @since 0.1.0
 * @category errors
 */
export class ContextTooLong extends Schema.TaggedError<ContextTooLong>("mem/ContextTooLong")("ContextTooLong", {
  model: Schema.String,
  tokens: Schema.optional(Schema.Number),
  answer_tokens: Schema.optional(Schema.Number)
}) {
  override get message(): string {
    const prompt = this.tokens === undefined ? "the prompt" : `the prompt of ${this.tokens} tokens`
    const answer = this.answer_tokens === undefined
      ? ""
      : `, with ${this.answer_tokens} kept for the answer,`
    return `${prompt}${answer} is too long for ${this.model}; give it a larger context at its server and, where `
      + "connectors.yaml says context_tokens, there, or choose another model"
  }
}

/**
 * Whatever a language model's layer may fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export const LanguageModelError = Schema.Union(
  RateLimited,
  ModelTimeout,
  ModelRefused,
  ModelUnreachable,
  BadResponse,
  ContextTooLong
)
/**
 * @since 0.1.0
 * @category errors
 */
export type LanguageModelError = typeof LanguageModelError.Type
