/**
 * The manifest's tail while a sync runs. A hint that spares reading the log; never trusted over it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ConnectorName } from "../src/domain/Ids.ts"
import type { ProgressLine } from "../src/domain/Manifest.ts"
import type { ManifestError } from "../src/domain/StoreErrors.ts"

/**
 * @since 0.1.0
 * @category tags
 */
export class ProgressStore extends Context.Tag("mem/ProgressStore")<ProgressStore, {
  /** What a sync that was cut short had noted; empty where none was. Lines that cannot be read are left out. */
  readonly load: (connector: ConnectorName) => Effect.Effect<ReadonlyArray<ProgressLine>, ManifestError>
  /** Whether a sync runs or was cut short: then the log's commits may be ahead of the manifest. */
  readonly exists: (connector: ConnectorName) => Effect.Effect<boolean, ManifestError>
  /**
   * Makes `exists` true, on disk, before it returns: it comes before the run's first commit. What a sync that was cut
   * short had noted stays.
   */
  readonly begin: (connector: ConnectorName) => Effect.Effect<void, ManifestError>
  /** Notes a line; a power cut may lose it. It begins first where nobody has. */
  readonly append: (connector: ConnectorName, line: ProgressLine) => Effect.Effect<void, ManifestError>
  /** Forgets it, on disk: the manifest holds it all now. */
  readonly clear: (connector: ConnectorName) => Effect.Effect<void, ManifestError>
}>() {}
