/**
 * A model that did not once answer in the form that it was asked for. It has read nothing: what was remembered before
 * stays as it is, and it is asked again.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * @since 0.1.0
 * @category errors
 */
export class ModelUnreadable extends Schema.TaggedError<ModelUnreadable>("mem/ModelUnreadable")("ModelUnreadable", {
  model: Schema.String
}) {
  override get message(): string {
    return `${this.model} gave no answer in the form that it was asked for; what was remembered before stays as it is. `
      + "Try another model, one that follows instructions (docs/memory.md says how it must answer)"
  }
}
