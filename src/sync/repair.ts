/**
 * `mem doctor --repair`: mends what follows from the log, under the writer's lock. The log itself is whole by then: a
 * damaged one is repaired before its writer is opened. What it has lost is told here, by document.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import type { AppendError, LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { Projection } from "../../services/Projection.ts"
import type { ConnectorName, DocId } from "../domain/Ids.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import type { ManifestError, ProjectionError } from "../domain/StoreErrors.ts"
import { manifestOf } from "../log/Live.ts"
import { plural } from "../text/Amounts.ts"
import { catchUp } from "./CatchUp.ts"
import { few } from "./checks/About.ts"
import { differing, mended } from "./checks/ManifestCheck.ts"
import { type Marked, markLost } from "./MarkLost.ts"
import { digest } from "./rebuild.ts"

type Entries = ReadonlyMap<DocId, ManifestEntry>

/** What a manifest knew of that the log has lost. */
const losses = (name: ConnectorName, file: Entries, log: Entries): ReadonlyArray<string> => {
  const known = [...file.values()]
  const versions = known.filter(({ doc_id, seq }) => seq !== undefined && seq > (log.get(doc_id)?.seq ?? 0))
  const excluded = known.filter((entry) => entry.excluded === true && log.get(entry.doc_id)?.excluded !== true)
  const ids = (entries: ReadonlyArray<ManifestEntry>) => few(entries.map(({ doc_id }) => doc_id).sort())
  return [
    ...(versions.length === 0
      ? []
      : [
        `the last version of ${plural(versions.length, "document")} of ${name} is lost: ${
          ids(versions)
        }; the next sync stores what is still there`
      ]),
    ...excluded.map(({ doc_id }) =>
      `that ${doc_id} of ${name} is kept out is lost; run "mem ref rm" again before the next sync`
    )
  ]
}

const manifest = (name: ConnectorName, { gaps, live }: Marked) =>
  Effect.gen(function*() {
    const manifests = yield* ManifestStore
    const progress = yield* ProgressStore
    const log = manifestOf(live, name)
    const found = yield* manifests.load(name)
    const file: Entries = Option.getOrElse(found, () => new Map())
    const cutShort = yield* progress.exists(name)
    const right = Option.isSome(found) ? differing(file, log).length === 0 : log.size === 0
    if (right && !cutShort) return []
    yield* manifests.save(name, mended(file, log))
    yield* progress.clear(name)
    return [...(gaps ? losses(name, file, log) : []), `the manifest of ${name} was written anew from the log`]
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
  AppendError | LogReadError | ManifestError | ProjectionError,
  LogReader | LogWriter | ManifestStore | ProgressStore | Projection
> =>
  Effect.gen(function*() {
    const state = yield* markLost
    const stored = [...HashMap.values(state.live.documents)].map(({ commit }) => commit.connector)
    const manifests = yield* Effect.forEach(
      [...new Set([...configured, ...stored])],
      (name) => manifest(name, state)
    )
    return [...state.told, ...manifests.flat(), ...yield* index(fresh)]
  })
