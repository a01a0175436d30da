/**
 * How many calls it takes to show something, before anything is sent. A model says in advance what its context holds, or
 * it does not; where it does, what is too long is halved as the loop halves it: first between Records, then within one.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { LanguageModel } from "../../services/LanguageModel.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { RecordKey } from "../domain/Ids.ts"
import { Record } from "../domain/Record.ts"
import type { Spent } from "./Budget.ts"
import type { Rules } from "./Gate.ts"
import type { Profile } from "./Profile.ts"
import { pieceText, promptOf, type Subject } from "./Prompt.ts"
import type { Piece } from "./Windows.ts"

/**
 * What a text adds to a prompt: in tokens, and in those by which the model says what it holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Weight {
  readonly tokens: number
  readonly held: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Fitting {
  /** What showing a piece adds to a prompt. */
  readonly weigh: (piece: Piece) => Weight
  /** A prompt that shows nothing, with a memory as long as it may be. */
  readonly frame: (rules: Rules, subject: Subject, profile: Profile) => Weight
  /** The calls for a window of these pieces, and what is sent in them. */
  readonly calls: (frame: Weight, rules: Rules, pieces: ReadonlyArray<Weight>) => Spent
}

const plus = (a: Weight, b: Weight): Weight => ({ tokens: a.tokens + b.tokens, held: a.held + b.held })

const nothing = new Record({ key: RecordKey.make("nothing"), text: "" })

/**
 * By the model and the counter that are there. The model is not called.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Fitting, never, LanguageModel | TokenCounter> = Effect.gen(function*() {
  const { context } = yield* LanguageModel
  const { count } = yield* TokenCounter

  const weightOf = (text: string): Weight => ({ tokens: count(text), held: context?.count(text) ?? 0 })
  const weigh = (piece: Piece): Weight => weightOf(pieceText(piece))
  const around = weigh({ record: nothing, start: 0, end: 0 })

  const halfOf = ({ held, tokens }: Weight): Weight => ({
    tokens: around.tokens + Math.ceil((tokens - around.tokens) / 2),
    held: around.held + Math.ceil((held - around.held) / 2)
  })

  return {
    weigh,
    frame: (rules, subject, profile) =>
      promptOf(rules, { subject, profile, memory: "", window: [] }).messages.reduce(
        (sum, { content }) => plus(sum, weightOf(content)),
        { tokens: rules.max_memory_tokens, held: rules.max_memory_tokens }
      ),
    calls: (frame, { max_answer_tokens }, all) => {
      const room = context === undefined ? Number.POSITIVE_INFINITY : context.prompt_tokens(max_answer_tokens)
      // Where a memory alone can fill it nobody knows how often anything is halved.
      const isRoom = plus(frame, around).held < room
      const callsOf = (pieces: ReadonlyArray<Weight>): Spent => {
        const { held, tokens } = pieces.reduce(plus, frame)
        const [first, second] = pieces
        if (!isRoom || held <= room || first === undefined) return { calls: 1, tokens }
        if (second === undefined) {
          const half = halfOf(first)
          if (half.held >= first.held) return { calls: 1, tokens }
          const one = callsOf([half])
          return { calls: 2 * one.calls, tokens: 2 * one.tokens }
        }
        const middle = Math.ceil(pieces.length / 2)
        const [a, b] = [callsOf(pieces.slice(0, middle)), callsOf(pieces.slice(middle))]
        return { calls: a.calls + b.calls, tokens: a.tokens + b.tokens }
      }
      return callsOf(all)
    }
  }
})
