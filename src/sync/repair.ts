/**
 * `mem doctor --repair`: mends what follows from the log, under the writer's lock. The log itself is not touched, but
 * for a torn tail that its writer moves aside.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import type { LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { Projection } from "../../services/Projection.ts"
import type { ConnectorName } from "../domain/Ids.ts"
import type { ManifestError, ProjectionError } from "../domain/StoreErrors.ts"
import { type Live, manifestOf } from "../log/Live.ts"
import { catchUp } from "./CatchUp.ts"
import { differing, mended } from "./checks/ManifestCheck.ts"
import { live } from "./LogView.ts"
import { digest } from "./rebuild.ts"

const manifest = (name: ConnectorName, state: Live) =>
  Effect.gen(function*() {
    const manifests = yield* ManifestStore
    const progress = yield* ProgressStore
    const log = manifestOf(state, name)
    const found = yield* manifests.load(name)
    const file = Option.getOrElse(found, () => new Map())
    const cutShort = yield* progress.exists(name)
    const right = Option.isSome(found) ? differing(file, log).length === 0 : log.size === 0
    if (right && !cutShort) return []
    yield* manifests.save(name, mended(file, log))
    yield* progress.clear(name)
    return [`the manifest of ${name} was written anew from the log`]
  })

const index = (fresh: Effect.Effect<Projection["Type"]>) =>
  Effect.gen(function*() {
    const projection = yield* Projection
    const { state } = yield* projection.status
    const wanted = yield* Effect.zipRight(catchUp, digest).pipe(Effect.provideServiceEffect(Projection, fresh))
    yield* catchUp
    const right = (yield* digest).state_sha256 === wanted.state_sha256
    if (right) return state === "current" ? [] : ["the search index was brought up to the log"]
    yield* projection.clear
    yield* catchUp
    return ["the search index was made anew from the log"]
  })

/**
 * What was mended, a sentence each. `fresh` makes an empty projection, to fold the log into.
 *
 * @since 0.1.0
 * @category programs
 */
export const repair = (
  configured: ReadonlyArray<ConnectorName>,
  fresh: Effect.Effect<Projection["Type"]>
): Effect.Effect<
  ReadonlyArray<string>,
  LogReadError | ManifestError | ProjectionError,
  LogReader | LogWriter | ManifestStore | ProgressStore | Projection
> =>
  Effect.gen(function*() {
    const state = yield* live
    const stored = [...HashMap.values(state.documents)].map(({ commit }) => commit.connector)
    const manifests = yield* Effect.forEach(
      [...new Set([...configured, ...stored])],
      (name) => manifest(name, state)
    )
    return [...manifests.flat(), ...yield* index(fresh)]
  })
