/**
 * A language model behind a server that speaks OpenAI's chat completions: Ollama, llama.cpp, vLLM, LM Studio, or one in
 * the cloud. The prompt goes to that server and nowhere else.
 *
 * What fails for a moment is tried again in here; an error that comes out is not worth trying again at once. `RateLimited`
 * says when it is.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { LanguageModel, type ModelAnswer, type ModelRequest } from "../../services/LanguageModel.ts"
import type { TokenCounter } from "../../services/TokenCounter.ts"
import { FetchTimeout } from "../../src/domain/ConnectorsFile.ts"
import {
  BadResponse,
  ContextTooLong,
  type LanguageModelError,
  ModelRefused,
  ModelTimeout,
  ModelUnreachable,
  RateLimited
} from "../../src/domain/LanguageModelErrors.ts"
import { Count, wholeNumber } from "../../src/domain/Numbers.ts"
import { ApiKey, BaseUrl, nameOf, originOf } from "../../src/http/BaseUrl.ts"
import { oneLine } from "../../src/http/Complaint.ts"
import type { HttpFailure } from "../../src/http/HttpFailure.ts"
import * as Endpoint from "../HttpClient/Endpoint.ts"
import * as CharsOverFour from "../TokenCounter/CharsOverFour.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/**
 * `context_tokens` is the window that the server gives the model: what does not fit is not sent. Ollama cuts off the
 * beginning of such a prompt and says nothing. `output_limit` is the name that the bound of the answer has, and `omit`
 * names what must not be sent: newer models of OpenAI refuse `max_tokens`, and a `temperature`. `seed` is sent in the place
 * of a request's own. `revision` tells apart models that the server calls by one name.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Config = Schema.Struct({
  base_url: BaseUrl,
  model: Schema.NonEmptyTrimmedString,
  revision: optional(Schema.NonEmptyTrimmedString),
  api_key: optional(ApiKey),
  timeout: Schema.optionalWith(FetchTimeout, { exact: true, default: () => Endpoint.defaultOptions.timeout }),
  concurrency: Schema.optionalWith(wholeNumber(1, 256), {
    exact: true,
    default: () => Endpoint.defaultOptions.concurrency
  }),
  seed: optional(Count),
  context_tokens: optional(wholeNumber(256, 100_000_000)),
  output_limit: Schema.optionalWith(Schema.Literal("max_tokens", "max_completion_tokens"), {
    exact: true,
    default: () => "max_tokens" as const
  }),
  omit: Schema.optionalWith(Schema.Array(Schema.Literal("temperature", "seed", "stop")), {
    exact: true,
    default: () => []
  })
})

/**
 * What {@link Config} says, and what only a program decides. `counter` counts a prompt for `context_tokens`.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly base_url: string
  readonly model: string
  readonly revision?: string
  readonly api_key?: Redacted.Redacted
  readonly timeout?: Duration.Duration
  readonly concurrency?: number
  readonly seed?: number
  readonly context_tokens?: number
  readonly output_limit?: "max_tokens" | "max_completion_tokens"
  readonly omit?: ReadonlyArray<"temperature" | "seed" | "stop">
  readonly retries?: number
  readonly max_wait?: Duration.Duration
  readonly counter?: TokenCounter["Type"]
}

const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({
    message: Schema.Struct({
      content: Schema.optional(Schema.NullOr(Schema.String)),
      refusal: Schema.optional(Schema.NullOr(Schema.String))
    }),
    finish_reason: Schema.optional(Schema.NullOr(Schema.String))
  })),
  usage: Schema.optional(Schema.NullOr(Schema.Struct({
    prompt_tokens: Schema.optional(Schema.NullOr(Schema.Number)),
    completion_tokens: Schema.optional(Schema.NullOr(Schema.Number))
  })))
})

const filtered: ReadonlyArray<string> = ["content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"]

const errorOf = (model: string, timeout: number) => (failure: HttpFailure): LanguageModelError => {
  const { complaint, detail, reason, retry_after_ms, server, transient } = failure
  switch (reason) {
    case "limited":
      return new RateLimited({ model, retry_after_ms })
    case "timeout":
      return new ModelTimeout({ model, after_ms: timeout })
    case "rejected":
      if (complaint?.too_long === true) return new ContextTooLong({ model, tokens: complaint.tokens })
      if (complaint?.codes.some((code) => filtered.includes(code)) === true) {
        return new ModelRefused({ model, detail: complaint.message })
      }
      return new BadResponse({ model, detail: `${server}: ${detail}` })
    case "unreachable":
      return new ModelUnreachable({ model, detail: `${server}: ${detail}`, transient })
    case "unavailable":
    case "unreadable":
      return new BadResponse({ model, detail: `${server}: ${detail}`, transient })
  }
}

const finishes: Readonly<Record<string, ModelAnswer["finish_reason"]>> = { stop: "stop", length: "length" }

/** 0 where the server does not say, or says what is no count. */
const counted = (tokens: number | null | undefined): number =>
  Number.isSafeInteger(tokens) ? Math.max(0, tokens ?? 0) : 0

