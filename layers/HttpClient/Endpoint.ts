/**
 * A server that takes JSON and answers JSON, as those of models do. It is asked with patience: what fails for a moment is
 * tried again after growing, jittered pauses; a server that asks to wait is left alone by all requests until then; one
 * that asks for more than `max_wait` is not asked again before, and whoever needs it is told how long that is.
 *
 * The key stands in one header. It is in no error and in no trace: an error holds no request and no foreign cause, and
 * what a server says is cleared of it. Interrupting aborts the request.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { constTrue } from "effect/Function"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { firstIssue, keyPath } from "../../src/config/KeyPath.ts"
import * as Secrets from "../../src/config/Secrets.ts"
import { Complaint, complaintOf, holdsError } from "../../src/http/Complaint.ts"
import { HttpFailure } from "../../src/http/HttpFailure.ts"
import { type Headers, retryAfter } from "../../src/http/RetryAfter.ts"

/**
 * `concurrency` bounds the requests in flight, `timeout` the time of one, `retries` the tries after the first; a timeout
 * is tried again once.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly base_url: string
  readonly api_key?: Redacted.Redacted
  readonly timeout: Duration.Duration
  readonly concurrency: number
  readonly retries: number
  readonly max_wait: Duration.Duration
}

/**
 * @since 0.1.0
 * @category options
 */
export const defaultOptions = {
  timeout: Duration.minutes(2),
  concurrency: 4,
  retries: 4,
  max_wait: Duration.minutes(2)
} as const satisfies Partial<Options>

/**
 * @since 0.1.0
 * @category models
 */
export interface Endpoint {
  /** Its base URL, without a slash at the end. */
  readonly url: string
  readonly post: <A, I>(path: string, body: unknown, answer: Schema.Schema<A, I>) => Effect.Effect<A, HttpFailure>
  /** Once, whatever comes. */
  readonly get: <A, I>(path: string, answer: Schema.Schema<A, I>) => Effect.Effect<A, HttpFailure>
}

/** The vectors of a large batch are a few MB. */
const maxBytes = 64 * 1024 * 1024

const firstPause = Duration.millis(500)

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

type Client = HttpClient.HttpClient
type Failure = Omit<ConstructorParameters<typeof HttpFailure>[0], "server">

/** What broke, by the name that the system has for it. */
const codeOf = (cause: unknown): string | undefined => {
  if (!Predicate.isRecord(cause)) return undefined
  return Predicate.isString(cause["code"]) ? cause["code"] : codeOf(cause["cause"])
}

/** Nobody is there, or the name is wrong: a moment later it is the same, and whoever searches does not want to wait. */
const nobody: ReadonlySet<string | undefined> = new Set(["ECONNREFUSED", "ENOTFOUND"])

const unreachable = (what: string, error: HttpClientError.HttpClientError): Failure => {
  const code = codeOf(error.cause)
  return {
    reason: "unreachable",
    detail: code === undefined ? what : `${what} (${code})`,
    transient: !nobody.has(code) && (error._tag === "ResponseError" || error.reason === "Transport")
  }
}

const tooLarge: Failure = {
  reason: "unreadable",
  detail: `its answer is larger than ${maxBytes / 1024 / 1024} MiB`,
  transient: false
}

const bodyOf = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<string, Failure> =>
  response.stream.pipe(
    Stream.catchAll((error) =>
      error.reason === "EmptyBody" ? Stream.empty : Stream.fail(unreachable("the connection broke off", error))
    ),
    Stream.mapAccum(0, (size, part): [number, readonly [number, Uint8Array]] => [
      size + part.byteLength,
      [size + part.byteLength, part]
    ]),
    Stream.mapEffect(([size, part]) => size > maxBytes ? Effect.fail(tooLarge) : Effect.succeed(part)),
    Stream.runCollect,
    Effect.map((parts) => Buffer.concat([...parts]).toString("utf8"))
  )

const exchange = (client: Client, request: HttpClientRequest.HttpClientRequest): Effect.Effect<Answer, Failure> =>
  client.execute(request).pipe(
    Effect.mapError((error) => unreachable("it cannot be reached", error)),
    Effect.flatMap((response) =>
      Effect.map(bodyOf(response), (body) => ({ status: response.status, headers: response.headers, body }))
    )
  )

/** Asked again, these say the same, whatever their status promises. */
const isFinal = ({ codes, message, too_long }: Complaint): boolean =>
  too_long || codes.includes("insufficient_quota") || /unsupported value: NaN/.test(message)

/** Statuses other than 2xx. 529 is what some servers say when they have too much to do. */
const refusal = ({ body, headers, status }: Answer, now: number): Failure => {
  if (status >= 300 && status < 400) {
    const detail = `it redirects (status ${status}); name the address where it leads`
    return { reason: "rejected", detail, transient: false, status }
  }
  const complaint = complaintOf(body)
  const said = { detail: `status ${status}: ${complaint.message}`, status, complaint }
  if (isFinal(complaint)) return { ...said, reason: "rejected", transient: false }
  if (status === 429 || status === 503 || status === 529) {
    return { ...said, reason: "limited", transient: true, retry_after_ms: retryAfter(headers, now) }
  }
  return status >= 500 || status === 408 || status === 425
    ? { ...said, reason: "unavailable", transient: true }
    : { ...said, reason: "rejected", transient: false }
}

