/**
 * The bodies of the log's records about itself: where a segment begins, where a run ended, what a repair lost, what an
 * erasure took out.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Seq, Sha256, Timestamp } from "./Ids.ts"
import { Count, Positive } from "./Numbers.ts"
import { WellFormed } from "./WellFormed.ts"

/**
 * First line of each segment file. `previous_sha256` is that of the whole segment before, null in the first.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Segment extends Schema.Class<Segment>("mem/log/Segment")({
  format: Schema.Literal("mem-log/1"),
  number: Positive,
  previous_sha256: Schema.NullOr(Sha256)
}) {}

/**
 * End of a run that closed cleanly. `durable_to` is the byte offset in this segment known to be on disk when the seal
 * was written.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Seal extends Schema.Class<Seal>("mem/log/Seal")({ durable_to: Count }) {}

/**
 * Stands in a repaired segment for the lines that were lost: their `seq`s, their place in the damaged file, and where
 * its copy is kept (a path below `log/`).
 *
 * @since 0.1.0
 * @category schemas
 */
export class Gap extends Schema.Class<Gap>("mem/log/Gap")({
  first_seq: Seq,
  last_seq: Seq,
  segment: Positive,
  offset: Count,
  length: Count,
  quarantine: WellFormed
}) {}

/**
 * An audited erasure: which lines of which segment were taken out, why, and the segment's sha256 before and after.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Rewrite extends Schema.Class<Rewrite>("mem/log/Rewrite")({
  segment: Positive,
  erased: Schema.Array(Seq),
  reason: WellFormed,
  before_sha256: Sha256,
  after_sha256: Sha256,
  at: Timestamp
}) {}
