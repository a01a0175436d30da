/**
 * The rules of the gates: what an answer does to the memory. Right whatever the model says: an answer that is none, an
 * empty memory, the same one again, and one above its cap all leave the memory as it is. Pure.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import { type Parsed, Parsed as Answers } from "./Parse.ts"

/**
 * When the exit gate ends the reading: never (sessions are read to their end), at the first "end", or at two in a row.
 *
 * @since 0.1.0
 * @category models
 */
export type Exit = "off" | "on" | "confirm2"

/**
 * `max_memory_tokens` caps the memory; `max_answer_tokens` is more, since thinking and tags come on top.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rules {
  readonly exit: Exit
  readonly max_memory_tokens: number
  readonly max_answer_tokens: number
}

/**
 * As the paper has it, but for the exit gate: it answers whether a question is answered, and a session that is taken in
 * has none.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultRules: Rules = { exit: "off", max_memory_tokens: 1024, max_answer_tokens: 4096 }

/**
 * Why a model is asked again: its answer could not be read, or its memory is above the cap. Once each.
 *
 * @since 0.1.0
 * @category models
 */
export type Retry = "malformed" | "overlong"

/**
 * What a turn came to. `memory` is the memory behind it, and `cited` what an update is said to rest on.
 *
 * @since 0.1.0
 * @category models
 */
export interface Decision {
  readonly update: boolean
  readonly exit: boolean
  readonly malformed: boolean
  readonly overlong: boolean
  readonly memory: string
  readonly cited: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export type Verdict = Data.TaggedEnum<{
  Ask: { readonly retry: Retry }
  Settled: { readonly decision: Decision }
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const Verdict = Data.taggedEnum<Verdict>()

/**
 * What stands in a prompt where there is no memory yet.
 *
 * @since 0.1.0
 * @category constants
 */
export const noMemory = "(no memory yet)"

/**
 * Both gates shut: the memory stays, byte for byte.
 *
 * @since 0.1.0
 * @category constructors
 */
export const shut = (memory: string, more: Partial<Decision> = {}): Decision => ({
  update: false,
  exit: false,
  malformed: false,
  overlong: false,
  memory,
  cited: [],
  ...more
})

/**
 * What an answer does to the memory, or how the model is to be asked again. `tried` are the ways in which it was.
 *
 * @since 0.1.0
 * @category deciding
 */
export const decide = (rules: Rules, count: (text: string) => number) =>
(
  memory: string,
  tried: ReadonlyArray<Retry>,
  parsed: Parsed
): Verdict =>
  Answers.$match(parsed, {
    Malformed: (): Verdict =>
      tried.includes("malformed")
        ? Verdict.Settled({ decision: shut(memory, { malformed: true }) })
        : Verdict.Ask({ retry: "malformed" }),
    Answer: ({ candidate, check, cited, end }): Verdict => {
      const nothing = candidate === "" || candidate === memory || candidate === noMemory
      if (!check || nothing) return Verdict.Settled({ decision: shut(memory, { exit: end }) })
      // Not `>`: a counter that breaks its contract with NaN must not open the gate.
      if (!(count(candidate) <= rules.max_memory_tokens)) {
        return tried.includes("overlong")
          ? Verdict.Settled({ decision: shut(memory, { exit: end, overlong: true }) })
          : Verdict.Ask({ retry: "overlong" })
      }
      return Verdict.Settled({ decision: { ...shut(candidate), update: true, exit: end, cited } })
    }
  })

/**
 * How often "end" was said in a row, with this turn.
 *
 * @since 0.1.0
 * @category exiting
 */
export const endsWith = (before: number, exit: boolean): number => exit ? before + 1 : 0

/**
 * Whether the reading is over.
 *
 * @since 0.1.0
 * @category exiting
 */
export const stops = ({ exit }: Pick<Rules, "exit">, ends: number): boolean =>
  exit === "off" ? false : ends >= (exit === "on" ? 1 : 2)
