/**
 * The documents of a sync on their way into the log: fetched side by side up to the connector's limit, cut, embedded by
 * one embedder in batches over their borders, and committed beside each other, so that many share one fdatasync.
 *
 * A slow document holds up nobody, and no more than a few dozen are in memory at a time, however many wait.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import type * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { type AppendError, LogWriter } from "../../services/LogWriter.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { type SyncEvent, SyncObserver } from "../../services/SyncObserver.ts"
import { Timestamp } from "../domain/Ids.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import type { ManifestError } from "../domain/StoreErrors.ts"
import { entryOf } from "../log/Live.ts"
import { whatIsThere } from "../stream/WhatIsThere.ts"
import type { EmbedStage, Unembedded } from "./Embed.ts"
import * as Groups from "./Groups.ts"
import { prepare, type PrepareOptions } from "./Prepare.ts"
import { docIdOf, type Embedded, Outcome, type Prepared, type Task } from "./Work.ts"

/** Documents that are fetched and wait for the embedder, at most; also those of one embedding round. */
const waiting = 16
/** Groups on their way to the disk at the same time. */
const commitsInFlight = 32

/**
 * The moment, as the log writes it.
 *
 * @since 0.1.0
 * @category time
 */
export const timestamp: Effect.Effect<Timestamp> = Effect.map(
  Clock.currentTimeMillis,
  (millis) => Timestamp.make(new Date(millis).toISOString())
)

/**
 * @since 0.1.0
 * @category models
 */
export interface PipelineOptions extends PrepareOptions {
  readonly embedding: EmbedStage
  /** Entries that are gone from the source, by content: a new document of the same content is one of them, moved. */
  readonly leaving: Ref.Ref<ReadonlyArray<ManifestEntry>>
}

const note = (event: SyncEvent): Effect.Effect<void> => Effect.flatMap(SyncObserver, (observer) => observer.note(event))

/** A listing without hashes shows a move only once the new document is fetched. */
const claimMove = (leaving: PipelineOptions["leaving"], prepared: Prepared): Effect.Effect<Prepared> =>
  prepared.as !== "new"
    ? Effect.succeed(prepared)
    : Ref.modify(leaving, (entries) => {
      const from = entries.find(({ content_hash }) => content_hash === prepared.content_hash)
      return from === undefined
        ? [prepared, entries]
        : [{ ...prepared, as: "moved", from }, entries.filter((entry) => entry !== from)]
    })

const commit = (options: PipelineOptions) => (embedded: Embedded) =>
  Effect.gen(function*() {
    const writer = yield* LogWriter
    const progress = yield* ProgressStore
    const { connector, embedding } = options
    const { as, from } = embedded.document
    const at = { connector: connector.name, now: yield* timestamp }
    const group = Groups.version(at, embedded)
    const groups = from === undefined ? [group] : [group, Groups.removal(at, from, "removed")]
    const [seq] = yield* writer.append(groups)
    if (seq === undefined) return yield* Effect.dieMessage("the log's writer answered without a seq")
    embedding.stored(embedded.vectors)
    const entry = entryOf(group.commit, seq, group.commit.chunk_count)
    yield* progress.append(connector.name, { entry })
    const tombstoned = groups.flatMap(({ entries }) => entries).filter(({ kind }) => kind === "tombstone").length
    const added = group.entries.filter(({ kind }) => kind === "reference").length
    return Outcome.Committed({ as, entry, from, added, tombstoned })
  })

/** Nothing of the document is stored, but what its texts have cost. */
const keepVectors = ({ embedding }: PipelineOptions) => ({ outcome, vectors }: Unembedded) =>
  Effect.gen(function*() {
    const { appendAlone } = yield* LogWriter
    yield* appendAlone(vectors.map((body) => ({ kind: "vector" as const, body })))
    embedding.stored(vectors)
    return outcome
  })

type Done<A> = Either.Either<A, Unembedded>

/** Documents with this many texts are stored before the next are embedded: a run that is cut short has them then. */
const textsInAStep = 64

const inSteps = (batch: Chunk.Chunk<Done<Prepared>>): ReadonlyArray<ReadonlyArray<Done<Prepared>>> => {
  const steps: Array<Array<Done<Prepared>>> = []
  let texts = textsInAStep
  for (const done of batch) {
    if (texts >= textsInAStep) {
      steps.push([])
      texts = 0
    }
    steps.at(-1)?.push(done)
    texts += Either.match(done, { onLeft: () => 0, onRight: ({ pieces }) => pieces.length })
  }
  return steps
}

/**
 * How each of the tasks ended, as it ends.
 *
 * @since 0.1.0
 * @category stages
 */
export const run = (
  options: PipelineOptions,
  tasks: ReadonlyArray<Task>
): Stream.Stream<Outcome, AppendError | LogReadError | ManifestError, LogReader | LogWriter | ProgressStore> => {
  const { connector: { limits, name: connector }, embedding } = options

  const one = (task: Task): Effect.Effect<Done<Prepared>, LogReadError, LogReader> =>
    Effect.flatMap(
      prepare(options)(task),
      (done): Effect.Effect<Done<Prepared>> =>
        Either.isLeft(done)
          ? Effect.succeed(Either.left({ outcome: done.left, vectors: [] }))
          : Effect.map(claimMove(options.leaving, done.right), Either.right)
    ).pipe(Effect.tap(note({ _tag: "Fetched", connector, doc_id: task.ref.doc_id })))

  const embedAll = (batch: ReadonlyArray<Done<Prepared>>): Effect.Effect<ReadonlyArray<Done<Embedded>>> => {
    const [ended, prepared] = Arr.separate(batch)
    return Effect.map(
      embedding.embed(prepared),
      (embedded) => [...ended.map((unembedded) => Either.left(unembedded)), ...embedded]
    )
  }

  return Stream.fromIterable(tasks).pipe(
    Stream.mapEffect(one, { concurrency: limits.max_concurrent_fetches, unordered: true }),
    whatIsThere(waiting),
    Stream.mapConcat(inSteps),
    Stream.mapEffect(embedAll),
    Stream.flattenIterables,
    Stream.mapEffect(Either.match({ onLeft: keepVectors(options), onRight: commit(options) }), {
      concurrency: commitsInFlight,
      unordered: true
    }),
    Stream.tap((outcome) => note({ _tag: "Done", connector, doc_id: docIdOf(outcome) }))
  )
}
