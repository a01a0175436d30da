/**
 * What a run may cost: calls of the model, and tokens. Shared by all sessions of the run, and never overdrawn: what a
 * call may take at most is set aside before it is made.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"

/**
 * The run has used up what it may. What was done is stored.
 *
 * @since 0.1.0
 * @category errors
 */
export class BudgetSpent extends Schema.TaggedError<BudgetSpent>("mem/BudgetSpent")("BudgetSpent", {
  calls: Schema.Number,
  tokens: Schema.Number
}) {
  override get message(): string {
    return `${this.calls} model calls with ${this.tokens} tokens were made, and the next one would go beyond the limit; run again to go on, or raise --max-calls or --max-tokens`
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Spent {
  readonly calls: number
  readonly tokens: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Budget {
  /** Sets aside a call and the tokens that it may take at most. */
  readonly take: (tokens: number) => Effect.Effect<void, BudgetSpent>
  /** Says what a call has taken of that. */
  readonly settle: (set_aside: number, used: number) => Effect.Effect<void>
  readonly spent: Effect.Effect<Spent>
}

/**
 * The same budget, which tells apart what is taken by way of it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const apart = (budget: Budget): Effect.Effect<Budget> =>
  Effect.map(Ref.make<Spent>({ calls: 0, tokens: 0 }), (own) => ({
    ...budget,
    take: (tokens) =>
      Effect.zipRight(
        budget.take(tokens),
        Ref.update(own, (spent) => ({ calls: spent.calls + 1, tokens: spent.tokens + tokens }))
      ),
    settle: (set_aside, used) =>
      Effect.zipRight(
        budget.settle(set_aside, used),
        Ref.update(own, ({ calls, tokens }) => ({ calls, tokens: tokens - set_aside + used }))
      ),
    spent: Ref.get(own)
  }))

/**
 * A budget for one run. A limit that is absent is none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  limits: { readonly max_calls?: number | undefined; readonly max_tokens?: number | undefined } = {}
): Effect.Effect<Budget> =>
  Effect.map(Ref.make<Spent>({ calls: 0, tokens: 0 }), (ref) => {
    const max_calls = limits.max_calls ?? Number.POSITIVE_INFINITY
    const max_tokens = limits.max_tokens ?? Number.POSITIVE_INFINITY
    return {
      take: (tokens) =>
        Effect.flatten(Ref.modify(ref, (spent): readonly [Effect.Effect<void, BudgetSpent>, Spent] =>
          spent.calls + 1 > max_calls || spent.tokens + tokens > max_tokens
            ? [new BudgetSpent(spent), spent]
            : [Effect.void, { calls: spent.calls + 1, tokens: spent.tokens + tokens }])),
      settle: (set_aside, used) =>
        Ref.update(ref, ({ calls, tokens }) => ({ calls, tokens: tokens - set_aside + used })),
      spent: Ref.get(ref)
    }
  })
