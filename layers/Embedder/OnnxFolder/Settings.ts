/**
 * What a model's folder says of the model, in the files of transformers and sentence-transformers: how long its vectors
 * are, how they are pooled, what it reads at once, and what is put before questions and documents. An option goes before
 * the folder; what neither says is an error and no guess, for a wrong pooling makes vectors that look right.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import type { EmbedderError } from "../../../src/domain/EmbedderErrors.ts"
import type { Config, Pooling } from "./Config.ts"
import { unusableFolder } from "./Failure.ts"
import { contentOf } from "./FolderFile.ts"

/**
 * What is known of a model before any of it is loaded.
 *
 * @since 0.1.0
 * @category models
 */
export interface Settings {
  readonly dims: number
  readonly pooling: Pooling
  readonly maxTokens: number
  readonly queryPrefix: string
  readonly documentPrefix: string
  /** Whether texts are put in lower case before the tokenizer sees them. */
  readonly lowerCase: boolean
}

/**
 * Pieces that are read at once, unless it is said otherwise: what is longer is found less well, and memory grows with the
 * square of it.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultMaxTokens = 512

const perhaps = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const Model = Schema.Struct({
  model_type: perhaps(Schema.String),
  hidden_size: perhaps(Schema.Number),
  d_model: perhaps(Schema.Number),
  dim: perhaps(Schema.Number),
  n_embd: perhaps(Schema.Number),
  max_position_embeddings: perhaps(Schema.Number),
  n_positions: perhaps(Schema.Number)
})

const TokenizerConfig = Schema.Struct({ model_max_length: perhaps(Schema.Number) })

const SentenceBert = Schema.Struct({ max_seq_length: perhaps(Schema.Number), do_lower_case: perhaps(Schema.Boolean) })

const Modules = Schema.Array(Schema.Struct({ type: Schema.String, path: perhaps(Schema.String) }))

const PoolingConfig = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Prompts = Schema.Struct({
  prompts: perhaps(Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) })),
  default_prompt_name: perhaps(Schema.String)
})

type Modules = typeof Modules.Type

const kindOf = ({ type }: Modules[number]): string => type.slice(type.lastIndexOf(".") + 1)

/** What stands behind the transformer and is done here as well: all vectors have length 1. */
const known: ReadonlySet<string> = new Set(["Transformer", "Pooling", "Normalize"])

const modes: ReadonlyMap<string, Pooling> = new Map([
  ["pooling_mode_mean_tokens", "mean"],
  ["pooling_mode_cls_token", "cls"],
  ["pooling_mode_lasttoken", "lasttoken"]
])

const choice = "say pooling: mean, cls or lasttoken in connectors.yaml, as the model's own page has it"

/** The one pooling that the folder names. Several of them would be put one behind the other. */
const poolingOf = (
  file: string,
  config: typeof PoolingConfig.Type | undefined
): Effect.Effect<Pooling, EmbedderError> => {
  if (config === undefined) return unusableFolder(`how its vectors are pooled is not said: there is no ${file}`, choice)
  const named = config["pooling_mode"]
  const on = typeof named === "string"
    ? [named === "lasttoken" ? `pooling_mode_${named}` : `pooling_mode_${named}_token${named === "cls" ? "" : "s"}`]
    : Object.keys(config).filter((key) => key.startsWith("pooling_mode_") && config[key] === true)
  const [mode = "none of them", ...others] = on
  const pooling = modes.get(mode)
  return pooling === undefined || others.length > 0
    ? unusableFolder(
      `${file} asks for a pooling that is not known here: ${on.length === 0 ? mode : on.join(", ")}`,
      "choose a model whose pooling is mean, cls or lasttoken, or say one of them in connectors.yaml"
    )
    : Effect.succeed(pooling)
}

/** Of these, the first places of the table stand for no place. */
const offsets: ReadonlyMap<string, number> = new Map(
  ["roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet"].map((type) => [type, 2])
)

const firstNumber = (...values: ReadonlyArray<number | null | undefined>): number | undefined =>
  values.find((value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value > 0)

const firstText = (...values: ReadonlyArray<string | null | undefined>): string =>
  values.find((value): value is string => typeof value === "string") ?? ""

const checkModules = (file: string, modules: Modules | undefined): Effect.Effect<void, EmbedderError> => {
  const other = modules?.map(kindOf).find((kind) => !known.has(kind))
  return other === undefined ? Effect.void : unusableFolder(
    `${file} has a module ${other}, which is not known here, so its vectors would be others`,
    "choose another model, or one whose graph answers whole texts, and say pooling: none"
  )
}

/**
 * What options and folder say together.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (folder: string, options: Omit<Config, "threads">): Effect.Effect<Settings, EmbedderError> =>
  Effect.gen(function*() {
    const model = yield* contentOf(folder, "config.json", Model)
    const tokenizer = yield* contentOf(folder, "tokenizer_config.json", TokenizerConfig)
    const sentence = yield* contentOf(folder, "sentence_bert_config.json", SentenceBert)
    const modules = yield* contentOf(folder, "modules.json", Modules)
    const spoken = yield* contentOf(folder, "config_sentence_transformers.json", Prompts)
    const poolingFile = join(
      modules?.find((module) => kindOf(module) === "Pooling")?.path ?? "1_Pooling",
      "config.json"
    )
    const pooled = yield* contentOf(folder, poolingFile, PoolingConfig)

    if (options.pooling !== "none") yield* checkModules(join(folder, "modules.json"), modules)
    const pooling = options.pooling ?? (yield* poolingOf(join(folder, poolingFile), pooled))

    const width = pooled?.["word_embedding_dimension"] ?? pooled?.["embedding_dimension"]
    const dims = options.dims ?? firstNumber(
      typeof width === "number" ? width : undefined,
      model?.hidden_size,
      model?.d_model,
      model?.dim,
      model?.n_embd
    )
    if (dims === undefined) {
      return yield* unusableFolder(
        model === undefined
          ? `how long its vectors are is not said: there is no ${join(folder, "config.json")}`
          : `${join(folder, "config.json")} does not say how long its vectors are`,
        "download config.json too, or say dims in connectors.yaml"
      )
    }

    const table = firstNumber(model?.max_position_embeddings, model?.n_positions)
    const places = table === undefined ? Infinity : table - (offsets.get(model?.model_type ?? "") ?? 0)
    if (options.max_tokens !== undefined && options.max_tokens > places) {
      return yield* unusableFolder(
        `max_tokens is ${options.max_tokens}, but the model has places for ${places} tokens`,
        `say max_tokens: ${places} or less in connectors.yaml`
      )
    }
    const said = firstNumber(sentence?.max_seq_length, tokenizer?.model_max_length) ?? defaultMaxTokens

    const prompts = spoken?.prompts ?? {}
    const otherwise = prompts[spoken?.default_prompt_name ?? ""]
    const { document_prefix, query_prefix } = options
    const queryPrefix = firstText(query_prefix, prompts["query"], otherwise)
    const documentPrefix = firstText(
      document_prefix,
      prompts["document"],
      prompts["passage"],
      prompts["corpus"],
      otherwise
    )
    if (pooled?.["include_prompt"] === false && queryPrefix + documentPrefix !== "") {
      return yield* unusableFolder(
        `${join(folder, poolingFile)} leaves the prefix out of the pooling, which is not known here`,
        "choose another model"
      )
    }
    return {
      dims,
      pooling,
      maxTokens: options.max_tokens ?? Math.min(said, places, defaultMaxTokens),
      queryPrefix,
      documentPrefix,
      lowerCase: sentence?.do_lower_case === true
    }
  })
