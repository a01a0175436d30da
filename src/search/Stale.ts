/**
 * Which hits no longer are what their source holds: the source is listed, and compared with the manifest as a sync
 * would. A source that does not answer in time says nothing, aloud.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Connectors } from "../../services/Connectors.ts"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import type { ManifestStore } from "../../services/ManifestStore.ts"
import type { ProgressStore } from "../../services/ProgressStore.ts"
import { type ConnectorName, type DocId, EmbedderFingerprint, Fingerprint } from "../domain/Ids.ts"
import { type Hit, SearchHit } from "../domain/SearchReport.ts"
import type { ManifestError } from "../domain/StoreErrors.ts"
import { diff, type Today } from "../sync/Diff.ts"
import { loadManifest } from "../sync/LoadManifest.ts"
import { readListing } from "../sync/ReadListing.ts"

/** Longer than this nobody waits for a hint. */
const patience = Duration.seconds(5)

/** Only what the source holds is looked at here, not how it would be stored. */
const anyHow: Today = {
  pipelineOf: () => Fingerprint.make(`sha256:${"0".repeat(64)}`),
  embedder: EmbedderFingerprint.make("none"),
  maxDocumentBytes: Number.MAX_SAFE_INTEGER
}

const changedIn = (name: ConnectorName, ids: ReadonlySet<DocId>) =>
  Effect.scoped(Effect.gen(function*() {
    const connector = yield* Effect.flatMap(Connectors, ({ get }) => get(name))
    if (connector.source_type === "session") return []
    const { entries } = yield* loadManifest(name)
    const listed = yield* Effect.flatMap(connector.list(entries), readListing)
    const known = new Map([...entries].filter(([id]) => ids.has(id)))
    const { changed, moved, outside, removed } = diff({ entries: known, failed: new Map() }, listed, anyHow)
    return [
      // The index may still know what the last sync has removed.
      ...[...ids].filter((id) => !entries.has(id)),
      ...changed.map(({ entry }) => entry.doc_id),
      ...moved.map(({ from }) => from.doc_id),
      ...[...removed, ...outside].map(({ doc_id }) => doc_id)
    ]
  })).pipe(
    Effect.timeoutFail({ duration: patience, onTimeout: () => ({ _tag: "Slow" as const }) }),
    Effect.catchTags({
      ConnectorError: ({ message }) => Effect.as(unknown(name, message), []),
      Slow: () => Effect.as(unknown(name, `it did not answer within ${Duration.format(patience)}`), [])
    })
  )

const unknown = (name: ConnectorName, why: string): Effect.Effect<void> =>
  Effect.logWarning(`whether the hits in ${name} are still what their source holds is not known: ${why}`)

/**
 * The hits, each of a document with the word whether its source has changed or gone since its sync.
 *
 * @since 0.1.0
 * @category programs
 */
export const withStale = (
  hits: ReadonlyArray<Hit>
): Effect.Effect<
  ReadonlyArray<Hit>,
  LogReadError | ManifestError,
  Connectors | LogReader | ManifestStore | ProgressStore
> =>
  Effect.gen(function*() {
    const { configured } = yield* Connectors
    const documents = hits.filter((hit) => hit.level === "R")
    const names = configured.map(({ name }) => name).filter((name) =>
      documents.some(({ connector }) => connector === name)
    )
    const changed = yield* Effect.forEach(names, (name) =>
      Effect.map(
        changedIn(name, new Set(documents.flatMap(({ connector, doc_id }) => connector === name ? [doc_id] : []))),
        (ids) => [name, new Set<DocId>(ids)] as const
      ), { concurrency: "unbounded" })
    const stale = new Map(changed)
    return hits.map((hit) =>
      hit.level === "R"
        ? new SearchHit({ ...hit, stale: stale.get(hit.connector)?.has(hit.doc_id) === true })
        : hit
    )
  })
