/**
 * What can go wrong with a token counter: what it counts by cannot be loaded. Once it is loaded, it counts any text.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The counter's data is missing, damaged or of another version. Nothing is counted by a guess instead.
 *
 * @since 0.1.0
 * @category errors
 */
export class TokenCounterError extends Schema.TaggedError<TokenCounterError>("mem/TokenCounterError")(
  "TokenCounterError",
  { counter: Schema.String, detail: Schema.String, advice: Schema.String }
) {
  override get message(): string {
    return `token counter ${this.counter}: ${this.detail}; ${this.advice}`
  }
}
