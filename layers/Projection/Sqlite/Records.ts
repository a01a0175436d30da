/**
 * The archived Records of the index. Of each key the last line counts; a Record that another one supersedes stays known,
 * and is neither shown nor found.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { type ConnectorName, RecordKey, SessionKey, Timestamp } from "../../../src/domain/Ids.ts"
import { Derived, type Record, RecordKind, Role } from "../../../src/domain/Record.ts"
import type { Archived } from "../../../src/log/LiveDocument.ts"
import type { Database } from "./Database.ts"
import { Utf8, utf8, words } from "./Row.ts"

const stored = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.Int,
  superseded: Schema.Int,
  text: Utf8
})))

type Stored = ReturnType<typeof stored>[number]

const find = (database: Database, connector: ConnectorName, key: RecordKey): Stored | undefined =>
  stored(
    database.all("select id, superseded, text from record where connector = ? and key = ?", connector, utf8(key))
  )[0]

const unfind = (database: Database, { id, superseded, text }: Stored): void => {
  if (superseded === 1) return
  database.run("insert into record_words(record_words, rowid, text) values ('delete', ?, ?)", id, words(text))
}

const supersede = (database: Database, connector: ConnectorName, key: RecordKey): void => {
  const old = find(database, connector, key)
  if (old === undefined) return
  unfind(database, old)
  database.run("update record set superseded = 1 where id = ?", old.id)
}

const blob = (text: string | undefined): Uint8Array | null => text === undefined ? null : utf8(text)

const derivedBy = ({ derived }: Record): string | null => derived === false ? null : derived.by

/**
 * Takes in a line of a Record. Its value are the keys that say something else now.
 *
 * @since 0.1.0
 * @category folding
 */
export const put = (
  database: Database,
  document: { readonly id: number; readonly connector: ConnectorName },
  { position, record }: Archived
): ReadonlyArray<RecordKey> => {
  const { connector } = document
  const old = find(database, connector, record.key)
  if (old !== undefined) {
    unfind(database, old)
    database.run("delete from record where id = ?", old.id)
  }
  const superseded = old?.superseded ?? 0
  const id = database.run(
    `insert into record(
      document, connector, key, segment, offset, superseded, session_key, seq, role, kind, tool_name, at, project, derived,
      text)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    document.id,
    connector,
    utf8(record.key),
    position.segment,
    position.offset,
    superseded,
    utf8(record.session_key),
    record.seq,
    record.role,
    record.kind,
    blob(record.tool_name),
    record.at,
    blob(record.meta.cwd),
    derivedBy(record),
    utf8(record.text)
  )
  if (superseded === 0) {
    database.run("insert into record_words(rowid, text) values (?, ?)", id, words(record.text))
  }
  if (record.supersedes === undefined || record.supersedes === record.key) return [record.key]
  supersede(database, connector, record.supersedes)
  return [record.key, record.supersedes]
}

const keys = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ key: Schema.compose(Utf8, RecordKey) })))

/**
 * Takes away all Records of a session. Its value are their keys.
 *
 * @since 0.1.0
 * @category folding
 */
export const removeAll = (database: Database, document: number): ReadonlyArray<RecordKey> => {
  const gone = keys(database.all("select key from record where document = ?", document)).map(({ key }) => key)
  for (const old of stored(database.all("select id, superseded, text from record where document = ?", document))) {
    unfind(database, old)
  }
  database.run("delete from record where document = ?", document)
  return gone
}

const evidence = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ text: Utf8 })))

/**
 * The text of a Record that may be evidence: none of one that was superseded, taken out, or is derived, or a thought.
 *
 * @since 0.1.0
 * @category reading
 */
export const evidenceText = (database: Database, connector: ConnectorName, key: RecordKey): string | undefined =>
  evidence(
    database.all(
      `select text from record
      where connector = ? and key = ? and superseded = 0 and derived is null and kind <> 'thinking'`,
      connector,
      utf8(key)
    )
  )[0]?.text

/**
 * The columns of a Record that are told of it.
 *
 * @since 0.1.0
 * @category reading
 */
export const columns = {
  key: Schema.compose(Utf8, RecordKey),
  session_key: Schema.compose(Utf8, SessionKey),
  role: Role,
  kind: RecordKind,
  tool_name: Schema.NullOr(Utf8),
  at: Schema.NullOr(Timestamp),
  project: Schema.NullOr(Utf8),
  derived: Schema.NullOr(Derived.fields.by),
  text: Utf8
}

const Columns = Schema.Struct(columns)

/**
 * What they tell, as a dump and a hit have it.
 *
 * @since 0.1.0
 * @category reading
 */
export const told = ({ at, derived, key, kind, project, role, session_key, text, tool_name }: typeof Columns.Type) => ({
  key,
  session_key,
  role,
  block: kind,
  ...(tool_name === null ? {} : { tool_name }),
  at,
  ...(project === null ? {} : { project }),
  derived: derived ?? false as const,
  text
})
