/**
 * A run over the documents of a connector: compare, fetch, cut, embed, commit, remove.
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
import type { LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import { ReportedError } from "../domain/SyncReport.ts"
import { diff } from "./Diff.ts"
import { chunking } from "./DocumentPolicy.ts"
import * as Groups from "./Groups.ts"
import { refusal } from "./Guard.ts"
import { live } from "./LogView.ts"
import * as Pipeline from "./Pipeline.ts"
import { unreadableRoots } from "./ReadListing.ts"
import { begin, type ConnectorOptions, type Ran, type RunOf, type SyncError } from "./Run.ts"
import { tasksOf } from "./Work.ts"

const removalsInAWrite = 64

/** Fetches begun in a second are held to the source's own pace. */
const paceOf = ({ limits }: DocumentConnector): Effect.Effect<Pipeline.PipelineOptions["pace"], never, Scope.Scope> =>
  limits.starts_per_second === undefined
    ? Effect.succeed(identity)
    : RateLimiter.make({ limit: 1, interval: Duration.millis(1000 / limits.starts_per_second) })

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

/**
 * @since 0.1.0
 * @category programs
 */
export const runDocuments = (
  connector: DocumentConnector,
  run: RunOf,
  options: ConnectorOptions
): Effect.Effect<Ran, SyncError, Embedder | LogReader | LogWriter | ProgressStore | Scope.Scope> =>
  Effect.gen(function*() {
    const { known, listed } = run
    const embedder = yield* Embedder
    const embedding = yield* options.embedding(connector.name)
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
    const began = yield* begin(connector.name, run, tasks.length)
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
