/**
 * `mem sync`: all connectors, or those that are named, side by side; each fails alone. The projection is brought up to
 * the log meanwhile and afterwards.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type ConfiguredConnector, Connectors } from "../../services/Connectors.ts"
import type { Embedder } from "../../services/Embedder.ts"
import type { LogReader } from "../../services/LogReader.ts"
import type { LogWriter } from "../../services/LogWriter.ts"
import type { ManifestStore } from "../../services/ManifestStore.ts"
import type { ProgressStore } from "../../services/ProgressStore.ts"
import type { Projection } from "../../services/Projection.ts"
import type { ConnectorName } from "../domain/Ids.ts"
import { type ConnectorSyncReport, ReportedError, SyncReport } from "../domain/SyncReport.ts"
import { chosen, type UnknownConnector } from "./Chosen.ts"
import { defaults as defaultPolicy, type DocumentPolicy } from "./DocumentPolicy.ts"
import * as Embed from "./Embed.ts"
import { defaults as defaultGuards } from "./Guard.ts"
import { keepUp } from "./KeepUp.ts"
import { failedReport } from "./Report.ts"
import type { ConnectorOptions, SyncError } from "./Run.ts"
import { syncConnector } from "./syncConnector.ts"

/**
 * `only` names the connectors to sync; all of them where it is absent. `policyOf` says how a connector's documents are
 * cut, `scrubOf` whether secrets are taken out of its sessions: they are where it is absent.
 *
 * @since 0.1.0
 * @category models
 */
export interface SyncOptions extends Omit<ConnectorOptions, "policy" | "embedding" | "scrub"> {
  readonly only?: ReadonlyArray<ConnectorName>
  readonly policyOf: (connector: ConfiguredConnector) => DocumentPolicy
  readonly scrubOf?: (connector: ConfiguredConnector) => boolean
}

/**
 * Paragraphs, the usual guards, documents of up to 8 MiB.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaults: SyncOptions = {
  policyOf: () => defaultPolicy,
  guards: defaultGuards,
  allowMassRemoval: false,
  maxDocumentBytes: 8 * 1024 * 1024
}

/** Connectors that are synced at the same time. They share one embedder and one writer. */
const sideBySide = 4

type Requirements = Connectors | Embedder | LogReader | LogWriter | ManifestStore | ProgressStore | Projection

const one = (
  configured: ConfiguredConnector,
  options: SyncOptions,
  embedding: ConnectorOptions["embedding"]
) =>
  Effect.scoped(Effect.gen(function*() {
    const connectors = yield* Connectors
    const opened = yield* Effect.either(connectors.get(configured.name))
    if (opened._tag === "Left") {
      const { _tag, message } = opened.left
      return failedReport(configured, new ReportedError({ code: _tag, message }))
    }
    const connector = opened.right
    return yield* syncConnector(connector, {
      ...options,
      policy: options.policyOf(configured),
      scrub: options.scrubOf?.(configured) ?? true,
      embedding
    })
  }))

/**
 * Syncs, and reports what was done. A document's failure, a guard's refusal and a connector that cannot be opened or
 * listed are in the report; only what ends the run for all is an error.
 *
 * @since 0.1.0
 * @category programs
 */
export const sync = (
  options: SyncOptions = defaults
): Effect.Effect<SyncReport, SyncError | UnknownConnector, Requirements> =>
  Effect.gen(function*() {
    const started = yield* Clock.currentTimeMillis
    const wanted = yield* chosen(options.only)
    const embedding = yield* Embed.make
    const connectors: ReadonlyArray<ConnectorSyncReport> = yield* keepUp(
      Effect.forEach(wanted, (connector) => one(connector, options, embedding), { concurrency: sideBySide })
    )
    return new SyncReport({
      command: "sync",
      ok: connectors.every(({ status }) => status === "ok"),
      connectors,
      duration_ms: Math.max(0, Math.round((yield* Clock.currentTimeMillis) - started))
    })
  }).pipe(Effect.withSpan("Sync.run"))
