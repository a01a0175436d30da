/**
 * The vectors of the index: where each stands that the log ever had, and those of live passages, in a table for each
 * model and length.
 *
 * A table is sqlite-vec's where that is at hand and takes the length, else a plain one. Both answer to the same
 * statements; only the nearest rows are found otherwise. Keys go in as bigint, vectors as bytes: sqlite-vec wants both
 * so.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { LogPosition } from "../../../services/LogReader.ts"
import type { EmbedderFingerprint, Sha256 } from "../../../src/domain/Ids.ts"
import type { Vector } from "../../../src/domain/Reference.ts"
import * as Float32 from "../../../src/log/Float32.ts"
import type { Database } from "./Database.ts"
import { Hash, hashBytes, ids, Utf8, utf8 } from "./Row.ts"

/** What sqlite-vec takes at most. */
const mostDims = 8192

/** Vectors that its table keeps together. With more, a small index is a large file; with fewer, a search is slower. */
const together = 256

/**
 * A model of vectors. `form` is that of its table, null while it has none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Model {
  readonly id: number
  readonly dims: number
  readonly form: "vec0" | "plain" | null
}

const Models = Schema.Array(Schema.Struct({
  id: Schema.Int,
  dims: Schema.Int,
  form: Schema.NullOr(Schema.Literal("vec0", "plain"))
}))

const models: (rows: ReadonlyArray<unknown>) => ReadonlyArray<Model> = Schema.decodeUnknownSync(Models)

/**
 * The name of a model's table.
 *
 * @since 0.1.0
 * @category tables
 */
export const tableOf = (model: number): string => `vectors_${model}`

/**
 * A model by its name and length, if a vector of it was ever in the log.
 *
 * @since 0.1.0
 * @category reading
 */
export const modelOf = (database: Database, fingerprint: EmbedderFingerprint, dims: number): Option.Option<Model> =>
  Option.fromNullable(
    models(
      database.all("select id, dims, form from model where fingerprint = ? and dims = ?", utf8(fingerprint), dims)
    )[0]
  )

/**
 * Remembers where a vector stands; a later line of the same text and model goes before an earlier one. Its value are
 * the live passages of that text, and the vector's bytes. One that is not whole, or points nowhere, is passed over.
 *
 * @since 0.1.0
 * @category folding
 */
export const note = (
  database: Database,
  { data, dims, embed_sha256, model: fingerprint }: Vector,
  { offset, segment }: LogPosition
): Option.Option<{ readonly bytes: Uint8Array; readonly passages: ReadonlyArray<number> }> => {
  if (Either.isLeft(Float32.usable(data, dims))) return Option.none()
  const model = Option.getOrElse(modelOf(database, fingerprint, dims), () => ({
    id: database.run("insert into model(fingerprint, dims) values (?, ?)", utf8(fingerprint), dims)
  }))
  database.run(
    `insert into vector(embed_sha256, model, segment, offset) values (?, ?, ?, ?)
    on conflict (embed_sha256, model) do update set segment = excluded.segment, offset = excluded.offset`,
    hashBytes(embed_sha256),
    model.id,
    segment,
    offset
  )
  return Option.some({
    bytes: Buffer.from(data, "base64"),
    passages: ids(database.all("select id from passage where embed_sha256 = ?", hashBytes(embed_sha256)))
  })
}

/**
 * A live passage whose vector is not the one that it should have: `wanted` says where that stands, and of which model
 * it is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Outdated {
  readonly passage: number
  readonly embed_sha256: Sha256
  readonly fingerprint: string | null
  readonly wanted: Option.Option<{ readonly model: Model; readonly position: LogPosition }>
}

const outdatedRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.Int,
  embed_sha256: Hash,
  fingerprint: Schema.NullOr(Utf8),
  had_segment: Schema.NullOr(Schema.Int),
  had_offset: Schema.NullOr(Schema.Int),
  model: Schema.NullOr(Schema.Int),
  dims: Schema.NullOr(Schema.Int),
  form: Schema.NullOr(Schema.Literal("vec0", "plain")),
  segment: Schema.NullOr(Schema.Int),
  offset: Schema.NullOr(Schema.Int)
})))

/**
 * Which of these passages have another vector than the last that the log has of their text, by the model of their
 * document's commit, or of memory's.
 *
 * @since 0.1.0
 * @category folding
 */
export const outdated = (database: Database, passages: Iterable<number>): ReadonlyArray<Outdated> =>
  outdatedRows(database.all(
    `select * from (
      select p.id, p.embed_sha256, m.fingerprint, p.segment as had_segment, p.offset as had_offset,
        m.id as model, m.dims, m.form, v.segment, v.offset,
        row_number() over (partition by p.id order by v.segment desc, v.offset desc) as place
      from passage p
      join document d on d.id = p.document
      left join model m on m.fingerprint = d.embedder
      left join vector v on v.embed_sha256 = p.embed_sha256 and v.model = m.id
      where p.id in (select value from json_each(?))
    ) where place = 1 and (had_segment is not segment or had_offset is not offset)`,
    JSON.stringify([...passages])
  )).map(({ dims, embed_sha256, fingerprint, form, id, model, offset, segment }) => ({
    passage: id,
    embed_sha256,
    fingerprint,
    wanted: model === null || dims === null || segment === null || offset === null
      ? Option.none()
      : Option.some({ model: { id: model, dims, form }, position: { segment, offset } })
  }))

/** The model's table, made where it has none. */
const table = (database: Database, model: number): string => {
  const [row] = models(database.all("select id, dims, form from model where id = ?", model))
  const name = tableOf(model)
  if (row !== undefined && row.form === null) {
    const form = database.vec0 && row.dims <= mostDims ? "vec0" : "plain"
    database.exec(
      form === "vec0"
        ? `create virtual table ${name} using vec0(
            embedding float[${row.dims}] distance_metric=cosine, chunk_size=${together})`
        : `create table ${name}(rowid integer primary key, embedding blob not null)`
    )
    database.run("update model set form = ? where id = ?", form, model)
  }
  return name
}

const attached = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ model: Schema.Int })))

/**
 * Takes a passage's vector away, if it has one.
 *
 * @since 0.1.0
 * @category folding
 */
export const detach = (database: Database, passage: number): void => {
  for (
    const { model } of attached(
      database.all("select model from passage where id = ? and model is not null", passage)
    )
  ) {
    database.run(`delete from ${tableOf(model)} where rowid = ?`, BigInt(passage))
    database.run("update passage set model = null, segment = null, offset = null where id = ?", passage)
  }
}

/**
 * Gives a passage its vector, of the length that the model has.
 *
 * @since 0.1.0
 * @category folding
 */
export const attach = (
  database: Database,
  passage: number,
  { model, position: { offset, segment } }: { readonly model: Model; readonly position: LogPosition },
  bytes: Uint8Array
): void => {
  detach(database, passage)
  database.run(`insert into ${table(database, model.id)}(rowid, embedding) values (?, ?)`, BigInt(passage), bytes)
  database.run(
    "update passage set model = ?, segment = ?, offset = ? where id = ?",
    model.id,
    segment,
    offset,
    passage
  )
}

/**
 * Lets go of tables whose last vector is gone, as when all documents were embedded anew by another model.
 *
 * @since 0.1.0
 * @category folding
 */
export const sweep = (database: Database): void => {
  const empty = ids(database.all(
    `select id from model where form is not null and not exists (select 1 from passage where model = model.id)`
  ))
  for (const model of empty) {
    database.exec(`drop table ${tableOf(model)}`)
    database.run("update model set form = null where id = ?", model)
  }
}
