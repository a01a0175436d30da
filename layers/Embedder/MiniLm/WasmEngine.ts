/**
 * The engine without native code, for where none loads: candle as WebAssembly, of the package @lat.md/embed. Ten times
 * slower, the same vectors.
 *
 * The package embeds texts, cuts them in silence and reads `[CLS]` as a special token. So it is given pieces: below its
 * own interface lies one that takes the tokenizer as a file, and the tokenizer made here reads a piece's number as that
 * piece. It is no public one, hence the exact version in the package's dependencies, and the check of every engine.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { exportsOf, type LoadEngine, type Run, unusable } from "../Local/Engine.ts"
import * as Model from "./Model.ts"
import { opening } from "./Opening.ts"

interface Wasm {
  readonly Embedder: new(
    weights: Uint8Array,
    tokenizer: Uint8Array,
    config: Uint8Array,
    maxTokens: number
  ) => { readonly embed: (texts: ReadonlyArray<string>) => ReadonlyArray<ReadonlyArray<number>> }
}

const isWasm = (module: unknown): module is Wasm =>
  Predicate.hasProperty(module, "Embedder") && Predicate.isFunction(module.Embedder)

const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value))

/** Words are numbers, each its own id. */
const tokenizer = () =>
  json({
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: "WhitespaceSplit" },
    post_processor: null,
    decoder: null,
    model: {
      type: "WordLevel",
      vocab: Object.fromEntries(Array.from({ length: Model.vocabulary }, (_, id) => [String(id), id])),
      unk_token: "0"
    }
  })

const config = () =>
  json({
    model_type: "bert",
    architectures: ["BertModel"],
    vocab_size: Model.vocabulary,
    hidden_size: Model.dims,
    num_hidden_layers: Model.layers,
    num_attention_heads: Model.heads,
    intermediate_size: Model.intermediate,
    hidden_act: "gelu",
    hidden_dropout_prob: 0,
    attention_probs_dropout_prob: 0,
    max_position_embeddings: Model.positions,
    type_vocab_size: 2,
    initializer_range: 0.02,
    layer_norm_eps: Model.layerNormEpsilon,
    pad_token_id: 0,
    position_embedding_type: "absolute"
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const load: LoadEngine = async ({ module }) => {
  const wasm = exportsOf(await import(new URL("./engine.cjs", import.meta.resolve(module)).href)).find(isWasm)
  if (wasm === undefined) return Either.left(`the package ${module} is not what it should be`)
  const open = opening(async (weights) => {
    const embedder = new wasm.Embedder(weights, tokenizer(), config(), Model.maxTokens)
    // One at a time: in a batch it would compute what the mask hides.
    const run: Run = async (sequences) =>
      Float32Array.from(sequences.flatMap((sequence) => embedder.embed([sequence.join(" ")]).flat()))
    return Either.right(run)
  })
  return Either.right({
    open: async (model) => model._tag === "MiniLm" ? open(model) : Either.left(unusable("it reads no ONNX files"))
  })
}
