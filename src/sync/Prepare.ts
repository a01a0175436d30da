/**
 * The document stage of a sync: fetches a document (or takes its text from the log) and cuts it into pieces. Whatever
 * goes wrong with the document is a value here; nothing else is caught.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
import { contentHash } from "../chunk/Pipeline.ts"
import { DocumentError } from "../domain/ConnectorErrors.ts"
import type { DocumentContent, DocumentRef } from "../domain/Document.ts"
import type { EmbedderFingerprint } from "../domain/Ids.ts"
import { documentKey, type Live } from "../log/Live.ts"
import { withMediaType } from "./Diff.ts"
import type { Chunking } from "./DocumentPolicy.ts"
import { textOf } from "./Unfit.ts"
import { Outcome, type Prepared, type Task } from "./Work.ts"

/**
 * What the stage works with. `live` folds the log, once, and only where a document is taken from it.
 *
 * @since 0.1.0
 * @category models
 */
export interface PrepareOptions {
  readonly connector: DocumentConnector
  readonly chunking: Chunking
  readonly live: Effect.Effect<Live, LogReadError, LogReader>
  readonly maxDocumentBytes: number
  readonly embedder: EmbedderFingerprint
  /** Lets an attempt to fetch begin when the source's own pace allows it. */
  readonly pace: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Half a second, one, two, each a little off, so that many documents do not knock again at the same moment. */
const retries = Schedule.exponential("500 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(3)),
  Schedule.whileInput(({ reason, retryable }: DocumentError) =>
    retryable && reason !== "timeout" && reason !== "unavailable"
  )
)

const fetch = (
  { connector, pace }: PrepareOptions,
  ref: DocumentRef
): Effect.Effect<DocumentContent, DocumentError> =>
  pace(Effect.timeoutFail(connector.fetch(ref), {
    duration: connector.limits.fetch_timeout,
    onTimeout: () =>
      new DocumentError({ doc_id: ref.doc_id, reason: "timeout", detail: "the fetch took too long", retryable: true })
  })).pipe(Effect.retry(retries))

const fetched = (options: PrepareOptions, task: Task) =>
  Effect.gen(function*() {
    const { chunking, maxDocumentBytes } = options
    const { ref } = task
    const content = yield* fetch(options, ref)
    const text = textOf(content.bytes, maxDocumentBytes)
    if (Either.isLeft(text)) return Either.left(Outcome.Skipped({ ref, reason: text.left, settled: true }))
    const content_hash = contentHash(content.bytes)
    const revision = content.revision ?? ref.revision
    const document = { doc_id: ref.doc_id, media_type: content.media_type }
    const pipeline = chunking.pipelineOf(document)
    const entry = task._tag === "Changed" ? task.entry : undefined
    const same = entry !== undefined && entry.content_hash === content_hash && entry.pipeline === pipeline
    const sameModel = options.embedder === "none" || entry?.embedder === options.embedder
    if (same && sameModel) return Either.left(Outcome.Same({ entry, revision }))
    return Either.right<Prepared>({
      as: ({ New: "new", Changed: same ? "stale" : "changed", Moved: "moved", Stale: "stale" } as const)[task._tag],
      ref,
      content_hash,
      pipeline,
      revision,
      media_type: ref.media_type === undefined ? content.media_type : undefined,
      meta: content.meta ?? chunking.meta(document, text.right),
      pieces: chunking.cut(document, text.right),
      onlyVectors: same,
      entry,
      from: task._tag === "Moved" ? task.from : undefined
    })
  })

/** The live passages of a document, in order, from the log. */
const references = ({ connector, live }: PrepareOptions, ref: DocumentRef) =>
  Effect.gen(function*() {
    const { at } = yield* LogReader
    const document = HashMap.get((yield* live).documents, documentKey(connector.name, ref.doc_id))
    if (Option.isNone(document)) return Option.none()
    const { commit, passages } = document.value
    const records = yield* Effect.forEach(passages, ({ position }) => at(position))
    const found = records.flatMap((record) => record.kind === "reference" ? [record.body] : [])
    return Option.some({ commit, references: found })
  })

/** From the log's own text: nothing is fetched, unless the log lacks what the manifest names. */
const stale = (options: PrepareOptions, task: Extract<Task, { readonly _tag: "Stale" }>) =>
  Effect.gen(function*() {
    const { entry, ref, why } = task
    const stored = yield* references(options, ref)
    if (Option.isNone(stored)) return yield* fetched(options, task)
    const { commit, references: passages } = stored.value
    const onlyVectors = why === "embedder"
    const document = withMediaType(ref, entry)
    const text = passages.map(({ text }) => text).join("")
    const pieces = onlyVectors
      ? passages.map((passage) => options.chunking.pieceOf(document, passage))
      : options.chunking.cut(document, text)
    return Either.right<Prepared>({
      as: "stale",
      ref,
      content_hash: entry.content_hash,
      pipeline: onlyVectors ? commit.pipeline : options.chunking.pipelineOf(document),
      revision: ref.revision ?? entry.revision,
      media_type: entry.media_type,
      meta: commit.meta ?? options.chunking.meta(document, text),
      pieces,
      onlyVectors,
      entry,
      from: undefined
    })
  })

const ended = (ref: DocumentRef, { detail, message, reason, retryable }: DocumentError): Outcome => {
  if (reason === "gone" || reason === "unavailable") return Outcome.Skipped({ ref, reason, settled: false })
  return reason === "unsupported"
    ? Outcome.Skipped({ ref, reason: detail, settled: true })
    : Outcome.Failed({ ref, error: reason, message, retryable })
}

/**
 * Prepares one document, or says how it has ended already.
 *
 * @since 0.1.0
 * @category stages
 */
export const prepare = (options: PrepareOptions) =>
(
  task: Task
): Effect.Effect<Either.Either<Prepared, Outcome>, LogReadError, LogReader> => {
  const done: Effect.Effect<Either.Either<Prepared, Outcome>, DocumentError | LogReadError, LogReader> =
    task._tag === "Stale" ? stale(options, task) : fetched(options, task)
  return Effect.catchTag(done, "DocumentError", (error) => Effect.succeed(Either.left(ended(task.ref, error))))
}