const parsed = (body: string): Either.Either<unknown, Failure> =>
  Either.try({
    try: (): unknown => JSON.parse(body),
    // A proxy cuts answers off, or puts a page in their place, for a moment.
    catch: (): Failure => ({
      reason: "unreadable",
      detail: `its answer is no JSON: ${complaintOf(body).message}`,
      transient: true
    })
  })

const decoded = <A, I>(schema: Schema.Schema<A, I>, body: string): Either.Either<A, Failure> =>
  Either.flatMap(parsed(body), (json) =>
    Either.mapLeft(Schema.decodeUnknownEither(schema)(json), (error): Failure => {
      const { detail, path } = firstIssue(error)
      const complaint = complaintOf(body)
      return holdsError(json)
        ? { reason: "rejected", detail: complaint.message, transient: false, complaint }
        : { reason: "unreadable", detail: `its answer has ${keyPath(path)}: ${detail}`, transient: false }
    }))

const retries = (options: Options) =>
  Schedule.exponential(firstPause).pipe(
    Schedule.jittered,
    Schedule.intersect(Schedule.recurs(options.retries)),
    Schedule.whileInput(({ reason, transient }: HttpFailure) => transient && reason !== "timeout")
  )

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<Endpoint, never, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    // Traces would hold URL and headers, and pass on the trace's own ids.
    const client = HttpClient.withTracerDisabledWhen(yield* HttpClient.HttpClient, constTrue)
    const turns = yield* Effect.makeSemaphore(options.concurrency)
    const quietUntil = yield* Ref.make(0)
    const down = yield* Ref.make(false)

    const url = options.base_url.replace(/\/+$/, "")
    const timeout = Duration.toMillis(options.timeout)
    const maxWait = Duration.toMillis(options.max_wait)
    const hide = Secrets.hide(
      options.api_key === undefined ? [] : [{ shown: "<redacted>", value: options.api_key }]
    )

    const fail = ({ complaint, detail, ...failure }: Failure): HttpFailure =>
      new HttpFailure({
        ...failure,
        server: url,
        detail: hide(detail),
        complaint: complaint === undefined
          ? undefined
          : new Complaint({ ...complaint, message: hide(complaint.message) })
      })

    const authorised = options.api_key === undefined
      ? (request: HttpClientRequest.HttpClientRequest) => request
      : HttpClientRequest.bearerToken(options.api_key)

    const tooLong = (wait: number): Failure => ({
      reason: "limited",
      detail: `it asked to be left alone for another ${Math.ceil(wait / 1000)} s`,
      transient: false,
      retry_after_ms: wait
    })

    const quiet: Effect.Effect<void, Failure> = Effect.gen(function*() {
      const wait = (yield* Ref.get(quietUntil)) - (yield* Clock.currentTimeMillis)
      if (wait <= 0) return
      if (wait > maxWait) return yield* Effect.fail(tooLong(wait))
      yield* Effect.sleep(wait)
      yield* quiet
    })

    const judged = (answer: Answer): Effect.Effect<string, Failure> =>
      Effect.gen(function*() {
        if (answer.status >= 200 && answer.status < 300) return answer.body
        const now = yield* Clock.currentTimeMillis
        const failure = refusal(answer, now)
        const wait = failure.retry_after_ms
        if (wait === undefined) return yield* Effect.fail(failure)
        yield* Ref.update(quietUntil, (until) => Math.max(until, now + wait))
        return yield* Effect.fail({ ...failure, transient: wait <= maxWait })
      })

    const once = <A, I>(request: HttpClientRequest.HttpClientRequest, schema: Schema.Schema<A, I>) =>
      exchange(client, authorised(request)).pipe(
        Effect.timeoutFail({
          duration: options.timeout,
          onTimeout: (): Failure => ({ reason: "timeout", detail: `no answer within ${timeout} ms`, transient: true })
        }),
        Effect.flatMap(judged),
        Effect.flatMap((body) => decoded(schema, body))
      )

    const post: Endpoint["post"] = (path, body, schema) => {
      const request = HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(`${url}${path}`), body)
      const tried = Effect.zipRight(quiet, once(request, schema)).pipe(turns.withPermits(1), Effect.mapError(fail))
      const patient = tried.pipe(
        Effect.retry({ times: 1, while: ({ reason }) => reason === "timeout" }),
        Effect.retry(retries(options))
      )
      // One that has just failed through all retries has one try until it answers.
      return Effect.flatMap(Ref.get(down), (down) => down ? tried : patient).pipe(
        Effect.tapBoth({
          onFailure: ({ transient }) => Ref.set(down, transient),
          onSuccess: () => Ref.set(down, false)
        })
      )
    }

    return {
      url,
      post,
      get: (path, schema) => Effect.mapError(once(HttpClientRequest.get(`${url}${path}`), schema), fail)
    }
  })
