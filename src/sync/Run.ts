/**
 * What a run over a connector starts from, and what it comes to, whatever its source delivers.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { LogReadError } from "../../services/LogReader.ts"
import type { AppendError } from "../../services/LogWriter.ts"
import type { ProgressStore } from "../../services/ProgressStore.ts"
import { SyncObserver } from "../../services/SyncObserver.ts"
import type { ConnectorName } from "../domain/Ids.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import type { ManifestError } from "../domain/StoreErrors.ts"
import type { ReportedError } from "../domain/SyncReport.ts"
import { beginRun } from "./BeginRun.ts"
import type { Diff, Known, Listed, Today } from "./Diff.ts"
import type { DocumentPolicy } from "./DocumentPolicy.ts"
import type { EmbedCounts, EmbedStage } from "./Embed.ts"
import type { GuardOptions } from "./Guard.ts"
import type { LoadedManifest } from "./LoadManifest.ts"
import type { ArchiveCounts } from "./session/Archive.ts"
import type { Outcome } from "./Work.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ConnectorOptions {
  readonly policy: DocumentPolicy
  readonly guards: GuardOptions
  /** Lets removals through that a guard would refuse. */
  readonly allowMassRemoval: boolean
  /** Whether secrets are taken out of what sessions hold. */
  readonly scrub: boolean
  /** Larger documents are left out. */
  readonly maxDocumentBytes: number
  /** The embedding stage of the run, which its connectors share. */
  readonly embedding: (connector: ConnectorName) => Effect.Effect<EmbedStage>
}

/**
 * Whatever ends a sync.
 *
 * @since 0.1.0
 * @category errors
 */
export type SyncError = AppendError | LogReadError | ManifestError

/**
 * What was known, and what the source lists now.
 *
 * @since 0.1.0
 * @category models
 */
export interface RunOf {
  readonly known: Known
  readonly listed: Listed
  readonly manifest: LoadedManifest
}

/**
 * What a run has come to. `archive` is there for sessions.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ran {
  readonly today: Today
  readonly changes: Diff
  readonly outcomes: ReadonlyArray<Outcome>
  readonly removed: ReadonlyArray<ManifestEntry>
  readonly error: ReportedError | undefined
  readonly refused: boolean
  readonly fetched: number
  readonly embedding: EmbedCounts
  readonly archive?: ArchiveCounts
}

/**
 * Tells what is to be done, and notes that commits may be ahead of the manifest, before the first of them. Its value does
 * so where nothing was to be done, and something is written all the same.
 *
 * @since 0.1.0
 * @category programs
 */
export const begin = (
  connector: ConnectorName,
  { listed, manifest }: RunOf,
  toDo: number
): Effect.Effect<Effect.Effect<void, ManifestError, ProgressStore>, ManifestError, ProgressStore> =>
  Effect.gen(function*() {
    const { note } = yield* SyncObserver
    yield* note({ _tag: "Listed", connector, documents: listed.refs.size, toDo })
    const began = yield* Effect.cached(beginRun(connector, manifest, toDo))
    if (toDo > 0) yield* began
    return began
  })
