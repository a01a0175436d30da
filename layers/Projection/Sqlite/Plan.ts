/**
 * How a question is searched: by which words, and by whose vectors. Vectors of two models are never compared.
 *
 * Passages without a vector of the question's model (their document is waiting for its vectors, or was stored without)
 * are found by their words alone. Where no passage has one, but others have, the question is refused.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { SearchQuery } from "../../../services/Search.ts"
import { EmbedderMismatch } from "../../../src/domain/StoreErrors.ts"
import { hasDirection } from "../../../src/log/Float32.ts"
import { wordWeight } from "../../../src/search/Fusion.ts"
import { matchOf, wordsOf } from "../../../src/search/Words.ts"
import type { Database } from "./Database.ts"
import { Utf8 } from "./Row.ts"
import { type Model, modelOf } from "./Vectors.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Plan {
  /** What the table of words is asked. */
  readonly match: Option.Option<string>
  readonly vectors: Option.Option<{ readonly model: Model; readonly values: Float32Array }>
  /** Of the words beside the vectors. */
  readonly weight: number
  /** How many passages only their words can find, though there is a vector to search by. */
  readonly wordsAlone: number
}

const census = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  fingerprint: Schema.NullOr(Utf8),
  dims: Schema.NullOr(Schema.Int),
  passages: Schema.Int
})))

const countByModel = (database: Database, passages: ReadonlyArray<number> | undefined) => {
  const sql = (filter: string) =>
    `select m.fingerprint, m.dims, count(*) as passages from passage p left join model m on m.id = p.model
    ${filter} group by p.model order by passages desc`
  return census(
    passages === undefined
      ? database.all(sql(""))
      : database.all(sql("where p.id in (select value from json_each(?))"), JSON.stringify(passages))
  )
}

type Comparable = Option.Option<{ readonly model: Model; readonly values: Float32Array; readonly without: number }>

const comparable = (
  database: Database,
  { mode, vector }: SearchQuery,
  passages: ReadonlyArray<number> | undefined
): Either.Either<Comparable, EmbedderMismatch> => {
  if (mode === "keyword" || vector === undefined || !hasDirection(vector.values)) return Either.right(Option.none())
  const { fingerprint, values } = vector
  const counts = countByModel(database, passages)
  const all = counts.reduce((sum, count) => sum + count.passages, 0)
  const same = counts.find((count) => count.fingerprint === fingerprint && count.dims === values.length)
  const model = same === undefined ? Option.none() : modelOf(database, fingerprint, values.length)
  if (same !== undefined && Option.isSome(model)) {
    return Either.right(Option.some({ model: model.value, values, without: all - same.passages }))
  }
  const other = counts.find((count) => count.fingerprint !== null)
  if (other === undefined && (all === 0 || mode === "hybrid")) return Either.right(Option.none())
  const lengths = other?.fingerprint === fingerprint
  return Either.left(
    new EmbedderMismatch({
      index: `${other?.fingerprint ?? "none"}${lengths ? ` (${other.dims} values)` : ""}`,
      query: `${fingerprint}${lengths ? ` (${values.length} values)` : ""}`
    })
  )
}

/**
 * @since 0.1.0
 * @category planning
 */
export const plan = (
  database: Database,
  query: SearchQuery,
  passages: ReadonlyArray<number> | undefined
): Either.Either<Plan, EmbedderMismatch> =>
  Either.map(comparable(database, query, passages), (vectors) => {
    const { all, telling } = wordsOf(query.text)
    const byMeaning = Option.isSome(vectors)
    const words = byMeaning && query.mode === "vector" ? [] : telling.length > 0 || byMeaning ? telling : all
    return {
      match: words.length === 0 ? Option.none() : Option.some(matchOf(words)),
      vectors,
      weight: byMeaning ? wordWeight : 1,
      wordsAlone: Option.match(vectors, { onNone: () => 0, onSome: ({ without }) => without })
    }
  })
