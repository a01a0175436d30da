/**
 * The vectors of a model that point most alike a question's. Exact, whichever way they are found: sqlite-vec compares
 * them all, and so does JavaScript where it is not at hand, or more are wanted than it gives.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { cosine } from "../../../src/search/Cosine.ts"
import type { Database } from "./Database.ts"
import { ids } from "./Row.ts"
import { type Model, tableOf } from "./Vectors.ts"

/** What sqlite-vec gives at most. */
const most = 4096

/**
 * A passage, by its row, and how alike its vector points.
 *
 * @since 0.1.0
 * @category models
 */
export interface Near {
  readonly id: number
  readonly cosine: number
}

const distances = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int, distance: Schema.Finite })))

const vectors = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.Int, embedding: Schema.Uint8ArrayFromSelf }))
)

const bytesOf = (query: Float32Array): Uint8Array => new Uint8Array(query.buffer, query.byteOffset, query.byteLength)

const byExtension = (
  database: Database,
  model: Model,
  query: Float32Array,
  limit: number,
  passages: string | undefined
): ReadonlyArray<Near> => {
  const table = tableOf(model.id)
  const sql = `select rowid as id, distance from ${table} where embedding match ? and k = ?`
  const rows = passages === undefined
    ? database.all(sql, bytesOf(query), limit)
    : database.all(`${sql} and rowid in (select value from json_each(?))`, bytesOf(query), limit, passages)
  return distances(rows).map(({ distance, id }) => ({ id, cosine: 1 - distance }))
}

const byComparing = (
  database: Database,
  model: Model,
  query: Float32Array,
  limit: number,
  passages: ReadonlySet<number> | undefined
): ReadonlyArray<Near> =>
  vectors(database.all(`select rowid as id, embedding from ${tableOf(model.id)}`))
    .filter(({ id }) => passages === undefined || passages.has(id))
    .map(({ embedding, id }) => ({ id, cosine: cosine(query, embedding) }))
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, limit)

/**
 * The passages of these documents, as a list for a statement.
 *
 * @since 0.1.0
 * @category reading
 */
export const passagesOf = (database: Database, documents: ReadonlyArray<number>): ReadonlyArray<number> =>
  ids(
    database.all(
      "select id from passage where document in (select value from json_each(?))",
      JSON.stringify(documents)
    )
  )

/**
 * The nearest, best first, `limit` at most; of these passages alone, where they are given.
 *
 * @since 0.1.0
 * @category searching
 */
export const nearest = (
  database: Database,
  model: Model,
  query: Float32Array,
  limit: number,
  passages?: ReadonlyArray<number>
): ReadonlyArray<Near> =>
  model.form === "vec0" && limit <= most
    ? byExtension(database, model, query, limit, passages === undefined ? undefined : JSON.stringify(passages))
    : byComparing(database, model, query, limit, passages === undefined ? undefined : new Set(passages))
