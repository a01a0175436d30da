/**
 * The documents and passages of the index. What the fold has to know of a document is loaded when a group of it comes
 * in, and what becomes of it is written back.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ChunkId } from "../../../src/domain/Ids.ts"
import type { Commit } from "../../../src/domain/Reference.ts"
import type { WholeGroup } from "../../../src/log/Gather.ts"
import { type Added, commit as stepOf, unknown } from "../../../src/log/LiveDocument.ts"
import type { Database } from "./Database.ts"
import * as Records from "./Records.ts"
import { hashBytes, ids, Utf8, utf8, words } from "./Row.ts"
import { detach } from "./Vectors.ts"

const chunkIds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ chunk_id: ChunkId })))

const passages = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.Int,
  context: Utf8,
  text: Utf8
})))

/** The headings above a passage are searched too. */
const searched = (context: string, text: string): string => words(`${context}\n${text}`)

const removePassage = (database: Database, document: number, chunk_id: ChunkId): void => {
  const rows = passages(
    database.all("select id, context, text from passage where document = ? and chunk_id = ?", document, chunk_id)
  )
  for (const { context, id, text } of rows) {
    database.run("insert into words(words, rowid, text) values ('delete', ?, ?)", id, searched(context, text))
    detach(database, id)
    database.run("delete from passage where id = ?", id)
  }
}

const addPassage = (database: Database, document: number, { reference }: Added): void => {
  const { chunk_id, context, embed_sha256, heading_path, lines: [first, last], ordinal, text, tokens } = reference
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

/** The document's row, as this commit leaves it. */
const store = (database: Database, { connector, content_hash, doc_id, embedder, source_uri }: Commit): number => {
  const [id = 0] = ids(database.all(
    `insert into document(connector, doc_id, source_uri, content_hash, embedder) values (?, ?, ?, ?, ?)
    on conflict (connector, doc_id) do update set
      source_uri = excluded.source_uri, content_hash = excluded.content_hash, embedder = excluded.embedder
    returning id`,
    connector,
    utf8(doc_id),
    utf8(source_uri),
    content_hash,
    utf8(embedder)
  ))
  return id
}

/**
 * Does what a whole group says. Its value are the passages that are live in the document now: each may need another
 * vector than it had.
 *
 * @since 0.1.0
 * @category folding
 */
export const commit = (database: Database, group: WholeGroup): ReadonlyArray<number> => {
  const document = store(database, group.commit)
  const chunk_ids = chunkIds(database.all("select chunk_id from passage where document = ?", document)).map((row) =>
    row.chunk_id
  )
  // Whether it is excluded changes nothing of what is live.
  const { added, records, removed } = stepOf({ ...unknown, chunk_ids }, group)
  for (const chunk_id of removed) removePassage(database, document, chunk_id)
  for (const passage of added) addPassage(database, document, passage)
  for (const archived of records) Records.put(database, { id: document, connector: group.commit.connector }, archived)
  if (group.commit.removed === true) {
    Records.removeAll(database, document)
    database.run("delete from document where id = ?", document)
  }
  return ids(database.all("select id from passage where document = ?", document))
}
