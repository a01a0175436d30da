/**
 * Whether the server of a `connectors.yaml`'s language model is there and has the model, for `mem doctor`. It is asked for
 * its list of models, once; nothing is generated, and no text is sent.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Secrets from "../../src/config/Secrets.ts"
import type { ConnectorsFileError } from "../../src/domain/ConnectorErrors.ts"
import type { ConnectorsFile, ModelOptions } from "../../src/domain/ConnectorsFile.ts"
import { ModelStatus } from "../../src/domain/ModelStatus.ts"
import type { HttpFailure } from "../../src/http/HttpFailure.ts"
import * as Endpoint from "../HttpClient/Endpoint.ts"
import * as NodeHttp from "../HttpClient/Node.ts"
import * as Configured from "./Configured.ts"
import { Config, type Options } from "./OpenAiCompatible.ts"

const patience = Duration.seconds(5)

const decodeList = Schema.decodeUnknownOption(Schema.Struct({
  data: Schema.Array(Schema.Struct({ id: Schema.String, owned_by: Schema.optional(Schema.Unknown) }))
}))

/** Of a list of models so many are named. */
const most = 5

const few = (names: ReadonlyArray<string>): string =>
  names.length === 0
    ? "none at all"
    : names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "")

const isCalled = (id: string, model: string): boolean =>
  id === model || id === `${model}:latest` || id.endsWith(`/${model}`)

const answered = (url: string, model: string, answer: unknown): ModelStatus => {
  const listed = decodeList(answer)
  if (Option.isNone(listed)) {
    return new ModelStatus({ model, remark: `${url} answers, and does not say which models it has` })
  }
  const { data } = listed.value
  if (data.some(({ id }) => isCalled(id, model))) return new ModelStatus({ model, remark: `${url} has it` })
  // It runs a single model, whatever name a request gives it.
  if (data.some(({ owned_by }) => owned_by === "llamacpp")) {
    return new ModelStatus({ model, remark: `${url} runs ${few(data.map(({ id }) => id))}, which answers to any name` })
  }
  return new ModelStatus({
    model,
    problem: {
      detail: `${url} does not have it; it has ${few(data.map(({ id }) => id))}`,
      advice: "fetch it there (Ollama: \"ollama pull\"), or name one that it has under \"model\" in connectors.yaml"
    }
  })
}

const refused = (url: string, { api_key, model }: Options, { detail, reason, status }: HttpFailure): ModelStatus => {
  if (status === 401 || status === 403) {
    return new ModelStatus({
      model,
      problem: {
        detail: `${url} wants another key: ${detail}`,
        advice: api_key === undefined
          ? "write \"api_key\" under \"model\" in connectors.yaml, with the name of an environment variable that holds it"
          : "check what the variable holds that \"api_key\" in connectors.yaml names"
      }
    })
  }
  // Not every server lists its models, and what is answered is no list of everybody's.
  if (reason === "unreadable" || status !== undefined && status < 500) {
    return new ModelStatus({ model, remark: `${url} answers, and does not say which models it has (${detail})` })
  }
  return new ModelStatus({
    model,
    problem: {
      detail: `${url}: ${detail}`,
      advice:
        "start its server, or mend \"base_url\" under \"model\" in connectors.yaml; until then sessions are archived "
        + "and wait to be read into memory, and \"mem ask\" fails"
    }
  })
}

/**
 * Asks the server that these options name.
 *
 * @since 0.1.0
 * @category probing
 */
export const probe = (options: Options): Effect.Effect<ModelStatus, never, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const endpoint = yield* Endpoint.make({ ...Endpoint.defaultOptions, ...options, timeout: patience })
    return yield* Effect.match(endpoint.get("/models", Schema.Unknown), {
      onFailure: (failure) => refused(endpoint.url, options, failure),
      onSuccess: (answer) => answered(endpoint.url, options.model, answer)
    })
  })

const decode = Schema.decodeUnknown(Config)

/**
 * Asks the server of the file's model. A mistake of the file is an error, as is a key that is not there.
 *
 * @since 0.1.0
 * @category probing
 */
export const status = (
  file: ConnectorsFile,
  options: ModelOptions
): Effect.Effect<ModelStatus, ConnectorsFileError> =>
  Effect.gen(function*() {
    yield* Configured.make(file, options)
    const resolved = yield* Effect.orDie(Secrets.resolve(options.options))
    const config = yield* Effect.orDie(decode(Redacted.value(resolved.options)))
    const hide = Secrets.hide([...resolved.secrets, ...Secrets.secretsIn(config)])
    const { model, problem, remark } = yield* Effect.provide(probe(config), NodeHttp.layer)
    return new ModelStatus({
      model: hide(model),
      remark: remark === undefined ? undefined : hide(remark),
      problem: problem === undefined ? undefined : { detail: hide(problem.detail), advice: problem.advice }
    })
  })
