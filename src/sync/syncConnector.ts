/**
 * The sync of one connector: list, compare, store what has changed, remember. What a single document or session does is a
 * value in the report; what ends the run is in the error channel.
 *
 * The order is the promise: a document's group is on disk before its manifest entry is changed, so the manifest is
 * never ahead of the log, and a run that is cut short has only less to do the next time.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Embedder } from "../../services/Embedder.ts"
import type { LogReader } from "../../services/LogReader.ts"
import type { LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import type { SourceConnector } from "../../services/SourceConnector.ts"
import type { ConnectorError } from "../domain/ConnectorErrors.ts"
import type { DocId } from "../domain/Ids.ts"
import { ManifestEntry } from "../domain/Manifest.ts"
import { type ConnectorSyncReport, ReportedError } from "../domain/SyncReport.ts"
import type { Diff, Known } from "./Diff.ts"
import { runDocuments } from "./DocumentRun.ts"
import { failedNow, sameFailures } from "./Failures.ts"
import { loadManifest } from "./LoadManifest.ts"
import { timestamp } from "./Pipeline.ts"
import { readListing, unreadableRoots } from "./ReadListing.ts"
import { failedReport, reportOf } from "./Report.ts"
import type { ConnectorOptions, SyncError } from "./Run.ts"
import { runSessions } from "./session/SessionRun.ts"
import type { Outcome } from "./Work.ts"

type Entries = ReadonlyMap<DocId, ManifestEntry>

/** What the manifest says after all this. */
const entriesAfter = (
  before: Entries,
  { touched }: Diff,
  outcomes: ReadonlyArray<Outcome>,
  removed: ReadonlyArray<ManifestEntry>
): Entries => {
  const entries = new Map(before)
  for (const entry of touched) entries.set(entry.doc_id, entry)
  for (const outcome of outcomes) {
    if (outcome._tag === "Committed") {
      entries.set(outcome.entry.doc_id, outcome.entry)
      if (outcome.from !== undefined) entries.delete(outcome.from.doc_id)
    } else if (outcome._tag === "Failed" && outcome.entry !== undefined) {
      entries.set(outcome.entry.doc_id, outcome.entry)
    } else if (
      outcome._tag === "Same" && outcome.revision !== undefined && outcome.revision !== outcome.entry.revision
    ) {
      entries.set(outcome.entry.doc_id, new ManifestEntry({ ...outcome.entry, revision: outcome.revision }))
    }
  }
  for (const { doc_id } of removed) entries.delete(doc_id)
  return entries
}

const sameEntries = (a: Entries, b: Entries): boolean =>
  a.size === b.size && [...a].every(([id, entry]) => b.get(id) === entry)

const report = (error: ConnectorError): ReportedError => new ReportedError({ code: error._tag, message: error.message })

/**
 * Syncs one connector. A listing that fails is that connector's failure, and changes nothing.
 *
 * @since 0.1.0
 * @category programs
 */
export const syncConnector = (
  connector: SourceConnector["Type"],
  options: ConnectorOptions
): Effect.Effect<ConnectorSyncReport, SyncError, Embedder | LogReader | LogWriter | ManifestStore | ProgressStore> =>
  Effect.scoped(Effect.gen(function*() {
    const manifests = yield* ManifestStore
    const progress = yield* ProgressStore
    const manifest = yield* loadManifest(connector.name)
    const known: Known = { entries: manifest.entries, failed: yield* manifests.loadFailed(connector.name) }

    const listing = yield* Effect.either(Effect.flatMap(connector.list(known.entries), readListing))
    if (listing._tag === "Left") return failedReport(connector, report(listing.left))
    const listed = listing.right
    const unreadable = unreadableRoots(listed)
    if (Option.isSome(unreadable) && unreadable.value.all) return failedReport(connector, unreadable.value.error)

    const run = { known, listed, manifest }
    const done = connector.source_type === "document"
      ? yield* runDocuments(connector, run, options)
      : yield* runSessions(connector, run, options)
    const entries = entriesAfter(known.entries, done.changes, done.outcomes, done.removed)
    if (manifest.differs || !sameEntries(known.entries, entries)) yield* manifests.save(connector.name, entries)
    yield* progress.clear(connector.name)
    const failed = failedNow(known.failed, listed, done.changes, done.outcomes, done.today, yield* timestamp)
    if (!sameFailures(known.failed, failed)) yield* manifests.saveFailed(connector.name, failed)

    return reportOf({
      connector,
      run: done,
      resumed: manifest.resumed
    })
  })).pipe(Effect.annotateLogs({ connector: connector.name }), Effect.withSpan("Sync.connector"))
