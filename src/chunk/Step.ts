/**
 * The record chunker as a pure step: Records in, Chunks out.
 *
 * A Record is never split. One that would take the open Chunk above the budget closes it first; one that is above it
 * alone becomes a Chunk of one, joined by nothing. `t` counts 1, 2, 3 without gaps. Nothing is copied per Record: the
 * open Chunk is held as the slices of the batches that it came in.
 *
 * @since 0.1.0
 */
import * as List from "effect/List"
import { Chunk } from "../domain/Chunk.ts"
import type { ChunkPolicy } from "../domain/ChunkPolicy.ts"
import type { Record } from "../domain/Record.ts"
import type { Step } from "../stream/Fold.ts"

/**
 * The open Chunk: its number, its tokens so far, and its Records as slices, the newest first.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly t: number
  readonly tokens: number
  readonly slices: List.List<ReadonlyArray<Record>>
}

/**
 * @since 0.1.0
 * @category constants
 */
export const initial: State = { t: 1, tokens: 0, slices: List.nil() }

/**
 * Whether a Flush would close a Chunk.
 *
 * @since 0.1.0
 * @category states
 */
export const isOpen = (state: State): boolean => List.isCons(state.slices)

/** One by one: `flat` is several times as slow, and spreading a hundred thousand slices overflows the stack. */
const joined = (slices: List.List<ReadonlyArray<Record>>): ReadonlyArray<Record> => {
  const records: Array<Record> = []
  for (const slice of List.reverse(slices)) for (const record of slice) records.push(record)
  return records
}

/**
 * The step for a policy and a counter.
 *
 * @since 0.1.0
 * @category steps
 */
export const step = (policy: ChunkPolicy, count: (text: string) => number): Step<State, Record, Chunk> => {
  const budget = policy.flush._tag === "Tokens" ? Math.min(policy.flush.n, policy.max_tokens) : policy.max_tokens

  const chunk = ({ slices, t, tokens }: State): Chunk =>
    new Chunk(
      { t, tokens, over_budget: tokens > policy.max_tokens, records: joined(slices) },
      { disableValidation: true }
    )

  return (state, signal) => {
    if (signal._tag === "Flush") {
      return List.isNil(state.slices) ? [state, []] : [{ ...initial, t: state.t + 1 }, [chunk(state)]]
    }
    const { items } = signal
    const closed: Array<Chunk> = []
    let { slices, t, tokens } = state
    let from = 0
    let to = 0
    for (const { text } of items) {
      const more = count(text)
      // Not `>`: a counter that breaks its contract with NaN must not make a chunk that never closes.
      if (!(tokens + more <= budget)) {
        const held = from < to ? List.cons(items.slice(from, to), slices) : slices
        if (List.isCons(held)) closed.push(chunk({ t: t++, tokens, slices: held }))
        slices = List.nil()
        tokens = 0
        from = to
      }
      tokens += more
      to += 1
    }
    return [{ t, tokens, slices: from < to ? List.cons(items.slice(from), slices) : slices }, closed]
  }
}
