/**
 * Counts the pieces that the embedder minilm reads, by the model's own vocabulary. It is that embedder's counter: what
 * fits by it is never cut.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { TokenCounter } from "../../services/TokenCounter.ts"
import type { EmbedderError } from "../../src/domain/EmbedderErrors.ts"
import { make as makeWordPiece, type Vocabulary, type WordPiece } from "../../src/tokens/WordPiece.ts"
import * as ModelFile from "../Embedder/Local/ModelFile.ts"
import { unusableFile } from "../Embedder/MiniLm/Failure.ts"
import * as ModelFiles from "../Embedder/MiniLm/ModelFiles.ts"

/** It changes whenever the same text may be cut otherwise. */
const version = 1

const isVocabulary = (value: unknown): value is { readonly [piece: string]: number } =>
  Predicate.isRecord(value) && Object.values(value).every(Number.isSafeInteger)

/** What the file says of truncation and padding is meant for others: a text is counted whole. */
const vocabularyOf = (file: string): Either.Either<Vocabulary, string> =>
  Either.try({ try: (): unknown => JSON.parse(file), catch: () => "no JSON" }).pipe(
    Either.flatMap((json) => {
      if (!Predicate.hasProperty(json, "model")) return Either.left("without a model")
      const { model } = json
      if (!Predicate.hasProperty(model, "vocab") || !isVocabulary(model.vocab)) {
        return Either.left("without a vocabulary")
      }
      const unknown = Predicate.hasProperty(model, "unk_token") ? model.vocab[String(model.unk_token)] : undefined
      const maxWord = Predicate.hasProperty(model, "max_input_chars_per_word")
        ? model.max_input_chars_per_word
        : undefined
      return unknown === undefined || !Predicate.isNumber(maxWord)
        ? Either.left("no WordPiece model")
        : Either.right({ ids: new Map(Object.entries(model.vocab)), unknown, maxWord })
    })
  )

/**
 * A counter that also tells the pieces.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tokenizer extends WordPiece {
  readonly fingerprint: string
}

/**
 * Loads a `tokenizer.json` with this sha256.
 *
 * @since 0.1.0
 * @category constructors
 */
export const load = (file: ModelFile.ModelFile): Effect.Effect<Tokenizer, EmbedderError> =>
  Effect.promise(() => ModelFile.read(file)).pipe(
    Effect.flatMap(Either.flatMap((bytes) =>
      Either.mapLeft(
        vocabularyOf(Buffer.from(bytes).toString("utf8")),
        (what) => `${file.path} is ${what}`
      )
    )),
    Effect.mapBoth({
      onFailure: unusableFile,
      onSuccess: (vocabulary) => ({
        ...makeWordPiece(vocabulary),
        fingerprint: `wordpiece/${version}/${file.sha256}`
      })
    })
  )

/**
 * The counter without the pieces.
 *
 * @since 0.1.0
 * @category constructors
 */
export const counterOf = ({ count, fingerprint }: Tokenizer): TokenCounter["Type"] =>
  TokenCounter.of({ fingerprint, count })

/**
 * The counter of the weights package's tokenizer.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<TokenCounter["Type"], EmbedderError> = Effect.flatMap(
  ModelFiles.locate,
  ({ tokenizer }) => Effect.map(load(tokenizer), counterOf)
)

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<TokenCounter, EmbedderError> = Layer.effect(TokenCounter, make)
