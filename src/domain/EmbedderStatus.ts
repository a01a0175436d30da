/**
 * What there is to say of the configured embedder before anything is embedded: `mem doctor` prints it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * An engine that can run the embedder's model. `problem` is why it cannot be used here; `used` is the one that embeds.
 *
 * @since 0.1.0
 * @category schemas
 */
export class EngineStatus extends Schema.Class<EngineStatus>("mem/EngineStatus")({
  engine: Schema.String,
  problem: Schema.optional(Schema.String),
  used: Schema.Boolean
}) {}

/**
 * `remark` is what whoever chose this kind should know of it, and `problem` why it is of no use, whatever the engine. An
 * embedder without engines has none to probe.
 *
 * @since 0.1.0
 * @category schemas
 */
export class EmbedderStatus extends Schema.Class<EmbedderStatus>("mem/EmbedderStatus")({
  kind: Schema.String,
  remark: Schema.optional(Schema.String),
  problem: Schema.optional(Schema.String),
  engines: Schema.Array(EngineStatus)
}) {}
