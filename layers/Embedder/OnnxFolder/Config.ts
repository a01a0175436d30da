/**
 * The options of an embedder in a folder. Most of them stand in the folder itself; what is said here goes before that.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { wholeNumber } from "../../../src/domain/Numbers.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/**
 * How the vectors of pieces become the one of a text: their mean, that of the first piece, that of the last one, or
 * `none` where the graph itself answers one vector for each text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Pooling = Schema.Literal("mean", "cls", "lasttoken", "none").annotations({
  message: () => ({
    message: "expected mean, cls, lasttoken, or none where the model's graph answers whole texts",
    override: true
  })
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Pooling = typeof Pooling.Type

const noPath = "expected the path of a folder"

const Path = Schema.String.annotations({ message: () => noPath }).pipe(
  Schema.filter((path) => path.trim() !== "" && !path.includes("\0"), { message: () => noPath })
)

/**
 * `path` is relative to the file that holds it, `model` to the folder. `max_tokens` is what the model reads of a text at
 * once.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Config = Schema.Struct({
  path: Path,
  model: optional(Schema.NonEmptyTrimmedString),
  pooling: optional(Pooling),
  dims: optional(wholeNumber(1, 65_536)),
  max_tokens: optional(wholeNumber(16, 1_000_000)),
  query_prefix: optional(Schema.String),
  document_prefix: optional(Schema.String),
  threads: Schema.optionalWith(wholeNumber(1, 64), { exact: true, default: () => 1 })
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Config = typeof Config.Type
