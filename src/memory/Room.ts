/**
 * Whether the context that a model is said to have leaves room for what it is to read, beside the answer that it is asked
 * for. Found out before anything is asked.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LanguageModel } from "../../services/LanguageModel.ts"
import type { TokenCounter } from "../../services/TokenCounter.ts"
import { questionOf } from "./Answer.ts"
import * as Fitting from "./Fitting.ts"
import type { Rules } from "./Gate.ts"
import { Profile } from "./Profile.ts"

/** What is shown at once has at least so many tokens: less would be read in scraps. */
const leastShown = 512

/**
 * A context that is too small: what it has, what is kept of it for the answer, and what it must have at least.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lacking {
  readonly tokens: number
  readonly answer: number
  readonly least: number
}

/** With prompts that hold so many tokens around what they show. */
const lacking = (answer: number, around: number): Effect.Effect<Option.Option<Lacking>, never, LanguageModel> =>
  Effect.map(LanguageModel, ({ context }) => {
    if (context === undefined) return Option.none()
    const missing = around + leastShown - context.prompt_tokens(answer)
    return missing <= 0
      ? Option.none()
      : Option.some({ tokens: context.tokens, answer, least: context.tokens + missing })
  })

/**
 * Whether sessions can be read for these profiles, each section beside a memory as long as it may be.
 *
 * @since 0.1.0
 * @category checks
 */
export const forSessions = (
  rules: Rules,
  profiles: ReadonlyArray<Profile>
): Effect.Effect<Option.Option<Lacking>, never, LanguageModel | TokenCounter> =>
  Effect.gen(function*() {
    const { frame } = yield* Fitting.make
    const around = profiles.map((profile) => frame(rules, "session", profile).held)
    return yield* lacking(rules.max_answer_tokens, Math.max(0, ...around))
  })

/**
 * Tokens of sources that a question may be asked with at once; of sections, with the memory beside them. None where the
 * model does not say what it holds.
 *
 * @since 0.1.0
 * @category checks
 */
export const ofQuestion = (
  question: string,
  max_answer_tokens: number
): Effect.Effect<Option.Option<number>, never, LanguageModel | TokenCounter> =>
  Effect.gen(function*() {
    const { context } = yield* LanguageModel
    if (context === undefined) return Option.none()
    return Option.some(context.prompt_tokens(max_answer_tokens) - (yield* aroundQuestion(question, max_answer_tokens)))
  })

const aroundQuestion = (question: string, max_answer_tokens: number) =>
  Effect.gen(function*() {
    const { context } = yield* LanguageModel
    const { frame } = yield* Fitting.make
    const answering = questionOf(question, []).reduce(
      (sum, { content }) => sum + (context?.count(content) ?? 0),
      0
    )
    const profile = new Profile({ name: "question", questions: [question] }, { disableValidation: true })
    return Math.max(answering, frame({ exit: "on", max_memory_tokens: 0, max_answer_tokens }, "sources", profile).held)
  })

/**
 * Whether a question can be asked.
 *
 * @since 0.1.0
 * @category checks
 */
export const forQuestion = (
  question: string,
  max_answer_tokens: number
): Effect.Effect<Option.Option<Lacking>, never, LanguageModel | TokenCounter> =>
  Effect.flatMap(aroundQuestion(question, max_answer_tokens), (around) => lacking(max_answer_tokens, around))
