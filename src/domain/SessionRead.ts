/**
 * What the reading of a session says, in the order of its bytes: the Records, what was no Record, and how far it has
 * come. Nothing that was read is passed over without a word.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { Cursor } from "./Cursor.ts"
import { Count } from "./Numbers.ts"
import type { Record } from "./Record.ts"
import { WellFormed } from "./WellFormed.ts"

/**
 * Bytes of a transcript that became no Record and should have. `bad`: a line, or a part of one, that cannot be read.
 * `unknown`: a line of a type that the reader does not know, said once for each type. Offset and length are in bytes of
 * the file.
 *
 * @since 0.1.0
 * @category schemas
 */
export class SourceWarning extends Schema.Class<SourceWarning>("mem/SourceWarning")({
  path: WellFormed,
  byte_offset: Count,
  byte_length: Count,
  reason: Schema.Literal("bad", "unknown"),
  detail: WellFormed
}) {}

/**
 * One thing that a reading says. A `Cursor` stands behind all that the bytes before its offset hold: whoever has stored
 * those may go on from there another time.
 *
 * @since 0.1.0
 * @category models
 */
export type SessionItem = Record | SourceWarning | Cursor
