/**
 * The call that answers a question: the sources are shown, and of the answer counts what it cites of them.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { LanguageModel } from "../../services/LanguageModel.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import type { AskSource } from "../domain/AskReport.ts"
import type { LanguageModelError } from "../domain/LanguageModelErrors.ts"
import { judge, type Judged, questionOf, unknown } from "./Answer.ts"
import { make as makeBudget } from "./Budget.ts"
import { call, type Patience } from "./Call.ts"

/**
 * What the call came to: the sources that it was shown, the judgement of its answer, and how many calls were made.
 *
 * @since 0.1.0
 * @category models
 */
export interface Concluded {
  readonly sources: ReadonlyArray<AskSource>
  readonly judged: Judged
  readonly calls: number
}

/**
 * How the call is made; `max_calls` bounds it with all that are made in its place.
 *
 * @since 0.1.0
 * @category models
 */
export interface Concluding {
  readonly max_answer_tokens: number
  readonly patience: Patience
  readonly max_calls: number
}

/** A call that is not made again for longer than calls are left fails with its own error, not with that of the budget. */
const within = ({ retries, wait }: Patience, left: number): Patience => ({ retries: Math.min(retries, left - 1), wait })

/**
 * Answers a question from these sources; without any, no call is made. Where the model has less context than they need,
 * the better half of them is shown.
 *
 * @since 0.1.0
 * @category programs
 */
export const conclude = (
  question: string,
  sources: ReadonlyArray<AskSource>,
  how: Concluding
): Effect.Effect<Concluded, LanguageModelError, LanguageModel | TokenCounter> =>
  Effect.gen(function*() {
    const { count } = yield* TokenCounter
    const none = (why: Judged["why"]): Judged => ({ answer: unknown, cited: [], dropped: 0, why })
    if (sources.length === 0) return { sources, judged: none("nothing_found"), calls: 0 }
    const messages = questionOf(question, sources)
    const tokens = messages.reduce((sum, { content }) => sum + count(content), 0)
    const budget = yield* makeBudget({ max_calls: how.max_calls })
    const request = { messages, max_tokens: how.max_answer_tokens, temperature: 0, seed: 0 }
    const judged = yield* call(budget, within(how.patience, how.max_calls), request, tokens).pipe(
      Effect.map(({ answer }): Judged | undefined => judge(answer, sources.length)),
      Effect.catchTags({
        // No more calls are asked for than there are.
        BudgetSpent: Effect.die,
        ModelRefused: () => Effect.succeed(none("refused")),
        ContextTooLong: (error) =>
          Effect.flatMap(budget.spent, ({ calls }) =>
            sources.length > 1 && calls < how.max_calls ? Effect.succeed(undefined) : error)
      })
    )
    const { calls } = yield* budget.spent
    if (judged !== undefined) {
      return { sources, judged, calls }
    }
    const better = sources.slice(0, Math.ceil(sources.length / 2))
    const concluded = yield* conclude(question, better, { ...how, max_calls: how.max_calls - calls })
    return { ...concluded, calls: calls + concluded.calls }
  })
