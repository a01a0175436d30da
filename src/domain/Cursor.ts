/**
 * How far a session was read, so that growth costs only the tail.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Sha256 } from "./Ids.ts"
import { Count } from "./Numbers.ts"
import { WellFormed } from "./WellFormed.ts"

/**
 * `offset` is the byte after the last line feed that was read; `tail_sha256` covers the last 4 KiB before it. Where
 * they no longer match, the file was rewritten and is read whole again. `next_seq` is the number of the Record that
 * comes next.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Cursor extends Schema.Class<Cursor>("mem/Cursor")({
  path: WellFormed,
  offset: Count,
  tail_sha256: Sha256,
  next_seq: Schema.optionalWith(Count, { exact: true })
}) {}
