/**
 * The manifests: what each sync last saw of each document.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ConnectorName, DocId } from "../src/domain/Ids.ts"
import type { FailedEntry, ManifestEntry } from "../src/domain/Manifest.ts"
import type { ManifestError } from "../src/domain/StoreErrors.ts"

/**
 * @since 0.1.0
 * @category tags
 */
export class ManifestStore extends Context.Tag("mem/ManifestStore")<ManifestStore, {
  /** The manifest; none where it is missing or garbled, and the log's commits must say. */
  readonly load: (
    connector: ConnectorName
  ) => Effect.Effect<Option.Option<ReadonlyMap<DocId, ManifestEntry>>, ManifestError>
  /** Replaces the manifest in one step: after a crash it is wholly the old or wholly the new one. */
  readonly save: (
    connector: ConnectorName,
    entries: ReadonlyMap<DocId, ManifestEntry>
  ) => Effect.Effect<void, ManifestError>
  /** What failed or was skipped; empty where nothing was, or the list is lost. */
  readonly loadFailed: (connector: ConnectorName) => Effect.Effect<ReadonlyMap<DocId, FailedEntry>, ManifestError>
  readonly saveFailed: (
    connector: ConnectorName,
    entries: ReadonlyMap<DocId, FailedEntry>
  ) => Effect.Effect<void, ManifestError>
}>() {}
