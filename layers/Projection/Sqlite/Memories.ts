/**
 * The memory of the index: L0 evidence, L1 session memory, L2 consolidated memory, each as a document of that level whose
 * passages are searched like any other. Of L1 and L2 the last of each owner is there. Evidence has passages while its
 * Record says what was cited.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { LocatedRecord } from "../../../services/LogReader.ts"
import { ConnectorName, type EmbedderFingerprint, MemoryId, RecordKey, Sha256 } from "../../../src/domain/Ids.ts"
import type { ConsolidatedMemory, Evidence, MemoryMark, SessionMemory } from "../../../src/domain/Memory.ts"
import { Span } from "../../../src/domain/Numbers.ts"
import { piecesOf, wordsOf } from "../../../src/memory/Pieces.ts"
import type { Database } from "./Database.ts"
import * as Passages from "./Passages.ts"
import * as Records from "./Records.ts"
import { ids, Utf8, utf8 } from "./Row.ts"

/** What becomes passages of the document. */
const fill = (database: Database, document: number, id: MemoryId, text: string): ReadonlyArray<number> => {
  Passages.removeAll(database, document)
  for (const { bytes, ...piece } of piecesOf(id, text)) {
    Passages.add(database, document, { ...piece, tokens: bytes, context: "", heading_path: [] })
  }
  return Passages.rowsOf(database, document)
}

const drop = (database: Database, document: number): void => {
  Passages.removeAll(database, document)
  database.run("delete from memory where document = ?", document)
  database.run("delete from document where id = ?", document)
}

const byId = (database: Database, level: MemoryMark["level"], id: MemoryId): ReadonlyArray<number> =>
  ids(database.all("select id from document where level = ? and doc_id = ?", level, utf8(id)))

interface Row {
  readonly owner: string
  readonly connector: string
  readonly restsOn: ReadonlyArray<MemoryId>
  readonly session_key?: string
  readonly evidence?: Evidence
}

const insert = (
  database: Database,
  { id, level, profile }: Pick<Evidence | SessionMemory | ConsolidatedMemory, "id" | "level" | "profile">,
  { connector, evidence, owner, restsOn, session_key }: Row
): number => {
  for (const old of byId(database, level, id)) drop(database, old)
  const document = database.run(
    `insert into document(level, connector, doc_id, source_uri, content_hash, embedder)
    values (?, ?, ?, x'', '', (select embedder from memory_embedder))`,
    level,
    connector,
    utf8(id)
  )
  database.run(
    `insert into memory(document, owner, profile, session_key, record_key, span, span_sha256, rests_on, stale)
    values (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    document,
    owner,
    utf8(profile),
    session_key === undefined ? null : utf8(session_key),
    evidence === undefined ? null : utf8(evidence.record_key),
    evidence === undefined ? null : JSON.stringify(evidence.span),
    evidence?.span_sha256 ?? null,
    JSON.stringify(restsOn)
  )
  return document
}

const putEvidence = (database: Database, body: Evidence): ReadonlyArray<number> => {
  const { connector, id, profile, record_key, session_key } = body
  const owner = JSON.stringify(["L0", connector, session_key, profile])
  const document = insert(database, body, { owner, connector, session_key, restsOn: [], evidence: body })
  return fill(database, document, id, wordsOf(body, Records.evidenceText(database, connector, record_key) ?? ""))
}

const putMemory = (database: Database, body: SessionMemory | ConsolidatedMemory): ReadonlyArray<number> => {
  const { id, profile, text } = body
  const row: Row = body.level === "L1"
    ? {
      owner: JSON.stringify(["L1", body.connector, body.session_key, profile]),
      connector: body.connector,
      session_key: body.session_key,
      restsOn: [...new Set(body.citations.flatMap(({ ids }) => ids))]
    }
    : { owner: JSON.stringify(["L2", profile]), connector: "", restsOn: [...body.inputs, ...body.evidence] }
  for (const old of ids(database.all("select document as id from memory where owner = ?", row.owner))) {
    drop(database, old)
  }
  return fill(database, insert(database, body, row), id, text)
}

const mark = (database: Database, { id, level, mark }: MemoryMark): void => {
  for (const document of byId(database, level, id)) {
    if (mark === "retired") drop(database, document)
    else database.run("update memory set stale = 1 where document = ?", document)
  }
}

/** Every passage of memory may need another vector. */
const setEmbedder = (database: Database, embedder: EmbedderFingerprint): ReadonlyArray<number> => {
  database.run("insert or replace into memory_embedder(id, embedder) values (1, ?)", utf8(embedder))
  database.run("update document set embedder = ? where level <> 'R'", utf8(embedder))
  return ids(
    database.all("select p.id from passage p join document d on d.id = p.document where d.level <> 'R'")
  )
}

/**
 * Takes in lines of memory that count. Its value are the passages that came, or may need another vector.
 *
 * @since 0.1.0
 * @category folding
 */
export const take = (database: Database, lines: ReadonlyArray<LocatedRecord>): ReadonlyArray<number> =>
  lines.flatMap(({ record }) => {
    if (record.kind !== "memory") return []
    const { body } = record
    switch (body.entry) {
      case "evidence":
        return putEvidence(database, body)
      case "memory":
        return putMemory(database, body)
      case "mark":
        mark(database, body)
        return []
      case "embedder":
        return setEmbedder(database, body.embedder)
      case "step":
        return []
    }
  })

const pointers = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  document: Schema.Int,
  connector: ConnectorName,
  id: Schema.compose(Utf8, MemoryId),
  record_key: Schema.compose(Utf8, RecordKey),
  span: Schema.parseJson(Span),
  span_sha256: Sha256
})))

/**
 * Looks again at evidence in Records of which something else is known now. Its value are the passages of those.
 *
 * @since 0.1.0
 * @category folding
 */
export const refresh = (
  database: Database,
  connector: ConnectorName,
  keys: ReadonlyArray<RecordKey>
): ReadonlyArray<number> =>
  keys.flatMap((key) =>
    pointers(database.all(
      `select m.document, d.connector, d.doc_id as id, m.record_key, m.span, m.span_sha256
      from memory m join document d on d.id = m.document where m.record_key = ? and d.connector = ?`,
      utf8(key),
      connector
    )).flatMap(({ document, id, ...pointer }) =>
      fill(database, document, id, wordsOf(pointer, Records.evidenceText(database, connector, key) ?? ""))
    )
  )
