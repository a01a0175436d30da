/**
 * An embedder behind Ollama's own interface. Ollama is told to refuse what is too long instead of cutting it off in
 * silence.
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

const Embeddings = Schema.Struct({ embeddings: Schema.Array(Schema.Array(Schema.NullOr(Schema.Number))) })

const Models = Schema.Struct({ models: Schema.Array(Schema.Struct({ name: Schema.String })) })

const dialect: Embedding.Dialect = {
  kind: "ollama",
  max_tokens: 2000,
  ask: (endpoint, { dims, model, shorten }) => (input) =>
    Effect.map(
      endpoint.post(
        "/api/embed",
        { model, input, truncate: false, ...(shorten === true ? { dimensions: dims } : {}) },
        Embeddings
      ),
      ({ embeddings }) => Either.right(embeddings)
    )
}

/**
 * Where Ollama listens unless it is told otherwise.
 *
 * @since 0.1.0
 * @category options
 */
export const defaultUrl = "http://localhost:11434"

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

const lacking = (model: string) => ({ models }: typeof Models.Type): string | undefined =>
  models.some(({ name }) => name === model || name === `${model}:latest`)
    ? undefined
    : `it has no model ${JSON.stringify(model)}; "ollama pull ${model}" fetches it`

/**
 * How it is configured: `embedder: { kind: ollama, model, dims }`, with `base_url` if it is not on this machine.
 *
 * @since 0.1.0
 * @category kinds
 */
export const kind: RegisteredEmbedder = embedderKind({
  kind: dialect.kind,
  remark: "ollama sends the text of every passage, and every search, to the server at its base_url",
  config: Schema.Struct({
    base_url: Schema.optionalWith(BaseUrl, { exact: true, default: () => defaultUrl }),
    ...fields
  }),
  make: (config) => Effect.provide(make(config), NodeHttp.layer),
  engines: (config) => Effect.provide(probe(config, "/api/tags", Models, lacking(config.model)), NodeHttp.layer)
})
