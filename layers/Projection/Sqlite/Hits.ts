/**
 * What is told of the passages that were found.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { ChunkId } from "../../../src/domain/Ids.ts"
import { ConnectorName, DocId, MemoryId, RecordKey, SessionKey, SourceUri } from "../../../src/domain/Ids.ts"
import { Positive } from "../../../src/domain/Numbers.ts"
import { type Hit, MemoryHit, SearchHit } from "../../../src/domain/SearchReport.ts"
import type { Scored } from "../../../src/search/Fusion.ts"
import type { Database } from "./Database.ts"
import { Utf8, utf8 } from "./Row.ts"

const documentRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.Int,
  connector: ConnectorName,
  doc_id: Schema.compose(Utf8, DocId),
  source_uri: Schema.compose(Utf8, SourceUri),
  heading_path: Schema.parseJson(Schema.Array(Schema.String)),
  first_line: Positive,
  last_line: Positive,
  text: Utf8
})))

const inDocuments = (database: Database, passages: string) =>
  documentRows(database.all(
    `select p.id, d.connector, d.doc_id, d.source_uri, p.heading_path, p.first_line, p.last_line, p.text
    from passage p join document d on d.id = p.document
    where d.level = 'R' and p.id in (select value from json_each(?))`,
    passages
  )).map(({ first_line, id, last_line, ...row }) =>
    [id, (score: number, chunk_id: ChunkId): Hit =>
      new SearchHit({ score, level: "R", ...row, lines: [first_line, last_line], chunk_id, stale: false })] as const
  )

const memoryRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.Int,
  level: Schema.Literal("L0", "L1", "L2"),
  memory: Schema.compose(Utf8, MemoryId),
  connector: Schema.Union(ConnectorName, Schema.Literal("")),
  profile: Utf8,
  session_key: Schema.NullOr(Schema.compose(Utf8, SessionKey)),
  rests_on: Schema.parseJson(Schema.Array(MemoryId)),
  stale: Schema.Int,
  key: Schema.NullOr(Schema.compose(Utf8, RecordKey)),
  doc_id: Schema.NullOr(Schema.compose(Utf8, DocId)),
  source_uri: Schema.NullOr(Schema.compose(Utf8, SourceUri)),
  number: Schema.NullOr(Positive),
  text: Utf8
})))

/** A memory rests on what is there no more, or is stale itself, also where only the next sync is going to mark it. */
const isShaken = (database: Database, ids: ReadonlyArray<MemoryId>): boolean =>
  ids.some((id) =>
    database.all(
      `select 1 from document d join memory m on m.document = d.id
      where d.level <> 'R' and d.doc_id = ? and m.stale = 0 and (d.level <> 'L0' or exists (
        select 1 from passage p where p.document = d.id))`,
      utf8(id)
    ).length === 0
  )

const inMemory = (database: Database, passages: string) =>
  memoryRows(database.all(
    `select p.id, d.level, d.doc_id as memory, d.connector, m.profile, m.session_key, m.rests_on, m.stale,
      m.record_key as key, s.doc_id, s.source_uri, p.text,
      case when r.id is null then null else
        (select count(*) from record o where o.document = r.document and o.superseded = 0
          and (o.segment < r.segment or (o.segment = r.segment and o.offset <= r.offset))) end as number
    from passage p join document d on d.id = p.document join memory m on m.document = d.id
    left join record r on r.connector = d.connector and r.key = m.record_key
    left join document s on s.id = r.document
    where p.id in (select value from json_each(?))`,
    passages
  )).map((
    { connector, doc_id, id, key, level, memory, number, profile, rests_on, session_key, source_uri, stale, text }
  ) =>
    [id, (score: number, chunk_id: ChunkId): Hit =>
      new MemoryHit({
        score,
        level,
        id: memory,
        profile,
        ...(connector === "" ? {} : { connector }),
        ...(session_key === null ? {} : { session_key }),
        ...(doc_id === null ? {} : { doc_id }),
        ...(source_uri === null ? {} : { source_uri }),
        ...(number === null ? {} : { lines: [number, number] }),
        ...(key === null ? {} : { key }),
        text,
        chunk_id,
        stale: stale === 1 || isShaken(database, rests_on)
      })] as const
  )

/**
 * The hits, in the order in which their passages were found.
 *
 * @since 0.1.0
 * @category reading
 */
export const hitsOf = (database: Database, found: ReadonlyArray<Scored>): ReadonlyArray<Hit> => {
  const passages = JSON.stringify(found.map(({ id }) => id))
  const told = new Map([...inDocuments(database, passages), ...inMemory(database, passages)])
  return found.flatMap(({ chunk_id, id, score }) => {
    const hit = told.get(id)
    return hit === undefined ? [] : [hit(score, chunk_id)]
  })
}
