/**
 * An embedder behind a server, whatever the server's dialect: batches, windows, and whose fault a failure is.
 *
 * A batch that the server will not take for what is in it is halved until the bad text stands alone, and only that one is
 * refused. What fails for a moment is tried again as it is. A text that turns out to be too long is cut in two, and its
 * vector is the mean of the parts': nothing is cut off.
 *
 * A server that is not there makes the embedder unavailable: documents are stored without vectors meanwhile.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Embedder } from "../../../services/Embedder.ts"
import { EmbedderError, EmbedderUnavailable, EmbedRefused } from "../../../src/domain/EmbedderErrors.ts"
import { EmbedderFingerprint } from "../../../src/domain/Ids.ts"
import { nameOf } from "../../../src/http/BaseUrl.ts"
import type { HttpFailure } from "../../../src/http/HttpFailure.ts"
import * as Endpoint from "../../HttpClient/Endpoint.ts"
import * as CharsOverFour from "../../TokenCounter/CharsOverFour.ts"
import { batches, halves, isDivisible, windows } from "./Batches.ts"
import { defaults, type Options } from "./Config.ts"
import { type Answer, mean, unit, type Values } from "./Vectors.ts"

/**
 * How a kind of server is asked. `ask` answers the values of each text, in order, or what is wrong with the answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Dialect {
  readonly kind: string
  readonly max_tokens: number
  readonly ask: (
    endpoint: Endpoint.Endpoint,
    options: Options
  ) => (texts: ReadonlyArray<string>) => Effect.Effect<Either.Either<ReadonlyArray<Values>, string>, HttpFailure>
}

type Failure = EmbedderError | EmbedderUnavailable

/** The statuses by which a server says that it does not like what is in a request. */
const aboutTexts: ReadonlySet<number | undefined> = new Set([400, 413, 422])

const isAboutTexts = ({ complaint, reason, status }: HttpFailure): boolean =>
  reason === "rejected" && complaint !== undefined
  && (complaint.too_long || aboutTexts.has(status) || /NaN/.test(complaint.message))

const adviceFor = ({ reason, retry_after_ms, status }: HttpFailure): string => {
  if (reason === "limited") {
    return retry_after_ms === undefined
      ? "wait, or set a lower concurrency in connectors.yaml; the next sync goes on where this one stopped"
      : `wait ${Math.ceil(retry_after_ms / 1000)} s; the next sync goes on where this one stopped`
  }
  if (reason === "timeout") return "raise its timeout in connectors.yaml, or lower batch_texts"
  if (status === 401 || status === 403) return "check its api_key in connectors.yaml"
  return reason === "unavailable"
    ? "look into the server's own log; the next sync tries it again"
    : "check its base_url and its model in connectors.yaml"
}

/** The endpoint has tried again as often as it pays: nobody else should at once. */
const failureOf = (name: string) => (failure: HttpFailure): Failure => {
  const detail = `${failure.server}: ${failure.detail}`
  return failure.reason === "unreachable"
    ? new EmbedderUnavailable({ embedder: name, detail })
    : new EmbedderError({ embedder: name, detail, advice: adviceFor(failure), retryable: false })
}

const refused = ({ complaint, detail }: HttpFailure): Answer =>
  Either.left(
    new EmbedRefused({ detail: complaint?.too_long === true ? `${detail} (too long)` : detail, retryable: false })
  )

type Tried = Either.Either<ReadonlyArray<Answer>, Failure>

const failureOfAll = (tried: ReadonlyArray<Tried>): Failure | undefined =>
  tried.some(Either.isRight) ? undefined : tried.flatMap((one) => Either.isLeft(one) ? [one.left] : [])[0]

/** What the other batches brought is paid for, and kept. */
const postponed = (batch: ReadonlyArray<string>) => ({ detail }: Failure): ReadonlyArray<Answer> =>
  batch.map(() => Either.left(new EmbedRefused({ detail, retryable: true })))

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  dialect: Dialect,
  options: Options
): Effect.Effect<Embedder["Type"], never, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const { counter = CharsOverFour.make, dims, model, revision, usd_per_million_tokens } = options
    const { batch_texts, batch_tokens, concurrency } = { ...defaults, ...options }
    const max_tokens = options.max_tokens ?? dialect.max_tokens
    const endpoint = yield* Endpoint.make({ ...Endpoint.defaultOptions, ...options, concurrency })
    const post = dialect.ask(endpoint, options)
    const name = `${dialect.kind} ${model}`
    const toFailure = failureOf(name)

    const broken = (detail: string, advice: string): EmbedderError =>
      new EmbedderError({ embedder: name, detail: `${endpoint.url}: ${detail}`, advice, retryable: false })

    const checked = (
      texts: ReadonlyArray<string>,
      found: Either.Either<ReadonlyArray<Values>, string>
    ): Effect.Effect<ReadonlyArray<Answer>, EmbedderError> => {
      const advice = "check its base_url and its model in connectors.yaml"
      if (Either.isLeft(found)) return broken(found.left, advice)
      if (found.right.length !== texts.length) {
        return broken(`${found.right.length} vectors came back for ${texts.length} texts`, advice)
      }
      const other = found.right.find(({ length }) => length !== dims)
      return other === undefined
        ? Effect.succeed(found.right.map(unit))
        : broken(
          `its vectors have ${other.length} values, ${dims} were declared`,
          `say dims: ${other.length} in connectors.yaml, or shorten: true where the model can make shorter ones`
        )
    }

    const inHalves = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Answer>, Failure> =>
      Effect.map(
        Effect.forEach(Arr.splitAt(texts, Math.ceil(texts.length / 2)), ask),
        Arr.flatten
      )

    const ask = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Answer>, Failure> =>
      post(texts).pipe(
        Effect.matchEffect({
          onSuccess: (found) => checked(texts, found),
          onFailure: (failure) => {
            if (!isAboutTexts(failure)) return Effect.fail(toFailure(failure))
            const [text = "", ...others] = texts
            if (others.length > 0) return inHalves(texts)
            return failure.complaint?.too_long === true && isDivisible(text)
              ? Effect.map(ask(halves(text)), (parts) => [mean(parts)])
              : Effect.succeed([refused(failure)])
          }
        })
      )

    const embed: Embedder["Type"]["embed"] = (texts) =>
      Effect.gen(function*() {
        const cut = new Map(texts.map((text) => [text, windows(text, counter.count, max_tokens)] as const))
        const wanted = [...new Set([...cut.values()].flat())]
        const tried = yield* Effect.forEach(
          batches(wanted, counter.count, { batch_texts, batch_tokens }),
          (batch) => Effect.map(Effect.either(ask(batch)), (answers) => ({ batch, answers })),
          { concurrency }
        )
        const failure = failureOfAll(tried.map(({ answers }) => answers))
        if (failure !== undefined) return yield* failure
        const answers = new Map(
          tried.flatMap(({ answers, batch }) => Arr.zip(batch, Either.getOrElse(answers, postponed(batch))))
        )
        return texts.map((text) => mean((cut.get(text) ?? []).flatMap((window) => answers.get(window) ?? [])))
      })

    return Embedder.of({
      fingerprint: EmbedderFingerprint.make(
        [dialect.kind, nameOf(model), dims, ...(revision === undefined ? [] : [nameOf(revision)])].join("/")
      ),
      dims,
      counter,
      ...(usd_per_million_tokens === undefined ? {} : { usd_per_million_tokens }),
      missing: Effect.succeed,
      embed
    })
  })
