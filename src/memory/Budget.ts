/**
 * What a run may cost: calls of the model, and tokens. Shared by all sessions of the run, and never overdrawn: what a
 * call may take at most is set aside before it is made. Nor is it scattered over steps that cannot end: beside others a
 * step is begun only where all of them can have as much as they may need.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as STM from "effect/STM"
import * as TRef from "effect/TRef"
import { number, plural } from "../text/Amounts.ts"

/**
 * The run has used up what it may. What was done is stored. Or no run can go on: `needs` is there where the limit of tokens
 * (`max_tokens`) is less than this single call may take.
 *
 * @since 0.1.0
 * @category errors
 */
export class BudgetSpent extends Schema.TaggedError<BudgetSpent>("mem/BudgetSpent")("BudgetSpent", {
  calls: Schema.Number,
  tokens: Schema.Number,
  needs: Schema.optional(Schema.Number),
  max_tokens: Schema.optional(Schema.Number)
}) {
  override get message(): string {
    return this.needs === undefined
      ? `${plural(this.calls, "call")} of the model with ${
        plural(this.tokens, "token")
      } were made, and the next one could go beyond the limit; run again to go on, or raise --max-calls or --max-tokens`
      : tooSmall(this.needs, this.max_tokens ?? 0)
  }
}

const tooSmall = (needs: number, max_tokens: number): string =>
  `a call of the model may take ${plural(needs, "token")}, its answer among them, and --max-tokens allows ${
    number(max_tokens)
  }. No run can go on with that: set it to ${needs} at least`

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
  /** Runs a step that may take so much at most. It waits while that is not to be had because of others under way. */
  readonly step: (most: Spent) => <A, E, R>(program: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly spent: Effect.Effect<Spent>
}

/** What was taken, and what the steps under way may take at most. */
interface State extends Spent {
  readonly underWay: { readonly steps: number; readonly calls: number; readonly tokens: number }
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
  Effect.map(
    STM.commit(TRef.make<State>({ calls: 0, tokens: 0, underWay: { steps: 0, calls: 0, tokens: 0 } })),
    (ref) => {
      const max_calls = limits.max_calls ?? Number.POSITIVE_INFINITY
      const max_tokens = limits.max_tokens ?? Number.POSITIVE_INFINITY
      const fits = ({ calls, tokens }: Spent): boolean => calls <= max_calls && tokens <= max_tokens
      const change = (f: (state: State) => State): Effect.Effect<void> => STM.commit(TRef.update(ref, f))

      const begin = (most: Spent) =>
        STM.commit(STM.flatMap(TRef.get(ref), (state) => {
          const { calls, tokens, underWay } = state
          const all = { calls: underWay.calls + most.calls, tokens: underWay.tokens + most.tokens }
          // Alone it may have what is left, though that may be less than it needs.
          return underWay.steps === 0 || fits({ calls: calls + all.calls, tokens: tokens + all.tokens })
            ? TRef.set(ref, { ...state, underWay: { ...all, steps: underWay.steps + 1 } })
            : STM.retry
        }))
      const end = (most: Spent) =>
        change(({ underWay, ...spent }) => ({
          ...spent,
          underWay: {
            steps: underWay.steps - 1,
            calls: underWay.calls - most.calls,
            tokens: underWay.tokens - most.tokens
          }
        }))

      return {
        take: (tokens) =>
          tokens > max_tokens
            ? Effect.flatMap(
              STM.commit(TRef.get(ref)),
              ({ calls, tokens: taken }) => new BudgetSpent({ calls, tokens: taken, needs: tokens, max_tokens })
            )
            : Effect.flatten(
              STM.commit(TRef.modify(ref, (state): readonly [Effect.Effect<void, BudgetSpent>, State] => {
                const then = { calls: state.calls + 1, tokens: state.tokens + tokens }
                return fits(then)
                  ? [Effect.void, { ...state, ...then }]
                  : [new BudgetSpent({ calls: state.calls, tokens: state.tokens }), state]
              }))
            ),
        settle: (set_aside, used) => change((state) => ({ ...state, tokens: state.tokens - set_aside + used })),
        step: (most) => (program) => Effect.acquireUseRelease(begin(most), () => program, () => end(most)),
        spent: Effect.map(STM.commit(TRef.get(ref)), ({ calls, tokens }) => ({ calls, tokens }))
      }
    }
  )
