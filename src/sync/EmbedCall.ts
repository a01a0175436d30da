/**
 * Asks the embedder, in batches: each that fails is tried again by itself, and fails no other.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import type { Embedder } from "../../services/Embedder.ts"
import type { EmbedderError, EmbedderUnavailable, EmbedRefused } from "../domain/EmbedderErrors.ts"
import type { Sha256 } from "../domain/Ids.ts"
import { Vector } from "../domain/Reference.ts"
import * as Float32 from "../log/Float32.ts"

/**
 * A text to be embedded, and its sha256.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wanted {
  readonly text: string
  readonly embed_sha256: Sha256
}

/**
 * What became of a text: it has its vector; or why it has none, which fails the document that holds it; or there is no
 * embedder on this machine, which is nobody's failure.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer =
  | { readonly _tag: "Made"; readonly vector: Vector }
  | { readonly _tag: "Refused"; readonly message: string; readonly retryable: boolean }
  | { readonly _tag: "Unavailable" }

/**
 * The answers by text, and what reached the embedder for them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answered {
  readonly answers: ReadonlyMap<Sha256, Answer>
  readonly calls: { readonly embed_texts: number; readonly embed_calls: number }
}

/** Texts of a call, at most. */
const batchTexts = 64

const retries = Schedule.exponential("500 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(4)),
  Schedule.whileInput((error: EmbedderError | EmbedderUnavailable) => error._tag === "EmbedderError" && error.retryable)
)

const unavailable: Answer = { _tag: "Unavailable" }

const refused = (message: string, retryable = true): Answer => ({ _tag: "Refused", message, retryable })

const answerOf = (
  { dims, fingerprint }: Embedder["Type"],
  { embed_sha256 }: Wanted,
  answer: Either.Either<Float32Array, EmbedRefused> | undefined
): Answer => {
  if (answer === undefined) return refused("the embedder left out an answer")
  if (Either.isLeft(answer)) return refused(answer.left.message, answer.left.retryable)
  const values = answer.right
  if (values.length !== dims) {
    return refused(`the embedder answered with ${values.length} values, it had declared ${dims}`)
  }
  const vector = new Vector({ embed_sha256, model: fingerprint, dims, data: Float32.encode(values) })
  return { _tag: "Made", vector }
}

/**
 * A way to ask for the vectors of distinct texts. Once the embedder has turned out not to be there, which is said
 * aloud, it is not asked again.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ask = (
  embedder: Embedder["Type"]
): Effect.Effect<(pieces: ReadonlyArray<Wanted>) => Effect.Effect<Answered>> =>
  Effect.map(Ref.make(false), (gone) => {
    const batch = (pieces: ReadonlyArray<Wanted>, calls: Ref.Ref<Answered["calls"]>) =>
      Effect.gen(function*() {
        if (yield* Ref.get(gone)) return pieces.map(() => unavailable)
        const count = Ref.update(calls, ({ embed_calls, embed_texts }) => ({
          embed_calls: embed_calls + 1,
          embed_texts: embed_texts + pieces.length
        }))
        const answers = yield* Effect.tapBoth(embedder.embed(pieces.map(({ text }) => text)), {
          onFailure: ({ _tag }) => _tag === "EmbedderError" ? count : Effect.void,
          onSuccess: () => count
        })
        return pieces.map((piece, i) => answerOf(embedder, piece, answers[i]))
      }).pipe(
        Effect.retry(retries),
        Effect.catchTags({
          // Not the texts are to blame: with the embedder mended, the next sync embeds them.
          EmbedderError: ({ message }) => Effect.succeed(pieces.map(() => refused(message))),
          EmbedderUnavailable: ({ message }) =>
            Effect.logWarning(message).pipe(
              Effect.zipRight(Ref.set(gone, true)),
              Effect.as(pieces.map(() => unavailable))
            )
        })
      )

    return (pieces) =>
      Effect.gen(function*() {
        const calls = yield* Ref.make({ embed_texts: 0, embed_calls: 0 })
        const answers = yield* Effect.forEach(Arr.chunksOf(pieces, batchTexts), (some) => batch(some, calls))
        return {
          answers: new Map(
            Arr.zipWith(pieces, answers.flat(), ({ embed_sha256 }, answer) => [embed_sha256, answer] as const)
          ),
          calls: yield* Ref.get(calls)
        }
      })
  })
