/**
 * What closes the open Chunk besides the end of the source. A union of one member today; a silence on a live tail
 * (`OrIdle`) becomes its second without a change to any signature.
 *
 * @since 0.1.0
 */
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
 * @since 0.1.0
 * @category schemas
 */
export const FlushTrigger = Schema.Union(Tokens)
/**
 * @since 0.1.0
 * @category schemas
 */
export type FlushTrigger = typeof FlushTrigger.Type
