/**
 * The default embedder: the sentence transformer all-MiniLM-L6-v2, on this machine, without network, key or server. It
 * knows English.
 *
 * Building the layer reads the tokenizer alone. Weights, engine and process come with the first text that is embedded,
 * once; who only counts, drifts or reads never pays for them.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Embedder } from "../../services/Embedder.ts"
import { embedderKind, type RegisteredEmbedder } from "../../src/config/embedderKind.ts"
import type { EmbedderError } from "../../src/domain/EmbedderErrors.ts"
import { EmbedderFingerprint } from "../../src/domain/Ids.ts"
import { wholeNumber } from "../../src/domain/Numbers.ts"
import * as WordPiece from "../TokenCounter/WordPiece.ts"
import * as Embedding from "./Local/Embedding.ts"
import * as Engines from "./Local/Engines.ts"
import { windows } from "./Local/Windows.ts"
import { name, unusableFile } from "./MiniLm/Failure.ts"
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

const windowed = windows(Model.frame)

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
    const embedding = yield* Embedding.make(engines, {
      embedder: name,
      dims: Model.dims,
      model: { _tag: "MiniLm", weights },
      unusableFile
    })
    return Embedder.of({
      fingerprint,
      dims: Model.dims,
      counter: WordPiece.counterOf(tokenizer),
      missing: Effect.succeed,
      embed: embedding((text) => windowed(tokenizer.encode(text)))
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
  kind: name,
  remark: "minilm knows English: texts in other languages are found by their words, not by their meaning",
  config: Schema.Struct({ threads: Schema.optionalWith(wholeNumber(1, 64), { default: () => 1 }) }),
  make: (config) => make({ engines: enginesOf(config) }),
  engines: (config) => Engines.probe(enginesOf(config))
})