const answerOf = (model: string) =>
(
  { choices: [{ finish_reason, message }], usage }: typeof Completion.Type
): Effect.Effect<ModelAnswer, LanguageModelError> => {
  const { content, refusal } = message
  const finish = finish_reason ?? "other"
  if (refusal !== undefined && refusal !== null && refusal !== "") {
    return new ModelRefused({ model, detail: oneLine(refusal) })
  }
  if (finish === "content_filter") {
    return new ModelRefused({ model, detail: "the server's filter held its answer back" })
  }
  // A model that thinks may have used up its tokens before it said a word.
  if ((content === undefined || content === null) && finish !== "length") {
    return new BadResponse({ model, detail: `an answer without a text (finish_reason ${JSON.stringify(finish)})` })
  }
  return Effect.succeed({
    text: content ?? "",
    finish_reason: Object.hasOwn(finishes, finish) ? finishes[finish] ?? "other" : "other",
    usage: { prompt_tokens: counted(usage?.prompt_tokens), completion_tokens: counted(usage?.completion_tokens) }
  })
}

/** What the chat template puts around a message, at most. */
const tokensAround = 16

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<LanguageModel["Type"], never, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const { base_url, context_tokens, counter = CharsOverFour.make, model, omit = [], revision } = options
    const timeout = options.timeout ?? Endpoint.defaultOptions.timeout
    const endpoint = yield* Endpoint.make({ ...Endpoint.defaultOptions, ...options, timeout })
    const toError = errorOf(model, Duration.toMillis(timeout))

    const bodyOf = (request: ModelRequest) => {
      const seed = options.seed ?? request.seed
      const body = {
        model,
        messages: request.messages,
        stream: false,
        [options.output_limit ?? "max_tokens"]: request.max_tokens,
        temperature: request.temperature,
        ...(seed === undefined ? {} : { seed }),
        ...(request.stop === undefined || request.stop.length === 0 ? {} : { stop: request.stop })
      }
      return Object.fromEntries(Object.entries(body).filter(([name]) => !omit.some((omitted) => omitted === name)))
    }

    const fits = ({ max_tokens, messages }: ModelRequest): Effect.Effect<void, ContextTooLong> => {
      if (context_tokens === undefined) return Effect.void
      const tokens = messages.reduce((sum, { content }) => sum + counter.count(content) + tokensAround, 0)
      return tokens + max_tokens <= context_tokens
        ? Effect.void
        : new ContextTooLong({ model, tokens, answer_tokens: max_tokens })
    }

    return LanguageModel.of({
      fingerprint: `${[nameOf(model), ...(revision === undefined ? [] : [nameOf(revision)])].join("/")}@${
        originOf(base_url)
      }`,
      ...(context_tokens === undefined ? {} : {
        context: {
          tokens: context_tokens,
          // The loop's prompts are of two messages.
          prompt_tokens: (max_tokens) => context_tokens - max_tokens - 2 * tokensAround,
          count: counter.count
        }
      }),
      complete: (request) =>
        Effect.zipRight(
          fits(request),
          endpoint.post("/chat/completions", bodyOf(request), Completion).pipe(
            Effect.mapError(toError),
            Effect.flatMap(answerOf(model))
          )
        )
    })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LanguageModel, never, HttpClient.HttpClient> =>
  Layer.effect(LanguageModel, make(options))
