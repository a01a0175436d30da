/**
 * One call of the model within what a run may cost. A server that asks to wait, or gives no answer in time, is asked
 * again some times; each time counts.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { LanguageModel, type ModelAnswer, type ModelRequest } from "../../services/LanguageModel.ts"
import type { LanguageModelError } from "../domain/LanguageModelErrors.ts"
import type { Budget, BudgetSpent } from "./Budget.ts"

/**
 * How often a call is made again, and how long to wait before the first of these; each later wait is twice as long.
 *
 * @since 0.1.0
 * @category models
 */
export interface Patience {
  readonly retries: number
  readonly wait: Duration.DurationInput
}

/**
 * @since 0.1.0
 * @category constants
 */
export const defaultPatience: Patience = { retries: 3, wait: "1 second" }

/** No server's word makes a run wait longer: one that asks for more is not asked again. */
const longest = Duration.minutes(2)

/** A timeout is tried again once: a model that thinks too long does so again. */
const isWorthATry = (error: LanguageModelError | BudgetSpent, n: number): error is LanguageModelError => {
  switch (error._tag) {
    case "RateLimited":
      return (error.retry_after_ms ?? 0) <= Duration.toMillis(longest)
    case "ModelTimeout":
      return n < 1
    case "BadResponse":
    case "ModelUnreachable":
      return error.transient === true
    case "BudgetSpent":
    case "ContextTooLong":
    case "ModelRefused":
      return false
  }
}

const waitOf = ({ wait }: Patience, error: LanguageModelError, n: number): Duration.Duration => {
  const own = Duration.times(wait, 2 ** n)
  const asked = error._tag === "RateLimited" ? error.retry_after_ms ?? 0 : 0
  return Duration.min(Duration.max(own, Duration.millis(asked)), longest)
}

/**
 * The answer, and how long the model took for it. `prompt_tokens` is what the prompt is counted to hold.
 *
 * @since 0.1.0
 * @category programs
 */
export const call = (
  budget: Budget,
  patience: Patience,
  request: ModelRequest,
  prompt_tokens: number
): Effect.Effect<
  { readonly answer: ModelAnswer; readonly duration_ms: number },
  LanguageModelError | BudgetSpent,
  LanguageModel
> => {
  const most = prompt_tokens + request.max_tokens

  const once = Effect.gen(function*() {
    yield* budget.take(most)
    const { complete } = yield* LanguageModel
    const began = yield* Clock.currentTimeMillis
    // Of an answer that is late, or cannot be read, nobody knows what it took; of the others the server took nothing.
    const answer = yield* Effect.tapError(
      complete(request),
      ({ _tag }) => budget.settle(most, _tag === "ModelTimeout" || _tag === "BadResponse" ? most : 0)
    )
    const used = answer.usage.prompt_tokens + answer.usage.completion_tokens
    // A server that does not say what it took may have taken all of it.
    yield* budget.settle(most, used === 0 ? most : used)
    return { answer, duration_ms: Math.max(0, Math.round((yield* Clock.currentTimeMillis) - began)) }
  })

  const attempt = (n: number): ReturnType<typeof call> =>
    Effect.catchAll(
      once,
      (error) =>
        n < patience.retries && isWorthATry(error, n)
          ? Effect.zipRight(Effect.sleep(waitOf(patience, error, n)), attempt(n + 1))
          : Effect.fail(error)
    )

  return attempt(0)
}
