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
import { type RecordQuery, Search, type SearchQuery } from "../../services/Search.ts"
import { EmbedderError, type EmbedderUnavailable, type EmbedRefused } from "../domain/EmbedderErrors.ts"
import { type Hit, RecordHit, SearchReport } from "../domain/SearchReport.ts"
import type { EmbedderMismatch, ManifestError, ProjectionError } from "../domain/StoreErrors.ts"
import { shortHashes } from "../text/Fingerprint.ts"
import { matches } from "./Matches.ts"
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
    const { embed, embedQueries = embed, fingerprint } = yield* Embedder
    const [answer] = yield* embedQueries([query.text])
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
 * What of the archive is asked for alone. An empty one asks for all of it.
 *
 * @since 0.1.0
 * @category models
 */
export type RecordFilter = Omit<RecordQuery, "text" | "k" | "connector" | "path">

/** Longer texts are told by a part of them: a tool may have printed megabytes. */
const mostUnits = 2_000
/** How much of that stands before the first of the words. */
const before = 400

/** The part of a long text that the question is about, from the beginning of a line where one is near. */
const excerpt = (hit: RecordHit, question: string): RecordHit => {
  const { text } = hit
  if (text.length <= mostUnits) return hit
  const first = matches(text, question)[0]?.[0] ?? 0
  const near = Math.max(0, Math.min(first - before, text.length - mostUnits))
  const line = text.lastIndexOf("\n", first) + 1
  const start = line > near ? line : near
  return new RecordHit({ ...hit, text: text.slice(start, start + mostUnits).toWellFormed(), excerpt: true })
}

const documents = (query: SearchQuery) =>
  Effect.gen(function*() {
    const index = yield* Search
    return yield* Effect.map(index.search(query), (hits) => ({ hits, mode: query.mode })).pipe(
      Effect.catchTag("EmbedderMismatch", (error) =>
        query.mode === "hybrid"
          ? Effect.flatMap(
            byWords(query, error),
            (instead) => Effect.map(index.search(instead), (hits) => ({ hits, mode: instead.mode }))
          )
          : error)
    )
  })

const sessions = ({ connector, k, path, text }: SearchQuery, filter: RecordFilter) =>
  Effect.gen(function*() {
    const index = yield* Search
    const found = yield* index.records({
      text,
      k,
      ...(connector === undefined ? {} : { connector }),
      ...(path === undefined ? {} : { path }),
      ...filter
    })
    return found.map((hit) => excerpt(hit, text))
  })

/** What is told as evidence already is not told once more as a Record. */
const notAmong = (hits: ReadonlyArray<Hit>) => ({ connector, key }: RecordHit): boolean =>
  !hits.some((hit) => hit.level === "L0" && hit.connector === connector && hit.key === key)

/**
 * Asks for passages and memory, and by words for what else sessions hold. With a filter of Records only these are asked
 * for, with one of levels none of them; by meaning alone they cannot be found.
 *
 * @since 0.1.0
 * @category programs
 */
export const search = (
  query: SearchQuery,
  filter?: RecordFilter
): Effect.Effect<
  SearchReport,
  ProjectionError | EmbedderMismatch | LogReadError | ManifestError,
  Search | Connectors | LogReader | ManifestStore | ProgressStore
> =>
  Effect.gen(function*() {
    const found = filter === undefined ? yield* documents(query) : { hits: [], mode: query.mode }
    const wanted = query.mode !== "vector" && query.levels === undefined
    const records = wanted ? (yield* sessions(query, filter ?? {})).filter(notAmong(found.hits)) : []
    return new SearchReport({
      command: "search",
      ok: true,
      query: query.text,
      mode: found.mode,
      hits: yield* withStale(found.hits),
      ...(records.length === 0 ? {} : { records })
    })
  })
