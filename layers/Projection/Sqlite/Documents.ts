/**
 * The documents of the index. What the fold has to know of a document is loaded when a group of it comes
 * in, and what becomes of it is written back.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ChunkId } from "../../../src/domain/Ids.ts"
import type { Commit } from "../../../src/domain/Reference.ts"
import type { WholeGroup } from "../../../src/log/Gather.ts"
import { commit as stepOf, unknown } from "../../../src/log/LiveDocument.ts"
import type { Database } from "./Database.ts"
import * as Memories from "./Memories.ts"
import * as Passages from "./Passages.ts"
import * as Records from "./Records.ts"
import { ids, utf8 } from "./Row.ts"

const chunkIds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ chunk_id: ChunkId })))

/** The document's row, as this commit leaves it. */
const store = (database: Database, { connector, content_hash, doc_id, embedder, source_uri }: Commit): number => {
  const [id = 0] = ids(database.all(
    `insert into document(connector, doc_id, source_uri, content_hash, embedder) values (?, ?, ?, ?, ?)
    on conflict (level, connector, doc_id) do update set
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
 * Does what a whole group says. Its value are the passages that are live in the document now, and those of evidence in
 * its Records: each may need another vector than it had.
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
  Passages.remove(database, document, removed)
  for (const { reference } of added) Passages.add(database, document, reference)
  const { connector } = group.commit
  const touched = records.flatMap((archived) => Records.put(database, { id: document, connector }, archived))
  const gone = group.commit.removed === true ? Records.removeAll(database, document) : []
  if (group.commit.removed === true) database.run("delete from document where id = ?", document)
  return [...Passages.rowsOf(database, document), ...Memories.refresh(database, connector, [...touched, ...gone])]
}
