/**
 * What there is to say of the configured language model before it is asked anything: `mem doctor` prints it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * `remark` is how its server was found to be, or `problem` why it cannot be used, with `advice` what to do.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ModelStatus extends Schema.Class<ModelStatus>("mem/ModelStatus")({
  model: Schema.String,
  remark: Schema.optional(Schema.String),
  problem: Schema.optional(Schema.Struct({ detail: Schema.String, advice: Schema.String }))
}) {}
