/**
 * An embedder behind a server that speaks OpenAI's embeddings: llama.cpp, vLLM, LM Studio, text-embeddings-inference, or
 * one in the cloud. Every text that is embedded goes to that server.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Embedder } from "../../services/Embedder.ts"
import { embedderKind, type RegisteredEmbedder } from "../../src/config/embedderKind.ts"
import { BaseUrl } from "../../src/http/BaseUrl.ts"
import * as NodeHttp from "../HttpClient/Node.ts"
import { fields, type Options } from "./Remote/Config.ts"
import * as Embedding from "./Remote/Embedding.ts"
import { probe } from "./Remote/Probe.ts"
import type { Values } from "./Remote/Vectors.ts"

const Embeddings = Schema.Struct({
  data: Schema.Array(Schema.Struct({
    index: Schema.optional(Schema.Number),
    embedding: Schema.Array(Schema.NullOr(Schema.Number))
  }))
})

/** By their index, whatever their order. One that does not say it is where it stands. */
const inOrder = ({ data }: typeof Embeddings.Type): Either.Either<ReadonlyArray<Values>, string> => {
  const found = new Map(data.map(({ embedding, index }, i) => [index ?? i, embedding] as const))
  const ordered = data.flatMap((_, i) => {
    const values = found.get(i)
    return values === undefined ? [] : [values]
  })
  return ordered.length === data.length ? Either.right(ordered) : Either.left("its vectors are numbered wrongly")
}

const dialect: Embedding.Dialect = {
  kind: "openai-compatible",
  // Those of OpenAI read 8191.
  max_tokens: 8000,
  ask: (endpoint, { dims, model, shorten }) => (input) =>
    Effect.map(
      endpoint.post("/embeddings", { model, input, ...(shorten === true ? { dimensions: dims } : {}) }, Embeddings),
      inOrder
    )
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<Embedder["Type"], never, HttpClient.HttpClient> =>
  Embedding.make(dialect, options)

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Embedder, never, HttpClient.HttpClient> =>
  Layer.effect(Embedder, make(options))

/**
 * How it is configured: `embedder: { kind: openai-compatible, base_url, model, dims, api_key: ${KEY} }`.
 *
 * @since 0.1.0
 * @category kinds
 */
export const kind: RegisteredEmbedder = embedderKind({
  kind: dialect.kind,
  remark: "openai-compatible sends the text of every passage, and every search, to its server",
  config: Schema.Struct({ base_url: BaseUrl, ...fields }),
  make: (config) => Effect.provide(make(config), NodeHttp.layer),
  engines: (config) => Effect.provide(probe(config, "/models", Schema.Unknown, () => undefined), NodeHttp.layer)
})
