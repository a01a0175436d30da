/**
 * What closes the open Chunk besides the end of the source.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Positive } from "./Numbers.ts"

/**
 * Closes a Chunk that the next Record would take above `n` tokens. The smaller of `n` and the policy's `max_tokens`
 * counts.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Tokens extends Schema.TaggedClass<Tokens>("mem/FlushTrigger/Tokens")("Tokens", { n: Positive }) {}

/**
 * A time that passes and comes to an end, as a number of milliseconds where it is encoded.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Silence = Schema.DurationFromMillis.pipe(
  Schema.betweenDuration(Duration.millis(1), Duration.millis(Number.MAX_SAFE_INTEGER))
)

/**
 * Closes a Chunk that no Record was added to for so long: what a live tail says before a pause is not held back until
 * it goes on. The policy's `max_tokens` closes as ever.
 *
 * @since 0.1.0
 * @category schemas
 */
export class OrIdle extends Schema.TaggedClass<OrIdle>("mem/FlushTrigger/OrIdle")("OrIdle", { idle: Silence }) {}

/**
 * @since 0.1.0
 * @category schemas
 */
export const FlushTrigger = Schema.Union(Tokens, OrIdle)
/**
 * @since 0.1.0
 * @category schemas
 */
export type FlushTrigger = typeof FlushTrigger.Type
