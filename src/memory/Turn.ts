/**
 * One turn of the loop: a window and the memory are shown, the model answers, the gates decide. Where an answer is of no
 * use the model is asked again, once for each reason.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { LanguageModel } from "../../services/LanguageModel.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import type { LanguageModelError } from "../domain/LanguageModelErrors.ts"
import type { Budget, BudgetSpent, Spent } from "./Budget.ts"
import { call, type Patience } from "./Call.ts"
import { decide, type Decision, type Retry, type Rules, shut } from "./Gate.ts"
import { parse } from "./Parse.ts"
import { type Prompt, promptOf, type Shown } from "./Prompt.ts"

/**
 * What a turn came to, and what it took.
 *
 * @since 0.1.0
 * @category models
 */
export interface Taken {
  readonly decision: Decision
  readonly refused: boolean
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly duration_ms: number
}

const nothing = { refused: false, prompt_tokens: 0, completion_tokens: 0, duration_ms: 0 }

/** The same request has the same answer, as far as a server allows. */
const repeatable = { temperature: 0, seed: 0 }

/**
 * @since 0.1.0
 * @category models
 */
export interface Asking {
  readonly rules: Rules
  readonly patience: Patience
  readonly budget: Budget
}

/**
 * A first answer, and one for each reason to ask again.
 *
 * @since 0.1.0
 * @category constants
 */
export const mostAnswers = 3

/** What a turn may take at most, with every call made again as often as patience lets it be. */
const mostOf = ({ patience, rules }: Asking, prompt_tokens: number): Spent => {
  const calls = mostAnswers * (1 + patience.retries)
  return { calls, tokens: calls * (prompt_tokens + rules.max_answer_tokens) }
}

/**
 * Takes a turn. A model that declines leaves the memory as it is.
 *
 * @since 0.1.0
 * @category programs
 */
export const take = (
  asking: Asking,
  shown: Shown
): Effect.Effect<Taken, LanguageModelError | BudgetSpent, LanguageModel | TokenCounter> =>
  Effect.gen(function*() {
    const { count } = yield* TokenCounter
    const { budget, rules } = asking
    const tokensOf = ({ messages }: Prompt): number => messages.reduce((sum, { content }) => sum + count(content), 0)
    return yield* budget.step(mostOf(asking, tokensOf(promptOf(rules, shown, ["malformed", "overlong"]))))(
      turn(asking, shown, tokensOf)
    )
  })

const turn = (
  { budget, patience, rules }: Asking,
  shown: Shown,
  tokensOf: (prompt: Prompt) => number
): ReturnType<typeof take> =>
  Effect.gen(function*() {
    const { count } = yield* TokenCounter
    const judge = decide(rules, count)
    const tried: Array<Retry> = []
    let took = nothing
    for (;;) {
      const prompt = promptOf(rules, shown, tried)
      const { messages, suffix } = prompt
      const asked = yield* Effect.catchTag(
        call(budget, patience, { messages, max_tokens: rules.max_answer_tokens, ...repeatable }, tokensOf(prompt)),
        "ModelRefused",
        (refusal) => Effect.as(Effect.logWarning(refusal.message), undefined)
      )
      if (asked === undefined) {
        return { ...took, decision: shut(shown.memory), refused: true }
      }
      const { answer, duration_ms } = asked
      took = {
        refused: false,
        prompt_tokens: took.prompt_tokens + answer.usage.prompt_tokens,
        completion_tokens: took.completion_tokens + answer.usage.completion_tokens,
        duration_ms: took.duration_ms + duration_ms
      }
      const verdict = judge(shown.memory, tried, parse(answer, suffix))
      if (verdict._tag === "Settled") return { ...took, decision: verdict.decision }
      tried.push(verdict.retry)
    }
  })
