/**
 * The embedding stage of a sync: one embedder, one call at a time, over the borders of documents. It asks only for what
 * is in no log line yet, and never twice within a run.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import { Embedder } from "../../services/Embedder.ts"
import type { EmbedderError, EmbedderUnavailable } from "../domain/EmbedderErrors.ts"
import { Vector } from "../domain/Reference.ts"
import * as Float32 from "../log/Float32.ts"
import type { Piece } from "./DocumentPolicy.ts"
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
 * @since 0.1.0
 * @category constants
 */
export const nothing: EmbedCounts = { embed_texts: 0, embed_calls: 0, reused: 0 }

/** Texts of a call, at most. */
const batchTexts = 64

const retries = Schedule.exponential("500 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(4)),
  Schedule.whileInput((error: EmbedderError | EmbedderUnavailable) => error._tag === "EmbedderError" && error.retryable)
)

/** Why there is no vector for a text: a document that holds it fails by this. */
interface Refusal {
  readonly message: string
  readonly retryable: boolean
}

type Answer = Either.Either<Vector, Refusal>

const batches = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))

const vectorOf = (embedder: Embedder["Type"], piece: Piece, values: Float32Array): Answer =>
  values.length === embedder.dims
    ? Either.right(
      new Vector({
        embed_sha256: piece.embed_sha256,
        model: embedder.fingerprint,
        dims: embedder.dims,
        data: Float32.encode(values)
      })
    )
    : Either.left({
      message: `the embedder answered with ${values.length} values, it had declared ${embedder.dims}`,
      retryable: true
    })

/** One call. A batch that fails, after its retries, fails each of its texts, and no other batch. */
const call = (
  embedder: Embedder["Type"],
  pieces: ReadonlyArray<Piece>,
  count: Effect.Effect<void>
): Effect.Effect<ReadonlyArray<Answer>> =>
  Effect.zipRight(count, embedder.embed(pieces.map(({ text }) => text))).pipe(
    Effect.retry(retries),
    Effect.map((answers) =>
      pieces.map((piece, i): Answer =>
        Option.match(Option.fromNullable(answers[i]), {
          onNone: () => Either.left({ message: "the embedder left out an answer", retryable: true }),
          onSome: Either.match({
            onLeft: ({ message, retryable }) => Either.left({ message, retryable }),
            onRight: (values) => vectorOf(embedder, piece, values)
          })
        })
      )
    ),
    // Not the texts are to blame: with the embedder mended, the next sync embeds them.
    Effect.catchAll(
      ({ message }) => Effect.succeed(pieces.map((): Answer => Either.left({ message, retryable: true })))
    )
  )

/**
 * The stage for one run: documents in, in the order that they come, each with the vectors that its group has to bring
 * along; or failed by the first of its texts that has none.
 *
 * @since 0.1.0
 * @category stages
 */
export const make = Effect.gen(function*() {
  const embedder = yield* Embedder
  const counts = yield* Ref.make(nothing)
  /** Texts whose vector is in a group of this run already, or in the log. */
  const known = new Set<string>()

  const add = (more: EmbedCounts) =>
    Ref.update(counts, (before) => ({
      embed_texts: before.embed_texts + more.embed_texts,
      embed_calls: before.embed_calls + more.embed_calls,
      reused: before.reused + more.reused
    }))

  const answersFor = (pieces: ReadonlyArray<Piece>) =>
    Effect.gen(function*() {
      const distinct = new Map(
        pieces.filter(({ embed_sha256, text }) => text !== "" && !known.has(embed_sha256))
          .map((piece) => [piece.embed_sha256, piece])
      )
      const wanted = [...distinct.values()]
      const missing = new Set(
        yield* Effect.catchTag(embedder.missing(wanted.map(({ text }) => text)), "EmbedderError", () =>
          Effect.succeed(wanted.map(({ text }) =>
            text
          )))
      )
      for (const { embed_sha256, text } of wanted) if (!missing.has(text)) known.add(embed_sha256)
      const asked = wanted.filter(({ text }) => missing.has(text))
      const calls = batches(asked, batchTexts)
      const answers = (yield* Effect.forEach(
        calls,
        (batch) => call(embedder, batch, add({ embed_texts: batch.length, embed_calls: 1, reused: 0 }))
      )).flat()
      yield* add({
        embed_texts: 0,
        embed_calls: 0,
        reused: pieces.filter(({ text }) => text !== "").length - asked.length
      })
      return new Map(asked.map((piece, i) => [piece.embed_sha256, answers[i]]))
    })

  const embed = (documents: ReadonlyArray<Prepared>): Effect.Effect<ReadonlyArray<Either.Either<Embedded, Outcome>>> =>
    Effect.gen(function*() {
      const answers = yield* answersFor(documents.flatMap(({ pieces }) => pieces))
      return documents.map((document) => {
        const own = document.pieces.flatMap(({ embed_sha256, text }) => {
          const answer = text === "" || known.has(embed_sha256) ? undefined : answers.get(embed_sha256)
          return answer === undefined ? [] : [answer]
        })
        const refused = own.find(Either.isLeft)
        if (refused !== undefined) {
          const { message, retryable } = refused.left
          return Either.left(Outcome.Failed({ ref: document.ref, error: "embed", message, retryable }))
        }
        const vectors = new Map(own.filter(Either.isRight).map(({ right }) => [right.embed_sha256, right]))
        for (const sha of vectors.keys()) known.add(sha)
        return Either.right({ document, vectors: [...vectors.values()] })
      })
    })

  return { embed, counts: Ref.get(counts), fingerprint: embedder.fingerprint }
})
