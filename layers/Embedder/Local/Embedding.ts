/**
 * Embeds texts with a model on this machine: texts become sequences of pieces, sequences go to the engine in batches of
 * like length, and the vector of a text is the mean of its sequences'. The engine comes with the first text.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type { Embedder } from "../../../services/Embedder.ts"
import { EmbedRefused } from "../../../src/domain/EmbedderErrors.ts"
import { batches } from "./Batches.ts"
import * as Engines from "./Engines.ts"
import type { Loadable } from "./Loadable.ts"
import * as Session from "./Session.ts"
import { mean } from "./Windows.ts"

type Answer = Either.Either<Float32Array, EmbedRefused>

const answerOf = (vectors: ReadonlyArray<Float32Array>): Answer =>
  Either.fromNullable(
    mean(vectors),
    () => new EmbedRefused({ detail: "the model finds no direction in it", retryable: false })
  )

/**
 * What the model reads for a text: one sequence, or several where it is too long for one.
 *
 * @since 0.1.0
 * @category models
 */
export type SequencesOf = (text: string) => ReadonlyArray<ReadonlyArray<number>>

/**
 * One session for all, however many ways there are to read a text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  engines: ReadonlyArray<Engines.Engine>,
  loadable: Loadable
): Effect.Effect<(sequencesOf: SequencesOf) => Embedder["Type"]["embed"], never, Scope.Scope> =>
  Effect.map(Session.make(Engines.start(engines, loadable)), (session) => (sequencesOf) => {
    const sequenced = (text: string) =>
      Effect.sync(() => sequencesOf(text).map((sequence) => ({ text, sequence }))).pipe(
        // A long text takes its time; others have their turn before the next one.
        Effect.zipLeft(Effect.yieldNow())
      )

    const embed: Embedder["Type"]["embed"] = (texts) =>
      Effect.gen(function*() {
        const { run } = yield* session
        const vectors = new Map(texts.map((text) => [text, new Array<Float32Array>()]))
        const all = yield* Effect.forEach(vectors.keys(), sequenced)
        for (const batch of batches(all.flat())) {
          const found = yield* run(batch.map(({ sequence }) => sequence))
          Arr.zip(batch, found).forEach(([{ text }, vector]) => vectors.get(text)?.push(vector))
        }
        return texts.map((text) => answerOf(vectors.get(text) ?? []))
      })

    return (texts) => texts.length === 0 ? Effect.succeed([]) : embed(texts)
  })
