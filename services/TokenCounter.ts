/**
 * Counts the tokens of a text. Whatever keeps a budget asks this service.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * @since 0.1.0
 * @category tags
 */
export class TokenCounter extends Context.Tag("mem/TokenCounter")<TokenCounter, {
  /** Name and version of the counter: part of a pipeline's fingerprint. */
  readonly fingerprint: string
  /** Pure; a whole number, 0 or more; 0 for the empty text. What it needs was loaded by the layer, which alone can fail. */
  readonly count: (text: string) => number
}>() {}
