/**
 * Where a Chunk may end.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * `Record`: between two Records, never inside one. There is no other value; the field exists so that a policy says
 * what it does.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Boundary = Schema.Literal("Record")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Boundary = typeof Boundary.Type
