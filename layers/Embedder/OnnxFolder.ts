/**
 * An embedder from a folder, as people download one from a hub of models: an ONNX graph, a tokenizer, and files that say
 * how to use them. It runs on this machine, offline and without a server, and is how a model for another language than
 * English comes to be used.
 *
 * Building the layer reads the folder: its settings, its tokenizer, and the sha256 of its model, which is part of the
 * fingerprint. The model itself is loaded with the first text that is embedded, once.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Embedder } from "../../services/Embedder.ts"
import { embedderKind, type RegisteredEmbedder } from "../../src/config/embedderKind.ts"
import { Origin } from "../../src/config/Origin.ts"
import type { EmbedderError } from "../../src/domain/EmbedderErrors.ts"
import { EmbedderFingerprint } from "../../src/domain/Ids.ts"
import { folderOf } from "../SourceConnector/Folder/Config.ts"
import * as TokenizerJson from "../TokenCounter/TokenizerJson.ts"
import * as Embedding from "./Local/Embedding.ts"
import * as Engines from "./Local/Engines.ts"
import type { Loadable } from "./Local/Loadable.ts"
import { Config } from "./OnnxFolder/Config.ts"
import { name, unusableFolder } from "./OnnxFolder/Failure.ts"
import * as Files from "./OnnxFolder/Files.ts"
import { textOf } from "./OnnxFolder/FolderFile.ts"
import { sequencesOf } from "./OnnxFolder/Sequences.ts"
import * as Settings from "./OnnxFolder/Settings.ts"

/**
 * Those of `connectors.yaml`, where `path` is relative to the current folder unless a file says it; and `engines`: native
 * code unless they are given, for the engine in WebAssembly reads no ONNX files.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options extends Omit<Config, "threads"> {
  readonly engines?: ReadonlyArray<Engines.Engine>
}

/** Pieces of a text that a window holds at least, whatever stands around them. */
const fewest = 8

interface Opened {
  readonly settings: Settings.Settings
  readonly tokenizer: TokenizerJson.TokenizerJson
  readonly files: Files.Files
}

/** A token has a byte at least, but for one that may stand for a blank before all: what is short need not be counted. */
const isLonger = (prefix: string, room: number, count: (text: string) => number): boolean =>
  Buffer.byteLength(prefix) + 1 > room && count(prefix) > room

const tokenizerOf = (
  folder: string,
  { documentPrefix, lowerCase, maxTokens, queryPrefix }: Settings.Settings
): Effect.Effect<TokenizerJson.TokenizerJson, EmbedderError> =>
  Effect.gen(function*() {
    const file = join(folder, "tokenizer.json")
    const tokenizer = yield* textOf(folder, "tokenizer.json")
    const config = yield* textOf(folder, "tokenizer_config.json")
    if (tokenizer === undefined) {
      return yield* unusableFolder(`there is no ${file}`, "download it too: a model without one cannot be used here")
    }
    const found = yield* Effect.mapError(
      TokenizerJson.make({ tokenizer, config, lowerCase }),
      (what) => unusableFolder(`${file} is ${what}`)
    )
    const room = maxTokens - fewest - found.before.length - found.behind.length
    const long = [queryPrefix, documentPrefix].find((prefix) => isLonger(prefix, room, found.counter.count))
    return long === undefined ? found : yield* unusableFolder(
      `the prefix ${JSON.stringify(long)} leaves no room in the ${maxTokens} tokens that the model reads at once`,
      "raise max_tokens in connectors.yaml, or shorten query_prefix or document_prefix"
    )
  })

const open = (folder: string, options: Options): Effect.Effect<Opened, EmbedderError> =>
  Effect.gen(function*() {
    yield* Files.checkFolder(folder)
    const settings = yield* Settings.read(folder, options)
    const tokenizer = yield* tokenizerOf(folder, settings)
    return { settings, tokenizer, files: yield* Files.read(folder, options.model) }
  })

const opened = (options: Options): Effect.Effect<Opened, EmbedderError> =>
  Effect.flatMap(Origin, (origin) => open(folderOf(options.path, origin), options))

/** The prefix of queries is no part of it: no vector that is kept has to do with that. */
const fingerprintOf = ({ files: { graph, weights }, settings, tokenizer }: Opened): EmbedderFingerprint => {
  const { dims, documentPrefix, maxTokens, pooling } = settings
  const files = [graph, ...weights].map(({ sha256 }) => sha256)
  const sha256 = createHash("sha256")
    .update(JSON.stringify([files, tokenizer.counter.fingerprint, documentPrefix]))
    .digest("hex")
  return EmbedderFingerprint.make([name, pooling, dims, `${maxTokens}tok`, sha256].join("/"))
}

const loadableOf = ({ files: { graph, weights }, settings: { dims, pooling }, tokenizer }: Opened): Loadable => ({
  embedder: name,
  dims,
  model: {
    _tag: "Onnx",
    graph,
    weights,
    pooling,
    dims,
    sample: tokenizer.sample
  },
  unusableFile: unusableFolder
})

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<Embedder["Type"], EmbedderError, Scope.Scope> =>
  Effect.gen(function*() {
    const { engines = [Engines.onnx()] } = options
    const model = yield* opened(options)
    const { settings: { dims, documentPrefix, maxTokens, queryPrefix }, tokenizer } = model
    const embedding = yield* Embedding.make(engines, loadableOf(model))
    return Embedder.of({
      fingerprint: fingerprintOf(model),
      dims,
      counter: tokenizer.counter,
      missing: Effect.succeed,
      embed: embedding(sequencesOf(tokenizer, maxTokens, documentPrefix)),
      ...(queryPrefix === documentPrefix ? {} : {
        embedQueries: embedding(sequencesOf(tokenizer, maxTokens, queryPrefix))
      })
    })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Embedder, EmbedderError> => Layer.scoped(Embedder, make(options))

const enginesOf = ({ threads }: Config): ReadonlyArray<Engines.Engine> => [Engines.onnx({ threads })]

/**
 * How it is configured: `embedder: { kind: onnx-folder, path: ./models/bge-small }`, and what the folder does not say.
 *
 * @since 0.1.0
 * @category kinds
 */
export const kind: RegisteredEmbedder = embedderKind({
  kind: name,
  config: Config,
  make: (config) => make({ ...config, engines: enginesOf(config) }),
  engines: (config) =>
    Effect.flatMap(opened(config), (model) => Engines.probeWith(enginesOf(config), loadableOf(model)))
})
