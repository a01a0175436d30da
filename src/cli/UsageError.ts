/**
 * A command line that cannot be understood. Nothing was done.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * `command` is the one whose help shows what may be given.
 *
 * @since 0.1.0
 * @category errors
 */
export class UsageError extends Schema.TaggedError<UsageError>("mem/UsageError")("UsageError", {
  command: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.detail}; see "${this.command} --help"`
  }
}
