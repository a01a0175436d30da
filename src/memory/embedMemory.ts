/**
 * Gives memory its vectors, so that it is found by meaning too: L0 evidence, L1 and L2, and nothing else of a session.
 * Each vector stands alone in the log and is never paid for twice.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Embedder } from "../../services/Embedder.ts"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { type AppendError, LogWriter } from "../../services/LogWriter.ts"
import { MemoryIndex } from "../../services/MemoryIndex.ts"
import type { Projection } from "../../services/Projection.ts"
import { embedSha256 } from "../chunk/Pipeline.ts"
import { EmbedderFingerprint } from "../domain/Ids.ts"
import { MemoryEmbedder } from "../domain/Memory.ts"
import type { ProjectionError } from "../domain/StoreErrors.ts"
import { catchUp } from "../sync/CatchUp.ts"
import { ask, type Wanted } from "../sync/EmbedCall.ts"

/**
 * What reached the embedder; and why the first text that has no vector has none, where the embedder is to blame.
 *
 * @since 0.1.0
 * @category models
 */
export interface EmbeddedMemory {
  readonly embed_texts: number
  readonly embed_calls: number
  readonly failure?: string
}

/**
 * @since 0.1.0
 * @category constants
 */
export const nothing: EmbeddedMemory = { embed_texts: 0, embed_calls: 0 }

const none = EmbedderFingerprint.make("none")

/** How many texts are stored with one write. */
const together = 64

const add = (sum: EmbeddedMemory, batch: EmbeddedMemory): EmbeddedMemory => {
  const failure = sum.failure ?? batch.failure
  return {
    embed_texts: sum.embed_texts + batch.embed_texts,
    embed_calls: sum.embed_calls + batch.embed_calls,
    ...failure === undefined ? {} : { failure }
  }
}

const wantedOf = (texts: ReadonlyArray<string>): ReadonlyArray<Wanted> =>
  [...new Set(texts)].map((text) => ({ text, embed_sha256: embedSha256(text) }))

const stage = Effect.gen(function*() {
  const embedder = yield* Embedder
  const { appendAlone } = yield* LogWriter
  const call = yield* ask(embedder)
  return (texts: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const missing = new Set(yield* Effect.orElseSucceed(embedder.missing(texts), () => texts))
      const { answers: made, calls } = yield* call(wantedOf(texts).filter(({ text }) => missing.has(text)))
      const answers = [...made.values()]
      const vectors = answers.flatMap((answer) =>
        answer._tag === "Made" ? [{ kind: "vector" as const, body: answer.vector }] : []
      )
      if (vectors.length > 0) yield* appendAlone(vectors)
      const failed = answers.find((answer) => answer._tag === "Refused" && answer.retryable)
      return { ...calls, ...failed?._tag === "Refused" ? { failure: failed.message } : {} }
    })
})

/**
 * Folds what the log has, embeds what of memory has no vector by this embedder, and folds that. Where there is no
 * embedder on this machine, which is said, memory is found by its words.
 *
 * @since 0.1.0
 * @category programs
 */
export const embedMemory: Effect.Effect<
  EmbeddedMemory,
  AppendError | LogReadError | ProjectionError,
  Embedder | LogReader | LogWriter | MemoryIndex | Projection
> = Effect.gen(function*() {
  const { fingerprint } = yield* Embedder
  const { embedder, unembedded } = yield* MemoryIndex
  const { appendAlone } = yield* LogWriter
  yield* catchUp
  if (fingerprint === none || Option.isNone(yield* Stream.runHead(unembedded(fingerprint)))) return nothing
  if (!Option.contains(yield* embedder, fingerprint)) {
    const body = new MemoryEmbedder({ entry: "embedder", embedder: fingerprint })
    yield* appendAlone([{ kind: "memory", body }])
    yield* catchUp
  }
  const embed = yield* stage
  const done = yield* unembedded(fingerprint).pipe(
    Stream.grouped(together),
    Stream.mapEffect((batch) => embed(Chunk.toReadonlyArray(batch))),
    Stream.runFold(nothing, add)
  )
  yield* catchUp
  return done
})
