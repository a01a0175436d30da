/**
 * A language model that is a function of what the gated loop asks, for tests. The same question has the same answer, and
 * no server is needed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { LanguageModel, type ModelAnswer, type ModelMessage } from "../../services/LanguageModel.ts"
import { LanguageModelError } from "../../src/domain/LanguageModelErrors.ts"
import { type Asked, askedIn, type Reply, replyText } from "../../src/memory/Asked.ts"
import * as CharsOverFour from "../TokenCounter/CharsOverFour.ts"

/**
 * Answers the `call`-th question, counted from 1 over the layer's life: by the grammar, with any text, or not at all.
 *
 * @since 0.1.0
 * @category models
 */
export type Script = (asked: Asked, call: number) => Reply | string | LanguageModelError

/**
 * `read` finds in a prompt what is asked.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly fingerprint?: string
  readonly read?: (messages: ReadonlyArray<ModelMessage>) => Asked
}

const isFailure = Schema.is(LanguageModelError)

const tokensOf = (text: string): number => CharsOverFour.make.count(text)

const answerOf = (messages: ReadonlyArray<ModelMessage>, text: string, max: number): ModelAnswer => ({
  text,
  finish_reason: tokensOf(text) > max ? "length" : "stop",
  usage: {
    prompt_tokens: messages.reduce((sum, { content }) => sum + tokensOf(content), 0),
    completion_tokens: Math.min(tokensOf(text), max)
  }
})

/**
 * An answer of more than `max_tokens` says that it was cut.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  script: Script,
  { fingerprint = "scripted/1", read = (messages) => askedIn(messages) }: Options = {}
): Effect.Effect<LanguageModel["Type"]> =>
  Effect.map(Ref.make(0), (calls) =>
    LanguageModel.of({
      fingerprint,
      complete: ({ max_tokens, messages }) =>
        Effect.flatMap(Ref.updateAndGet(calls, (n) => n + 1), (call) => {
          const asked = read(messages)
          const said = script(asked, call)
          if (isFailure(said)) return Effect.fail(said)
          const text = Predicate.isString(said) ? said : replyText(said, asked.suffix)
          return Effect.succeed(answerOf(messages, text, max_tokens))
        })
    }))

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (script: Script, options: Options = {}): Layer.Layer<LanguageModel> =>
  Layer.effect(LanguageModel, make(script, options))
