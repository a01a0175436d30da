/**
 * `mem search`: asks the index, and looks whether the hits are still what their sources hold. By readers alone.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Connectors } from "../../services/Connectors.ts"
import { Embedder } from "../../services/Embedder.ts"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import type { ManifestStore } from "../../services/ManifestStore.ts"
import type { ProgressStore } from "../../services/ProgressStore.ts"
import { Search, type SearchQuery } from "../../services/Search.ts"
import { EmbedderError, type EmbedderUnavailable, type EmbedRefused } from "../domain/EmbedderErrors.ts"
import { SearchReport } from "../domain/SearchReport.ts"
import type { EmbedderMismatch, ManifestError, ProjectionError } from "../domain/StoreErrors.ts"
import { shortHashes } from "../text/Fingerprint.ts"
import { withStale } from "./Stale.ts"

type NoVector = EmbedRefused | EmbedderError | EmbedderUnavailable

const byWords = (query: SearchQuery, { message }: NoVector | EmbedderMismatch) =>
  Effect.as(
    Effect.logWarning(`searched by words only: ${shortHashes(message)}`),
    { ...query, mode: "keyword" } satisfies SearchQuery
  )

/**
 * The query with its vector. Where there is none to be had, a hybrid one becomes a keyword one, and that is said.
 *
 * @since 0.1.0
 * @category queries
 */
export const embedded = (query: SearchQuery): Effect.Effect<SearchQuery, NoVector, Embedder> =>
  Effect.gen(function*() {
    const { embed, fingerprint } = yield* Embedder
    const [answer] = yield* embed([query.text])
    if (answer === undefined) {
      return yield* new EmbedderError({
        embedder: fingerprint,
        detail: "it answered a query with nothing",
        advice: "search with --mode keyword",
        retryable: true
      })
    }
    return { ...query, vector: { values: yield* answer, fingerprint } }
  }).pipe(Effect.catchAll((error) => query.mode === "hybrid" ? byWords(query, error) : Effect.fail(error)))

/**
 * @since 0.1.0
 * @category programs
 */
export const search = (
  query: SearchQuery
): Effect.Effect<
  SearchReport,
  ProjectionError | EmbedderMismatch | LogReadError | ManifestError,
  Search | Connectors | LogReader | ManifestStore | ProgressStore
> =>
  Effect.gen(function*() {
    const index = yield* Search
    const found = yield* Effect.map(index.search(query), (hits) => ({ hits, mode: query.mode })).pipe(
      Effect.catchTag("EmbedderMismatch", (error) =>
        query.mode === "hybrid"
          ? Effect.flatMap(
            byWords(query, error),
            (instead) => Effect.map(index.search(instead), (hits) => ({ hits, mode: instead.mode }))
          )
          : error)
    )
    return new SearchReport({
      command: "search",
      ok: true,
      query: query.text,
      mode: found.mode,
      hits: yield* withStale(found.hits)
    })
  })
