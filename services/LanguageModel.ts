/**
 * Asks a language model. Used by the gated loop and by `mem ask`, by nothing else.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LanguageModelError } from "../src/domain/LanguageModelErrors.ts"

/**
 * One message of a prompt.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelMessage {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

/**
 * `max_tokens` bounds the answer. Temperature 0 and a seed make it as repeatable as the server allows.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelRequest {
  readonly messages: ReadonlyArray<ModelMessage>
  readonly max_tokens: number
  readonly temperature: number
  readonly stop?: ReadonlyArray<string>
  readonly seed?: number
}

/**
 * `finish_reason` is `length` where the answer was cut.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelAnswer {
  readonly text: string
  readonly finish_reason: "stop" | "length" | "other"
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

/**
 * What a model's context holds, where that is known before anything is sent: `tokens` in all, and those of all messages of
 * a prompt that leaves room for such an answer, as `count` counts them. A longer one fails with `ContextTooLong`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelContext {
  readonly tokens: number
  readonly prompt_tokens: (max_tokens: number) => number
  readonly count: (text: string) => number
}

/**
 * @since 0.1.0
 * @category tags
 */
export class LanguageModel extends Context.Tag("mem/LanguageModel")<LanguageModel, {
  /** Name and revision of the model: part of the key of a step. */
  readonly fingerprint: string
  readonly context?: ModelContext
  readonly complete: (request: ModelRequest) => Effect.Effect<ModelAnswer, LanguageModelError>
}>() {}
