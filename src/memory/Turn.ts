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
import type { Budget, BudgetSpent } from "./Budget.ts"
import { call, type Patience } from "./Call.ts"
import { decide, type Decision, type Retry, type Rules, shut } from "./Gate.ts"
import { parse } from "./Parse.ts"
import { promptOf, type Shown } from "./Prompt.ts"

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
 * Takes a turn. A model that declines leaves the memory as it is.
 *
 * @since 0.1.0
 * @category programs
 */
export const take = (
  { budget, patience, rules }: Asking,
  shown: Shown
): Effect.Effect<Taken, LanguageModelError | BudgetSpent, LanguageModel | TokenCounter> =>
  Effect.gen(function*() {
    const { count } = yield* TokenCounter
    const judge = decide(rules, count)
    const tried: Array<Retry> = []
    let took = nothing
    for (;;) {
      const { messages, suffix } = promptOf(rules, shown, tried)
      const tokens = messages.reduce((sum, { content }) => sum + count(content), 0)
      const asked = yield* Effect.catchTag(
        call(budget, patience, { messages, max_tokens: rules.max_answer_tokens, ...repeatable }, tokens),
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
