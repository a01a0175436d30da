/**
 * A kind of embedder, made ready to be configured: its options are resolved and decoded when it is opened, and no secret
 * of theirs leaves it in an error, whoever made the error.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Embedder } from "../../services/Embedder.ts"
import { EmbedderError, EmbedderUnavailable, EmbedRefused } from "../domain/EmbedderErrors.ts"
import { EngineStatus } from "../domain/EmbedderStatus.ts"
import { firstIssue, type KeyIssue } from "./KeyPath.ts"
import * as Secrets from "./Secrets.ts"

/**
 * A kind of embedder: its word in `connectors.yaml`, the options it takes there, and what they make.
 *
 * @since 0.1.0
 * @category models
 */
export interface EmbedderKind<Config, Encoded> {
  readonly kind: string
  /** The options of the kind alone, after `${NAME}` was replaced; a secret is a `Schema.Redacted(Schema.String)`. */
  readonly config: Schema.Schema<Config, Encoded>
  /** What whoever chooses it should know. */
  readonly remark?: string
  readonly make: (config: Config) => Effect.Effect<Embedder["Type"], EmbedderError, Scope.Scope>
  /** The engines that could run its model, probed; a kind without any leaves it out. */
  readonly engines?: (config: Config) => Effect.Effect<ReadonlyArray<EngineStatus>, EmbedderError>
}

/**
 * An embedder whose options were understood. Nothing of it is loaded yet.
 *
 * @since 0.1.0
 * @category models
 */
export interface ConfiguredEmbedder {
  readonly make: Effect.Effect<Embedder["Type"], EmbedderError, Scope.Scope>
  /** Fails where the embedder itself is of no use, whatever the engine. */
  readonly engines: Effect.Effect<ReadonlyArray<EngineStatus>, EmbedderError>
}

/**
 * A kind as it stands in a collection, which need not know the type of anybody's options. `configure` fails with the
 * option that is wrong.
 *
 * @since 0.1.0
 * @category models
 */
export interface RegisteredEmbedder {
  readonly kind: string
  readonly remark?: string
  readonly configure: (options: unknown) => Effect.Effect<ConfiguredEmbedder, KeyIssue>
}

type Hide = (text: string) => string

// A foreign cause is dropped: nobody can say where in it a token or a URL is kept.
const hideInError = (hide: Hide) => ({ advice, detail, embedder, retryable }: EmbedderError) =>
  new EmbedderError({ embedder, detail: hide(detail), advice: hide(advice), retryable })

const hideInUnavailable = (hide: Hide) => ({ detail, embedder }: EmbedderUnavailable) =>
  new EmbedderUnavailable({ embedder, detail: hide(detail) })

const hideInRefused = (hide: Hide) => ({ detail, retryable }: EmbedRefused) =>
  new EmbedRefused({ detail: hide(detail), retryable })

const hideInEngine = (hide: Hide) => ({ engine, problem, used }: EngineStatus) =>
  new EngineStatus({ engine: hide(engine), problem: problem === undefined ? undefined : hide(problem), used })

const guarded = (embedder: Embedder["Type"], hide: Hide): Embedder["Type"] => {
  const guard = (embed: Embedder["Type"]["embed"]): Embedder["Type"]["embed"] => (texts) =>
    embed(texts).pipe(
      Effect.map((answers) => answers.map(Either.mapLeft(hideInRefused(hide)))),
      Effect.mapError((error) =>
        error._tag === "EmbedderError" ? hideInError(hide)(error) : hideInUnavailable(hide)(error)
      )
    )
  return Embedder.of({
    ...embedder,
    missing: (texts) => Effect.mapError(embedder.missing(texts), hideInError(hide)),
    embed: guard(embedder.embed),
    ...(embedder.embedQueries === undefined ? {} : { embedQueries: guard(embedder.embedQueries) })
  })
}

/**
 * Registers a kind. Options that its schema does not know are refused.
 *
 * @since 0.1.0
 * @category constructors
 */
export const embedderKind = <Config, Encoded>(
  { config, engines, kind, make, ...about }: EmbedderKind<Config, Encoded>
): RegisteredEmbedder => {
  const decode = Schema.decodeUnknown(config, { onExcessProperty: "error" })
  return {
    kind,
    ...about,
    configure: (options) =>
      Effect.gen(function*() {
        const resolved = yield* Secrets.resolve(options)
        const decoded = yield* Effect.mapError(decode(Redacted.value(resolved.options)), (error) => {
          const { detail, path } = firstIssue(error)
          return { path, detail: Secrets.hide(resolved.secrets)(detail) }
        })
        const secrets = [...resolved.secrets, ...Secrets.secretsIn(decoded)]
        const hide = Secrets.hide(secrets)
        return {
          make: secrets.length === 0 ? make(decoded) : make(decoded).pipe(
            Effect.mapBoth({ onFailure: hideInError(hide), onSuccess: (embedder) => guarded(embedder, hide) })
          ),
          engines: engines === undefined
            ? Effect.succeed([])
            : Effect.mapBoth(engines(decoded), {
              onFailure: hideInError(hide),
              onSuccess: (probed) => probed.map(hideInEngine(hide))
            })
        }
      })
  }
}
