/**
 * What a check of everything found: the report of `mem doctor`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * What was looked at.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Check = Schema.Literal("configuration", "log", "lock", "manifest", "index", "source", "embedder", "model")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Check = typeof Check.Type

/**
 * `ok`: as it should be. `note`: worth knowing, and nothing to do. `problem`: something to do. `damage`: bytes of the
 * log are no longer what they were.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FindingLevel = Schema.Literal("ok", "note", "problem", "damage")
/**
 * @since 0.1.0
 * @category schemas
 */
export type FindingLevel = typeof FindingLevel.Type

/**
 * One thing that was found: `subject` is the connector or the file that it is about, `advice` what to do.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Finding extends Schema.Class<Finding>("mem/Finding")({
  check: Check,
  level: FindingLevel,
  subject: Schema.optionalWith(Schema.String, { exact: true }),
  message: Schema.String,
  advice: Schema.optionalWith(Schema.String, { exact: true })
}) {}

/**
 * The one JSON document of `mem doctor --json`. `repaired` tells what `--repair` has mended; the findings are those of
 * afterwards.
 *
 * @since 0.1.0
 * @category schemas
 */
export class DoctorReport extends Schema.Class<DoctorReport>("mem/DoctorReport")({
  command: Schema.Literal("doctor"),
  ok: Schema.Boolean,
  findings: Schema.Array(Finding),
  repaired: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
}) {}
