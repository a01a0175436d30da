/**
 * Searches the index. The lists of both searches grow until no passage outside of them can be among the best, so what
 * is found does not hang on how long they were; a filter is applied before anything is counted.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { SearchQuery } from "../../../services/Search.ts"
import { ChunkId } from "../../../src/domain/Ids.ts"
import type { Hit } from "../../../src/domain/SearchReport.ts"
import type { EmbedderMismatch } from "../../../src/domain/StoreErrors.ts"
import { type Candidate, fuse, type Scored } from "../../../src/search/Fusion.ts"
import { matcher } from "../../../src/text/Glob.ts"
import type { Database } from "./Database.ts"
import { documents, memories } from "./Dump.ts"
import { hitsOf } from "./Hits.ts"
import { type Near, nearest, passagesOf } from "./Nearest.ts"
import { type Plan, plan } from "./Plan.ts"

/** How long the lists are at first, at least; and how much longer each time that they do not settle it. */
const shortest = 64
const growth = 8

/** The passages that a question may find: all, or these. */
type Within = ReadonlyArray<number> | undefined

const within = (database: Database, { connector, levels, path }: SearchQuery): Within => {
  if (connector === undefined && path === undefined && levels === undefined) return undefined
  const matches = path === undefined ? () => true : matcher([path])
  const found = [...documents(database), ...memories(database)].filter((document) =>
    (connector === undefined || document.connector === connector)
    && (levels === undefined || levels.includes(document.level))
    && (path === undefined || (document.doc_id !== undefined && matches(document.doc_id)))
  )
  return passagesOf(database, found.map(({ id }) => id))
}

const wordRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.Int,
  chunk_id: ChunkId,
  rank: Schema.Finite
})))

type Word = Candidate & { readonly bm25: number }

/** Best first. SQLite's bm25 is negative, and lower is better. */
const byWords = (database: Database, match: string, limit: number, passages: Within): ReadonlyArray<Word> => {
  const sql = (filter: string) =>
    `select p.id, p.chunk_id, bm25(words) as rank from words join passage p on p.id = words.rowid
    where words match ? ${filter} order by rank, p.chunk_id limit ?`
  const rows = passages === undefined
    ? database.all(sql(""), match, limit)
    : database.all(sql("and p.id in (select value from json_each(?))"), match, JSON.stringify(passages), limit)
  return wordRows(rows).map(({ chunk_id, id, rank }) => ({ id, chunk_id, bm25: -rank }))
}

const named = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int, chunk_id: ChunkId })))

/** Every passage of either list, with both of its terms. */
const candidatesOf = (
  database: Database,
  { vectors }: Plan,
  words: ReadonlyArray<Word>,
  near: ReadonlyArray<Near>
): ReadonlyArray<Candidate> => {
  const cosines = new Map(near.map(({ cosine, id }) => [id, cosine] as const))
  const far = words.map(({ id }) => id).filter((id) => !cosines.has(id))
  if (Option.isSome(vectors) && far.length > 0) {
    const { model, values } = vectors.value
    for (const { cosine, id } of nearest(database, model, values, far.length, far)) cosines.set(id, cosine)
  }
  const byId = new Map(words.map((word) => [word.id, word] as const))
  const others = [...cosines.keys()].filter((id) => !byId.has(id))
  const rows = named(
    database.all(
      "select id, chunk_id from passage where id in (select value from json_each(?))",
      JSON.stringify(others)
    )
  )
  return [...words, ...rows].map((candidate) => {
    const cosine = cosines.get(candidate.id)
    return cosine === undefined ? candidate : { ...candidate, cosine }
  })
}

const best = (database: Database, plan: Plan, k: number, passages: Within): ReadonlyArray<Scored> => {
  for (let limit = Math.max(4 * k, shortest);; limit *= growth) {
    const words = Option.match(plan.match, {
      onNone: () => [],
      onSome: (match) => byWords(database, match, limit, passages)
    })
    const near = Option.match(plan.vectors, {
      onNone: () => [],
      onSome: ({ model, values }) => nearest(database, model, values, limit, passages)
    })
    const lastWord = words[limit - 1]
    const lastNear = near[limit - 1]
    const rest = {
      ...(lastWord === undefined ? {} : { bm25: lastWord.bm25 }),
      ...(lastNear === undefined ? {} : { cosine: lastNear.cosine })
    }
    const fused = fuse(candidatesOf(database, plan, words, near), rest, k, plan.weight)
    if (fused.complete) return fused.best
  }
}

/**
 * What was found, best first; and how many passages only their words could find.
 *
 * @since 0.1.0
 * @category models
 */
export interface Found {
  readonly hits: ReadonlyArray<Hit>
  readonly wordsAlone: number
}

/**
 * @since 0.1.0
 * @category searching
 */
export const find = (database: Database, query: SearchQuery): Either.Either<Found, EmbedderMismatch> => {
  const passages = within(database, query)
  return Either.map(plan(database, query, passages), (chosen) => ({
    hits: query.k < 1 ? [] : hitsOf(database, best(database, chosen, query.k, passages)),
    wordsAlone: chosen.wordsAlone
  }))
}
