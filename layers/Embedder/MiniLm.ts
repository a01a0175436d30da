/**
 * The default embedder: the sentence transformer all-MiniLM-L6-v2, on this machine, without network, key or server. It
 * knows English.
 *
 * Building the layer reads the tokenizer alone. Weights, engine and process come with the first text that is embedded,
 * once; who only counts, drifts or reads never pays for them.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Embedder } from "../../services/Embedder.ts"
import { embedderKind, type RegisteredEmbedder } from "../../src/config/embedderKind.ts"
import { type EmbedderError, EmbedRefused } from "../../src/domain/EmbedderErrors.ts"
import { EmbedderFingerprint } from "../../src/domain/Ids.ts"
import { wholeNumber } from "../../src/domain/Numbers.ts"
import * as WordPiece from "../TokenCounter/WordPiece.ts"
import { batches } from "./Local/Batches.ts"
import * as Engines from "./Local/Engines.ts"
import * as Session from "./Local/Session.ts"
import { mean, windows } from "./Local/Windows.ts"
import * as Model from "./MiniLm/Model.ts"
import * as ModelFiles from "./MiniLm/ModelFiles.ts"

/**
 * `engines` are tried in this order. `files` are those of the weights package unless given.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly engines: ReadonlyArray<Engines.Engine>
  readonly files?: ModelFiles.ModelFiles
}

/**
 * The native engine, with one thread, else the one in WebAssembly.
 *
 * @since 0.1.0
 * @category options
 */
export const defaultOptions: Options = { engines: [Engines.onnx(), Engines.wasm()] }

/**
 * Model, precision, dimensions, cap, weights. The engine does not belong in it: all of them make the same vectors but
 * for the last bits.
 *
 * @since 0.1.0
 * @category constants
 */
export const fingerprint = EmbedderFingerprint.make(
  `minilm-l6-v2/fp32/${Model.dims}/${Model.maxTokens}tok/${Model.sha256.weights}`
)

type Answer = Either.Either<Float32Array, EmbedRefused>

const answerOf = (vectors: ReadonlyArray<Float32Array>): Answer =>
  Either.fromNullable(
    mean(vectors),
    () => new EmbedRefused({ detail: "the model finds no direction in it", retryable: false })
  )

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  { engines, files }: Options = defaultOptions
): Effect.Effect<Embedder["Type"], EmbedderError, Scope.Scope> =>
  Effect.gen(function*() {
    const { tokenizer: file, weights } = files ?? (yield* ModelFiles.locate)
    const tokenizer = yield* WordPiece.load(file)
    const session = yield* Session.make(Engines.start(engines, weights))

    const windowsOf = (text: string) =>
      Effect.sync(() => windows(tokenizer.encode(text)).map((sequence) => ({ text, sequence }))).pipe(
        // A long text takes its time; others have their turn before the next one.
        Effect.zipLeft(Effect.yieldNow())
      )

    const embed: Embedder["Type"]["embed"] = (texts) =>
      Effect.gen(function*() {
        const { run } = yield* session
        const vectors = new Map(texts.map((text) => [text, new Array<Float32Array>()]))
        const windowed = yield* Effect.forEach(vectors.keys(), windowsOf)
        for (const batch of batches(windowed.flat())) {
          const found = yield* run(batch.map(({ sequence }) => sequence))
          Arr.zip(batch, found).forEach(([{ text }, vector]) => vectors.get(text)?.push(vector))
        }
        return texts.map((text) => answerOf(vectors.get(text) ?? []))
      })

    return Embedder.of({
      fingerprint,
      dims: Model.dims,
      counter: WordPiece.counterOf(tokenizer),
      missing: Effect.succeed,
      embed: (texts) => texts.length === 0 ? Effect.succeed([]) : embed(texts)
    })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = defaultOptions): Layer.Layer<Embedder, EmbedderError> =>
  Layer.scoped(Embedder, make(options))

const enginesOf = ({ threads }: { readonly threads: number }): ReadonlyArray<Engines.Engine> => [
  Engines.onnx({ threads }),
  Engines.wasm()
]

/**
 * How it is configured: `embedder: { kind: minilm }`, with `threads` from 1 to 64 if not 1.
 *
 * @since 0.1.0
 * @category kinds
 */
export const kind: RegisteredEmbedder = embedderKind({
  kind: "minilm",
  remark: "minilm knows English: texts in other languages are found by their words, not by their meaning",
  config: Schema.Struct({ threads: Schema.optionalWith(wholeNumber(1, 64), { default: () => 1 }) }),
  make: (config) => make({ engines: enginesOf(config) }),
  engines: (config) => Engines.probe(enginesOf(config))
})
