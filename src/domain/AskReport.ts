/**
 * An answer from memory: the report of `mem ask`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Level } from "./Level.ts"
import { Count, Positive } from "./Numbers.ts"

/**
 * What the model was shown: a passage (level `R`), a memory (`L1`, `L2`), or an archived Record of a session, which has no
 * level. `place` is what `command` takes: `mem get` for the first and the last, `mem blame` for a memory.
 *
 * @since 0.1.0
 * @category schemas
 */
export class AskSource extends Schema.Class<AskSource>("mem/AskSource")({
  level: Schema.optional(Level),
  command: Schema.Literal("get", "blame"),
  place: Schema.String,
  text: Schema.String
}) {}

/**
 * A source that the answer cites, by its number in the answer.
 *
 * @since 0.1.0
 * @category schemas
 */
export class AskCitation extends Schema.Class<AskCitation>("mem/AskCitation")({
  n: Positive,
  ...AskSource.fields
}) {}

/**
 * Why there is no answer: nothing was found to ask a model about; the model said that it does not know; it cited nothing
 * that it was shown; its answer was cut at its greatest length; it declined.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WhyNot = Schema.Literal("nothing_found", "not_known", "no_citation", "cut", "refused")
/**
 * @since 0.1.0
 * @category schemas
 */
export type WhyNot = typeof WhyNot.Type

/**
 * What was looked at: how many of each the model was shown, and how many memories were left out because they are stale.
 *
 * @since 0.1.0
 * @category schemas
 */
export class LookedAt extends Schema.Class<LookedAt>("mem/LookedAt")({
  passages: Count,
  records: Count,
  memories: Count,
  stale: Count
}) {}

/**
 * Why no more sections were read: the exit gate opened, there were no more, or the calls of the model were used up but
 * for the answer.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReadingStopped = Schema.Literal("exit", "all", "calls")
/**
 * @since 0.1.0
 * @category schemas
 */
export type ReadingStopped = typeof ReadingStopped.Type

/**
 * How what was found was read where one prompt could not hold it: so many sections there were, and so many of them were
 * read. `accepted` sources were taken note of, a source of several sections once for each; `left_out` of these had no room
 * in the last prompt. The others count turns that opened no gate, and names that no source had.
 *
 * @since 0.1.0
 * @category schemas
 */
export class AskReading extends Schema.Class<AskReading>("mem/AskReading")({
  sections: Count,
  read: Count,
  stopped: ReadingStopped,
  accepted: Count,
  left_out: Count,
  malformed: Count,
  overlong: Count,
  refused: Count,
  unknown_citations: Count
}) {}

/**
 * The one JSON document of `mem ask --json`. Without an answer `why` says why, and `answer` is "I don't know". `dropped`
 * counts citations of what was not shown. `reading` is absent where all that was found stood in one prompt.
 *
 * @since 0.1.0
 * @category schemas
 */
export class AskReport extends Schema.Class<AskReport>("mem/AskReport")({
  command: Schema.Literal("ask"),
  ok: Schema.Boolean,
  question: Schema.String,
  known: Schema.Boolean,
  answer: Schema.String,
  why: Schema.optional(WhyNot),
  citations: Schema.Array(AskCitation),
  dropped: Count,
  looked_at: LookedAt,
  reading: Schema.optional(AskReading),
  model: Schema.String,
  model_calls: Count
}) {}
