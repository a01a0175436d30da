/**
 * Whether a server answers, asked without any text: for `mem doctor`.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { EngineStatus } from "../../../src/domain/EmbedderStatus.ts"
import * as Endpoint from "../../HttpClient/Endpoint.ts"
import type { Options } from "./Config.ts"

const patience = Duration.seconds(5)

/** An answer that is not understood is one all the same: not every server lists its models. */
const isThere = (status: number | undefined): boolean => status !== undefined && status !== 401 && status !== 403

/**
 * Asks for `path`, and lets `judge` say what is wrong with the answer, if anything is.
 *
 * @since 0.1.0
 * @category probing
 */
export const probe = <A, I>(
  options: Options,
  path: string,
  answer: Schema.Schema<A, I>,
  judge: (answer: A) => string | undefined
): Effect.Effect<ReadonlyArray<EngineStatus>, never, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const endpoint = yield* Endpoint.make({ ...Endpoint.defaultOptions, ...options, timeout: patience })
    const problem = yield* Effect.match(endpoint.get(path, answer), {
      onSuccess: judge,
      onFailure: ({ detail, reason, status }) => reason === "unreadable" || isThere(status) ? undefined : detail
    })
    return [new EngineStatus({ engine: endpoint.url, problem, used: problem === undefined })]
  })
