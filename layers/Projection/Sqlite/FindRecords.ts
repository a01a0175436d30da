/**
 * Searches the archived Records for words. A filter is applied before anything is counted.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { RecordQuery } from "../../../services/Search.ts"
import { ConnectorName, DocId, SourceUri } from "../../../src/domain/Ids.ts"
import { RecordHit } from "../../../src/domain/SearchReport.ts"
import { matchOf, wordsOf } from "../../../src/search/Words.ts"
import { matcher } from "../../../src/text/Glob.ts"
import type { Database, Value } from "./Database.ts"
import { documents } from "./Dump.ts"
import { columns, told } from "./Records.ts"
import { Utf8, utf8 } from "./Row.ts"

type Filter = readonly [sql: string, value: Value]

const projects = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ project: Utf8 })))

/** Blobs do not go through JSON. */
const projectsOf = (database: Database, glob: string): ReadonlyArray<string> => {
  const matches = matcher([glob])
  return projects(database.all("select distinct project from record where project is not null")).flatMap(
    ({ project }) => matches(project) ? [Buffer.from(project).toString("hex").toUpperCase()] : []
  )
}

const filtersOf = (database: Database, query: RecordQuery): ReadonlyArray<Filter> => {
  const { connector, path, project, role, since, tool, until } = query
  const matches = path === undefined ? () => true : matcher([path])
  const sessions = path === undefined
    ? undefined
    : documents(database).flatMap(({ doc_id, id }) => matches(doc_id) ? [id] : [])
  return [
    ...(connector === undefined ? [] : [["r.connector = ?", connector] as const]),
    ...(sessions === undefined
      ? []
      : [["r.document in (select value from json_each(?))", JSON.stringify(sessions)] as const]),
    ...(role === undefined ? [] : [["r.role = ?", role] as const]),
    ...(tool === undefined ? [] : [["r.tool_name = ?", utf8(tool)] as const]),
    ...(since === undefined ? [] : [["r.at >= ?", since] as const]),
    ...(until === undefined ? [] : [["r.at < ?", until] as const]),
    ...(project === undefined
      ? []
      : [
        ["hex(r.project) in (select value from json_each(?))", JSON.stringify(projectsOf(database, project))] as const
      ])
  ]
}

const rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  rank: Schema.Finite,
  connector: ConnectorName,
  doc_id: Schema.compose(Utf8, DocId),
  source_uri: Schema.compose(Utf8, SourceUri),
  number: Schema.Int,
  ...columns
})))

/**
 * What was found, best first; the best has the score 1, as where passages are found by words.
 *
 * @since 0.1.0
 * @category searching
 */
export const findRecords = (database: Database, query: RecordQuery): ReadonlyArray<RecordHit> => {
  const { all, telling } = wordsOf(query.text)
  const words = telling.length > 0 ? telling : all
  if (words.length === 0 || query.k < 1) return []
  const filters = filtersOf(database, query)
  // SQLite's bm25 is negative, and lower is better.
  const found = database.all(
    `with best as (
      select r.id, bm25(record_words) as rank
      from record_words join record r on r.id = record_words.rowid
      where record_words match ? ${filters.map(([sql]) => `and ${sql}`).join(" ")}
      order by rank, r.segment, r.offset limit ?)
    select b.rank, r.connector, d.doc_id, d.source_uri, r.key, r.session_key, r.role, r.kind, r.tool_name, r.at,
      r.project, r.derived, r.text,
      (select count(*) from record o where o.document = r.document and o.superseded = 0
        and (o.segment < r.segment or (o.segment = r.segment and o.offset <= r.offset))) as number
    from best b join record r on r.id = b.id join document d on d.id = r.document
    order by b.rank, r.segment, r.offset`,
    matchOf(words),
    ...filters.map(([, value]) => value),
    query.k
  )
  const hits = rows(found)
  const best = -(hits[0]?.rank ?? 0)
  return hits.map((row) =>
    new RecordHit({
      score: best > 0 ? -row.rank / best : 0,
      connector: row.connector,
      doc_id: row.doc_id,
      source_uri: row.source_uri,
      lines: [row.number, row.number],
      ...told(row),
      excerpt: false
    })
  )
}
