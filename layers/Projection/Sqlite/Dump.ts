/**
 * Every live item of the index, in the order of a dump.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import {
  ChunkId,
  ConnectorName,
  DocId,
  Fingerprint,
  MemoryId,
  RecordKey,
  SessionKey,
  SourceUri
} from "../../../src/domain/Ids.ts"
import { Count, Positive } from "../../../src/domain/Numbers.ts"
import { type DumpLine, MemoryDumpLine, RecordDumpLine, ReferenceDumpLine } from "../../../src/domain/RebuildReport.ts"
import type { Database } from "./Database.ts"
import { columns, told } from "./Records.ts"
import { Utf8 } from "./Row.ts"
import { tableOf } from "./Vectors.ts"

/**
 * A document of the index, by its row.
 *
 * @since 0.1.0
 * @category models
 */
export interface DocumentRow {
  readonly id: number
  readonly level: "R"
  readonly connector: ConnectorName
  readonly doc_id: DocId
}

const documentRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.Int,
  level: Schema.Literal("R"),
  connector: ConnectorName,
  doc_id: Schema.compose(Utf8, DocId)
})))

/** By code units, as every part of the program sorts; SQLite would compare the bytes of UTF-8. */
const order = (a: DocumentRow, b: DocumentRow): number =>
  a.connector !== b.connector ? a.connector < b.connector ? -1 : 1 : a.doc_id < b.doc_id ? -1 : 1

/**
 * The documents, sorted. They are all in memory at once, without their texts.
 *
 * @since 0.1.0
 * @category reading
 */
export const documents = (database: Database): ReadonlyArray<DocumentRow> =>
  [...documentRows(database.all("select id, level, connector, doc_id from document where level = 'R'"))].sort(order)

/**
 * A memory of the index, by its row. `doc_id` is the document that its evidence was said in.
 *
 * @since 0.1.0
 * @category models
 */
export interface MemoryRow {
  readonly id: number
  readonly level: "L0" | "L1" | "L2"
  readonly memory: MemoryId
  readonly connector: ConnectorName | undefined
  readonly doc_id: DocId | undefined
}

const memoryRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.Int,
  level: Schema.Literal("L0", "L1", "L2"),
  memory: Schema.compose(Utf8, MemoryId),
  connector: Schema.Union(ConnectorName, Schema.Literal("")),
  doc_id: Schema.NullOr(Schema.compose(Utf8, DocId))
})))

const byLevel = (a: MemoryRow, b: MemoryRow): number =>
  a.level !== b.level ? a.level < b.level ? -1 : 1 : a.memory < b.memory ? -1 : 1

/**
 * The memories, sorted by level and id.
 *
 * @since 0.1.0
 * @category reading
 */
export const memories = (database: Database): ReadonlyArray<MemoryRow> =>
  memoryRows(database.all(
    `select d.id, d.level, d.doc_id as memory, d.connector, s.doc_id
    from document d join memory m on m.document = d.id
    left join record r on r.connector = d.connector and r.key = m.record_key
    left join document s on s.id = r.document`
  )).map(({ connector, doc_id, id, level, memory }): MemoryRow => ({
    id,
    level,
    memory,
    connector: connector === "" ? undefined : connector,
    doc_id: doc_id ?? undefined
  })).sort(byLevel)

const passageRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.Int,
  source_uri: Schema.compose(Utf8, SourceUri),
  content_hash: Fingerprint,
  chunk_id: ChunkId,
  ordinal: Count,
  heading_path: Schema.parseJson(Schema.Array(Schema.String)),
  first_line: Positive,
  last_line: Positive,
  tokens: Count,
  text: Utf8,
  model: Schema.NullOr(Schema.Int)
})))

const embeddings = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ embedding: Schema.Uint8ArrayFromSelf })))

const embeddingOf = (database: Database, model: number, passage: number): { readonly embedding?: string } => {
  const [row] = embeddings(database.all(`select embedding from ${tableOf(model)} where rowid = ?`, BigInt(passage)))
  return row === undefined ? {} : { embedding: Buffer.from(row.embedding).toString("base64") }
}

const recordRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  source_uri: Schema.compose(Utf8, SourceUri),
  seq: Count,
  ...columns
})))

const recordsOf = (database: Database, { connector, doc_id, id }: DocumentRow): ReadonlyArray<RecordDumpLine> =>
  recordRows(database.all(
    `select d.source_uri, r.key, r.session_key, r.seq, r.role, r.kind, r.tool_name, r.at, r.project, r.derived, r.text
    from record r join document d on d.id = r.document
    where r.document = ? and r.superseded = 0 order by r.segment, r.offset`,
    id
  )).map((row, ordinal) =>
    new RecordDumpLine({
      kind: "record",
      connector,
      doc_id,
      source_uri: row.source_uri,
      ordinal,
      seq: row.seq,
      ...told(row)
    }, { disableValidation: true })
  )

const passagesOf = (
  database: Database,
  { connector, doc_id, id }: DocumentRow,
  options: { readonly embeddings: boolean }
): ReadonlyArray<ReferenceDumpLine> =>
  passageRows(database.all(
    `select p.id, d.source_uri, d.content_hash, p.chunk_id, p.ordinal, p.heading_path, p.first_line, p.last_line,
      p.tokens, p.text, p.model
    from passage p join document d on d.id = p.document
    where p.document = ? order by p.ordinal, p.chunk_id`,
    id
  )).map((row) =>
    new ReferenceDumpLine({
      kind: "reference",
      level: "R",
      connector,
      doc_id,
      source_uri: row.source_uri,
      content_hash: row.content_hash,
      ordinal: row.ordinal,
      chunk_id: row.chunk_id,
      heading_path: row.heading_path,
      lines: [row.first_line, row.last_line],
      tokens: row.tokens,
      text: row.text,
      ...(options.embeddings && row.model !== null ? embeddingOf(database, row.model, row.id) : {})
    }, { disableValidation: true })
  )

const pieceRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.Int,
  ordinal: Count,
  first_line: Positive,
  last_line: Positive,
  profile: Utf8,
  session_key: Schema.NullOr(Schema.compose(Utf8, SessionKey)),
  key: Schema.NullOr(Schema.compose(Utf8, RecordKey)),
  stale: Schema.Int,
  text: Utf8,
  model: Schema.NullOr(Schema.Int)
})))

const piecesOf = (
  database: Database,
  { connector, id, level, memory }: MemoryRow,
  options: { readonly embeddings: boolean }
): ReadonlyArray<MemoryDumpLine> =>
  pieceRows(database.all(
    `select p.id, p.ordinal, p.first_line, p.last_line, m.profile, m.session_key, m.record_key as key, m.stale, p.text,
      p.model
    from passage p join memory m on m.document = p.document where p.document = ? order by p.ordinal`,
    id
  )).map((row) =>
    new MemoryDumpLine({
      kind: "memory",
      level,
      id: memory,
      ordinal: row.ordinal,
      profile: row.profile,
      ...(connector === undefined ? {} : { connector }),
      ...(row.session_key === null ? {} : { session_key: row.session_key }),
      ...(row.key === null ? {} : { key: row.key }),
      lines: [row.first_line, row.last_line],
      stale: row.stale === 1,
      text: row.text,
      ...(options.embeddings && row.model !== null ? embeddingOf(database, row.model, row.id) : {})
    }, { disableValidation: true })
  )

/**
 * The lines of one document: its passages, or the Records of a session; or of one memory.
 *
 * @since 0.1.0
 * @category reading
 */
export const linesOf = (
  database: Database,
  row: DocumentRow | MemoryRow,
  options: { readonly embeddings: boolean }
): ReadonlyArray<DumpLine> =>
  row.level === "R"
    ? [...passagesOf(database, row, options), ...recordsOf(database, row)]
    : piecesOf(database, row, options)

/**
 * All rows, in the order of a dump: documents, and memory behind them.
 *
 * @since 0.1.0
 * @category reading
 */
export const everything = (database: Database): ReadonlyArray<DocumentRow | MemoryRow> => [
  ...documents(database),
  ...memories(database)
]
