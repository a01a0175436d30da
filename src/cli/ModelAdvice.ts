/**
 * What a language model would add, and how to configure one: for all that works without, and says so.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * What is to be written into `connectors.yaml`.
 *
 * @since 0.1.0
 * @category constants
 */
export const example: ReadonlyArray<string> = [
  "model:",
  "  kind: openai-compatible",
  "  base_url: http://localhost:11434/v1",
  "  model: qwen3:4b"
]

/**
 * The command asks a model, and none is configured. Nothing was done.
 *
 * @since 0.1.0
 * @category errors
 */
export class NoModel extends Schema.TaggedError<NoModel>("mem/NoModel")("NoModel", {
  command: Schema.String,
  file: Schema.String
}) {
  override get message(): string {
    return `${this.command} asks a language model, and ${this.file} names none: write "model: { kind: openai-compatible, `
      + "base_url: http://localhost:11434/v1, model: qwen3:4b }\" into it, with the address of a server and the name of a "
      + "model that it has (docs/models.md); without one, \"mem search\" finds the places"
  }
}
