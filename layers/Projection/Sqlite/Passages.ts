/**
 * The passages of the index, their words and their vectors with them.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { ChunkId } from "../../../src/domain/Ids.ts"
import type { Reference } from "../../../src/domain/Reference.ts"
import type { Database } from "./Database.ts"
import { hashBytes, ids, Utf8, utf8, words } from "./Row.ts"
import { detach } from "./Vectors.ts"

/**
 * What the index keeps of a passage.
 *
 * @since 0.1.0
 * @category models
 */
export type IndexedPassage = Pick<
  Reference,
  "chunk_id" | "context" | "embed_sha256" | "heading_path" | "lines" | "ordinal" | "text" | "tokens"
>

/** The headings above a passage are searched too. */
const searched = (context: string, text: string): string => words(`${context}\n${text}`)

/**
 * @since 0.1.0
 * @category folding
 */
export const add = (database: Database, document: number, passage: IndexedPassage): void => {
  const { chunk_id, context, embed_sha256, heading_path, lines: [first, last], ordinal, text, tokens } = passage
  const id = database.run(
    `insert into passage(
      document, chunk_id, ordinal, embed_sha256, heading_path, first_line, last_line, tokens, context, text)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    document,
    chunk_id,
    ordinal,
    hashBytes(embed_sha256),
    JSON.stringify(heading_path),
    first,
    last,
    tokens,
    utf8(context),
    utf8(text)
  )
  database.run("insert into words(rowid, text) values (?, ?)", id, searched(context, text))
}

const rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int, context: Utf8, text: Utf8 })))

const removeRows = (database: Database, found: ReadonlyArray<unknown>): void => {
  for (const { context, id, text } of rows(found)) {
    database.run("insert into words(words, rowid, text) values ('delete', ?, ?)", id, searched(context, text))
    detach(database, id)
    database.run("delete from passage where id = ?", id)
  }
}

/**
 * Takes away these passages of the document.
 *
 * @since 0.1.0
 * @category folding
 */
export const remove = (database: Database, document: number, gone: ReadonlyArray<ChunkId>): void =>
  removeRows(
    database,
    database.all(
      `select id, context, text from passage
      where document = ? and chunk_id in (select value from json_each(?))`,
      document,
      JSON.stringify(gone)
    )
  )

/**
 * Takes away all of them.
 *
 * @since 0.1.0
 * @category folding
 */
export const removeAll = (database: Database, document: number): void =>
  removeRows(database, database.all("select id, context, text from passage where document = ?", document))

/**
 * The rows of the document's passages.
 *
 * @since 0.1.0
 * @category reading
 */
export const rowsOf = (database: Database, document: number): ReadonlyArray<number> =>
  ids(database.all("select id from passage where document = ?", document))
