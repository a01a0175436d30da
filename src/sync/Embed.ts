/**
 * The embedding stage of a sync: one embedder, one call at a time, over the borders of documents and of connectors. It
 * asks only for what is in no log line yet, and never twice within a run.
 *
 * A vector is held until it is on disk. Until then each document that needs it brings it along, so none counts on
 * another's being stored first; the log's writer writes it once.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"
import { Embedder } from "../../services/Embedder.ts"
import { SyncObserver } from "../../services/SyncObserver.ts"
import { type ConnectorName, EmbedderFingerprint, type Sha256 } from "../domain/Ids.ts"
import type { Vector } from "../domain/Reference.ts"
import type { Piece } from "./DocumentPolicy.ts"
import { type Answer, ask } from "./EmbedCall.ts"
import { type Embedded, Outcome, type Prepared } from "./Work.ts"

/**
 * What reached the embedder, and what did not have to.
 *
 * @since 0.1.0
 * @category models
 */
export interface EmbedCounts {
  readonly embed_texts: number
  readonly embed_calls: number
  readonly reused: number
}

/**
 * A document that ended here, with the vectors of its other texts: they are paid for, and worth keeping.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unembedded {
  readonly outcome: Outcome
  readonly vectors: ReadonlyArray<Vector>
}

/**
 * The stage as a connector sees it.
 *
 * @since 0.1.0
 * @category models
 */
export interface EmbedStage {
  /**
   * Documents in, in the order that they come, each with the vectors that its group has to bring along; or failed by
   * the first of its texts that has none.
   */
  readonly embed: (
    documents: ReadonlyArray<Prepared>
  ) => Effect.Effect<ReadonlyArray<Either.Either<Embedded, Unembedded>>>
  /** These vectors are on disk: nobody has to bring them along any more. */
  readonly stored: (vectors: ReadonlyArray<Vector>) => void
  readonly counts: Effect.Effect<EmbedCounts>
}

/**
 * @since 0.1.0
 * @category constants
 */
export const nothing: EmbedCounts = { embed_texts: 0, embed_calls: 0, reused: 0 }

/** The embedder of commits whose passages have no vectors. */
const none = EmbedderFingerprint.make("none")

const hasText = ({ text }: Piece): boolean => text !== ""

/** What a run knows of its texts. */
interface Memory {
  /** Their vectors are on disk. */
  readonly durable: Set<Sha256>
  /** Their vectors are in this run's hands. */
  readonly held: Map<Sha256, Vector>
}

/** A document that only lacks the vectors which nobody can make now stays as it is. */
const withoutVectors = (document: Prepared, vectors: ReadonlyArray<Vector>): Either.Either<Embedded, Unembedded> => {
  const { entry, onlyVectors, ref, revision } = document
  if (!onlyVectors || entry === undefined) return Either.right({ document, vectors, embedder: none })
  return entry.source_uri === ref.source_uri
    ? Either.left({ outcome: Outcome.Same({ entry, revision }), vectors })
    : Either.right({ document, vectors, embedder: entry.embedder ?? none })
}

/**
 * The stage of one run, shared by its connectors.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<(connector: ConnectorName) => Effect.Effect<EmbedStage>, never, Embedder> = Effect.gen(
  function*() {
    const embedder = yield* Embedder
    const observer = yield* SyncObserver
    const turn = yield* Effect.makeSemaphore(1)
    const memory: Memory = { durable: new Set(), held: new Map() }
    const call = yield* ask(embedder)

    /** Those that have no vector yet, each once. */
    const unknown = (pieces: ReadonlyArray<Piece>): Effect.Effect<ReadonlyArray<Piece>> =>
      Effect.gen(function*() {
        const wanted = [
          ...new Map(
            pieces.filter((piece) =>
              hasText(piece) && !memory.durable.has(piece.embed_sha256) && !memory.held.has(piece.embed_sha256)
            ).map((piece) => [piece.embed_sha256, piece])
          ).values()
        ]
        const texts = wanted.map(({ text }) => text)
        const missing = new Set(yield* Effect.orElseSucceed(embedder.missing(texts), () => texts))
        for (const { embed_sha256, text } of wanted) if (!missing.has(text)) memory.durable.add(embed_sha256)
        return wanted.filter(({ text }) => missing.has(text))
      })

    /** Puts a document together from what its texts were answered. */
    const assemble =
      (answers: ReadonlyMap<Sha256, Answer>) => (document: Prepared): Either.Either<Embedded, Unembedded> => {
        const own = [...new Set(document.pieces.filter(hasText).map(({ embed_sha256 }) => embed_sha256))]
        const vectors = own.flatMap((sha) => memory.held.get(sha) ?? [])
        const lacking = own.filter((sha) => !memory.durable.has(sha) && !memory.held.has(sha))
        for (const sha of lacking) {
          const answer = answers.get(sha)
          if (answer?._tag !== "Refused") continue
          const { message, retryable } = answer
          return Either.left({
            outcome: Outcome.Failed({ ref: document.ref, error: "embed", message, retryable }),
            vectors
          })
        }
        return lacking.length > 0
          ? withoutVectors(document, vectors)
          : Either.right({ document, vectors, embedder: embedder.fingerprint })
      }

    return (connector) =>
      Effect.map(Ref.make(nothing), (counts): EmbedStage => {
        const add = (more: EmbedCounts) =>
          Ref.update(counts, (before) => ({
            embed_texts: before.embed_texts + more.embed_texts,
            embed_calls: before.embed_calls + more.embed_calls,
            reused: before.reused + more.reused
          }))

        const embed = (documents: ReadonlyArray<Prepared>) =>
          Effect.gen(function*() {
            if (embedder.fingerprint === none) return documents.map((document) => withoutVectors(document, []))
            const pieces = documents.flatMap(({ pieces }) => pieces).filter(hasText)
            const asked = yield* unknown(pieces)
            if (asked.length > 0) yield* observer.note({ _tag: "Embedding", connector, texts: asked.length })
            const { answers, calls } = yield* call(asked)
            const came = [...answers.values()].flatMap((answer) => answer._tag === "Made" ? [answer.vector] : [])
            for (const vector of came) memory.held.set(vector.embed_sha256, vector)
            if (asked.length > 0) yield* observer.note({ _tag: "Embedded", connector, texts: asked.length })
            yield* add({ ...calls, reused: pieces.length - asked.length })
            return documents.map(assemble(answers))
          }).pipe(turn.withPermits(1))

        const stored = (vectors: ReadonlyArray<Vector>): void => {
          for (const { embed_sha256 } of vectors) {
            memory.durable.add(embed_sha256)
            memory.held.delete(embed_sha256)
          }
        }

        return { embed, stored, counts: Ref.get(counts) }
      })
  }
)
