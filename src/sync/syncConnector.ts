/**
 * The sync of one document connector: list, compare, fetch, cut, embed, commit, remove, remember. What a single
 * document does is a value in the report; what ends the run is in the error channel.
 *
 * The order is the promise: a document's group is on disk before its manifest entry is changed, so the manifest is
 * never ahead of the log, and a run that is cut short has only less to do the next time.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as RateLimiter from "effect/RateLimiter"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Embedder } from "../../services/Embedder.ts"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { type AppendError, LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
import { SyncObserver } from "../../services/SyncObserver.ts"
import type { ConnectorError } from "../domain/ConnectorErrors.ts"
import type { ConnectorName, DocId } from "../domain/Ids.ts"
import { ManifestEntry } from "../domain/Manifest.ts"
import type { ManifestError } from "../domain/StoreErrors.ts"
import { type ConnectorSyncReport, ReportedError } from "../domain/SyncReport.ts"
import { beginRun } from "./BeginRun.ts"
import { type Diff, diff, type Known, type Listed } from "./Diff.ts"
import { chunking, type DocumentPolicy } from "./DocumentPolicy.ts"
import type { EmbedStage } from "./Embed.ts"
import { failedNow, sameFailures } from "./Failures.ts"
import * as Groups from "./Groups.ts"
import { type GuardOptions, refusal } from "./Guard.ts"
import { type LoadedManifest, loadManifest } from "./LoadManifest.ts"
import { live } from "./LogView.ts"
import * as Pipeline from "./Pipeline.ts"
import { readListing, unreadableRoots } from "./ReadListing.ts"
import { failedReport, reportOf } from "./Report.ts"
import { type Outcome, tasksOf } from "./Work.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ConnectorOptions {
  readonly policy: DocumentPolicy
  readonly guards: GuardOptions
  /** Lets removals through that a guard would refuse. */
  readonly allowMassRemoval: boolean
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

type Entries = ReadonlyMap<DocId, ManifestEntry>

const removalsInAWrite = 64

/** Fetches begun in a second are held to the source's own pace. */
const paceOf = ({ limits }: DocumentConnector): Effect.Effect<Pipeline.PipelineOptions["pace"], never, Scope.Scope> =>
  limits.starts_per_second === undefined
    ? Effect.succeed(identity)
    : RateLimiter.make({ limit: 1, interval: Duration.millis(1000 / limits.starts_per_second) })

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

const remove = (connector: DocumentConnector, entries: ReadonlyArray<ManifestEntry>) =>
  Effect.gen(function*() {
    const writer = yield* LogWriter
    const progress = yield* ProgressStore
    const now = yield* Pipeline.timestamp
    for (const batch of Arr.chunksOf(entries, removalsInAWrite)) {
      const seqs = yield* writer.append(
        batch.map((entry) => Groups.removal({ connector: connector.name, now }, entry, "removed"))
      )
      for (const [i, { doc_id }] of batch.entries()) {
        const seq = seqs[i]
        if (seq !== undefined) yield* progress.append(connector.name, { removed: doc_id, seq })
      }
    }
  })

const run = (
  connector: DocumentConnector,
  listed: Listed,
  known: Known,
  manifest: LoadedManifest,
  options: ConnectorOptions
) =>
  Effect.gen(function*() {
    const embedder = yield* Embedder
    const embedding = yield* options.embedding(connector.name)
    const observer = yield* SyncObserver
    const { maxDocumentBytes } = options
    const cut = chunking(options.policy, embedder.counter)
    const today = { pipelineOf: cut.pipelineOf, embedder: embedder.fingerprint, maxDocumentBytes }
    const changes = diff(known, listed, today)
    const leaving = yield* Ref.make(changes.removed)
    const fetched = yield* Ref.make(0)
    const counted: DocumentConnector = {
      ...connector,
      fetch: (ref) => Effect.tap(connector.fetch(ref), () => Ref.update(fetched, (n) => n + 1))
    }
    const tasks = tasksOf(changes)
    yield* observer.note({
      _tag: "Listed",
      connector: connector.name,
      documents: listed.refs.size,
      toDo: tasks.length
    })
    const began = yield* Effect.cached(beginRun(connector.name, manifest, tasks.length))
    if (tasks.length > 0) yield* began
    const outcomes = yield* Pipeline.run({
      connector: counted,
      chunking: cut,
      live: yield* Effect.cached(live),
      maxDocumentBytes,
      pace: yield* paceOf(connector),
      embedder: embedder.fingerprint,
      embedding,
      leaving
    }, tasks).pipe(Stream.runCollect, Effect.map((all) => Array.from(all)))

    // One that a move has claimed stays where its new place could not be stored.
    const candidates = yield* Ref.get(leaving)
    const refused = options.allowMassRemoval
      ? Option.none()
      : refusal(known, listed, { removed: candidates, outside: changes.outside }, options.guards)
    const removed = Option.isSome(refused)
      ? []
      : [...candidates, ...(options.allowMassRemoval ? changes.outside : [])]
    if (removed.length > 0) {
      yield* began
      yield* remove(connector, removed)
    }
    const error = Option.orElse(
      Option.map(refused, (message) => new ReportedError({ code: "MassRemoval", message })),
      () => Option.map(unreadableRoots(listed), ({ error }) => error)
    )
    return {
      today,
      changes,
      outcomes,
      removed,
      error: Option.getOrUndefined(error),
      refused: Option.isSome(refused),
      fetched: yield* Ref.get(fetched),
      embedding: yield* embedding.counts
    }
  })

/**
 * Syncs one connector. A listing that fails is that connector's failure, and changes nothing.
 *
 * @since 0.1.0
 * @category programs
 */
export const syncConnector = (
  connector: DocumentConnector,
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

    const done = yield* run(connector, listed, known, manifest, options)
    const entries = entriesAfter(known.entries, done.changes, done.outcomes, done.removed)
    if (manifest.differs || !sameEntries(known.entries, entries)) yield* manifests.save(connector.name, entries)
    yield* progress.clear(connector.name)
    const failed = failedNow(known.failed, listed, done.changes, done.outcomes, done.today, yield* Pipeline.timestamp)
    if (!sameFailures(known.failed, failed)) yield* manifests.saveFailed(connector.name, failed)

    return reportOf({
      name: connector.name,
      kind: connector.kind,
      diff: done.changes,
      outcomes: done.outcomes,
      removed: done.removed,
      error: done.error,
      refused: done.refused,
      resumed: manifest.resumed,
      fetched: done.fetched,
      embedding: done.embedding
    })
  })).pipe(Effect.annotateLogs({ connector: connector.name }), Effect.withSpan("Sync.connector"))
