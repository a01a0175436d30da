/**
 * A Chunk: consecutive Records of one session under a token budget, the unit that the memory loop reads.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Count, Positive } from "./Numbers.ts"
import { Record } from "./Record.ts"

/**
 * `t` is its 1-based number in the session, without gaps. `tokens` is the sum of its Records' counts. `over_budget`
 * says that it is a single Record above the policy's `max_tokens`, kept whole.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Chunk extends Schema.Class<Chunk>("mem/Chunk")({
  t: Positive,
  tokens: Count,
  over_budget: Schema.Boolean,
  records: Schema.Array(Record)
}) {}
