/**
 * The options that all embedders behind a server have.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { TokenCounter } from "../../../services/TokenCounter.ts"
import { FetchTimeout } from "../../../src/domain/ConnectorsFile.ts"
import { wholeNumber } from "../../../src/domain/Numbers.ts"
import { ApiKey } from "../../../src/http/BaseUrl.ts"
import * as Endpoint from "../../HttpClient/Endpoint.ts"

const exact = { exact: true } as const

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, exact)

const noPrice = "expected US dollars for a million tokens, 0 or more"

const Price = Schema.Number.annotations({ message: () => noPrice }).pipe(
  Schema.filter((price) => Number.isFinite(price) && price >= 0, { message: () => noPrice })
)

/**
 * 32 texts are what a llama.cpp server takes at once, unless it is told otherwise.
 *
 * @since 0.1.0
 * @category options
 */
export const defaults = { batch_texts: 32, batch_tokens: 32_000, concurrency: 2 } as const

/**
 * `dims` is the length of a vector, and with `shorten` the server is asked for that length. `max_tokens` is what the model
 * reads of a text at once: a longer one is sent in windows. `revision` tells apart models that the server calls by one
 * name.
 *
 * @since 0.1.0
 * @category schemas
 */
export const fields = {
  model: Schema.NonEmptyTrimmedString,
  dims: wholeNumber(1, 65_536),
  api_key: optional(ApiKey),
  revision: optional(Schema.NonEmptyTrimmedString),
  shorten: optional(Schema.Boolean),
  max_tokens: optional(wholeNumber(16, 10_000_000)),
  batch_texts: optional(wholeNumber(1, 2048)),
  batch_tokens: optional(wholeNumber(16, 10_000_000)),
  concurrency: optional(wholeNumber(1, 64)),
  timeout: Schema.optionalWith(FetchTimeout, { exact: true, default: () => Endpoint.defaultOptions.timeout }),
  usd_per_million_tokens: optional(Price)
}

/**
 * The options, and what only a program decides: the `counter`, and how patient it is.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly base_url: string
  readonly model: string
  readonly dims: number
  readonly api_key?: Redacted.Redacted
  readonly revision?: string
  readonly shorten?: boolean
  readonly max_tokens?: number
  readonly batch_texts?: number
  readonly batch_tokens?: number
  readonly concurrency?: number
  readonly timeout?: Duration.Duration
  readonly usd_per_million_tokens?: number
  readonly counter?: TokenCounter["Type"]
  readonly retries?: number
  readonly max_wait?: Duration.Duration
}
