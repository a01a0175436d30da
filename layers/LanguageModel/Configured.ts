/**
 * The language model of a `connectors.yaml`. A kind that nobody knows and an option that is wrong are mistakes of the
 * file, and nothing is done. No secret of its options leaves it in an error.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { LanguageModel } from "../../services/LanguageModel.ts"
import { firstIssue, keyPath } from "../../src/config/KeyPath.ts"
import * as Secrets from "../../src/config/Secrets.ts"
import { ConnectorsFileError } from "../../src/domain/ConnectorErrors.ts"
import type { ConnectorsFile, ModelOptions } from "../../src/domain/ConnectorsFile.ts"
import {
  BadResponse,
  type LanguageModelError,
  ModelRefused,
  ModelUnreachable
} from "../../src/domain/LanguageModelErrors.ts"
import * as NodeHttp from "../HttpClient/Node.ts"
import * as OpenAiCompatible from "./OpenAiCompatible.ts"

const section = "model"
const known = "openai-compatible"

const decode = Schema.decodeUnknown(OpenAiCompatible.Config, { onExcessProperty: "error" })

const mistake = (file: ConnectorsFile, path: ReadonlyArray<PropertyKey>, detail: string): ConnectorsFileError =>
  new ConnectorsFileError({
    file: file.file,
    line: file.lineOf([section, ...path]),
    key_path: keyPath([section, ...path]),
    detail
  })

// A foreign cause is dropped: nobody can say where in it a key is kept.
const hidden = (hide: (text: string) => string) => (error: LanguageModelError): LanguageModelError => {
  switch (error._tag) {
    case "BadResponse":
      return new BadResponse({ model: error.model, detail: hide(error.detail), transient: error.transient })
    case "ModelRefused":
      return new ModelRefused({ model: error.model, detail: hide(error.detail) })
    case "ModelUnreachable":
      return new ModelUnreachable({ model: error.model, detail: hide(error.detail), transient: error.transient })
    case "ContextTooLong":
    case "ModelTimeout":
    case "RateLimited":
      return error
  }
}

/**
 * Nothing is asked of its server before the first question. What fails for a moment is not tried again here: each try is a
 * call, and whoever calls counts them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  file: ConnectorsFile,
  { kind, options }: ModelOptions
): Effect.Effect<LanguageModel["Type"], ConnectorsFileError> =>
  Effect.gen(function*() {
    if (kind !== known) {
      return yield* mistake(file, ["kind"], `there is no kind of model ${JSON.stringify(kind)}; known: "${known}"`)
    }
    const resolved = yield* Effect.mapError(
      Secrets.resolve(options),
      ({ advice, detail, path }) => mistake(file, path, `${detail}; ${advice}`)
    )
    const config = yield* Effect.mapError(decode(Redacted.value(resolved.options)), (error) => {
      const { detail, path } = firstIssue(error)
      return mistake(file, path, Secrets.hide(resolved.secrets)(detail))
    })
    const hide = Secrets.hide([...resolved.secrets, ...Secrets.secretsIn(config)])
    const model = yield* Effect.provide(OpenAiCompatible.make({ ...config, retries: 0 }), NodeHttp.layer)
    return LanguageModel.of({
      ...model,
      complete: (request) => Effect.mapError(model.complete(request), hidden(hide))
    })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  file: ConnectorsFile,
  options: ModelOptions
): Layer.Layer<LanguageModel, ConnectorsFileError> => Layer.effect(LanguageModel, make(file, options))
