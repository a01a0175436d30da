/**
 * Whether a sync trusts the cheap tokens of its sources. With `--verify` a connector that can hash what it lists hashes
 * all that is known, and finds what changed behind an unchanged revision.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * A reference, not a tag: a program that trusts revisions need not say so. Connectors read it in `list`.
 *
 * @since 0.1.0
 * @category references
 */
export class Verify extends Context.Reference<Verify>()("mem/Verify", {
  defaultValue: (): boolean => false
}) {}
