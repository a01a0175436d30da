/**
 * The tables of the index, and whether a database has them. What is in them follows from the log alone, so there is no
 * migration: another version means another file.
 *
 * Free text is kept as bytes in UTF-8, for SQLite ends a string at its first zero character.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Database } from "./Database.ts"

/**
 * Version of the tables and of what is written into them. A change of either, of the text that is searched for words
 * too, is a change of this number.
 *
 * @since 0.1.0
 * @category constants
 */
export const version = 3

/**
 * By which the file is known as an index of ours: `mem` and a digit.
 *
 * @since 0.1.0
 * @category constants
 */
export const applicationId = 0x6d656d31

/**
 * `folded` is the last line that is folded. A `document` of level R stands here while it is live, excluded or not; one of
 * another level is a memory, by its id, and `memory` says more of it: whose it is (`owner`), where evidence points, what a
 * memory rests on. The memories of no connector have an empty one. All have the embedder that \`memory_embedder\` names.
 *
 * `passage` holds
 * what is live; its id is its row in `words` too, and in its model's table of vectors, where it has one: `model`, and where the
 * vector stands in the log, say so. `vector` is where each vector stands that the log ever had, and never its values.
 *
 * `record` is a Record that a session has archived, by the last line of its key; one that another took the place of
 * (`superseded`) is kept, so that it is known, and not found. The id of any other is its row in `record_words`.
 *
 * `paragraph` knows a text that mem wrote, or the document that a paragraph stands in.
 *
 * `words` and `record_words` keep no text of their own: rows are deleted by handing it the old text once more. (With `contentless_delete`
 * it would not count deleted rows out of its totals, and a rebuilt index would rank otherwise than the one it replaces.)
 */
const tables = `
create table folded(
  id integer primary key check (id = 1), seq integer not null, at text not null,
  segment integer not null, offset integer not null, length integer not null);
create table document(
  id integer primary key, level text not null default 'R', connector text not null, doc_id blob not null,
  source_uri blob not null, content_hash text not null, embedder blob,
  unique (level, connector, doc_id));
create table memory(
  document integer primary key references document, owner text not null, profile blob not null, session_key blob,
  record_key blob, span text, span_sha256 text, rests_on text not null, stale integer not null);
create table memory_embedder(id integer primary key check (id = 1), embedder blob not null);
create index memory_by_owner on memory(owner);
create index memory_by_record on memory(record_key) where record_key is not null;
create table model(
  id integer primary key, fingerprint blob not null, dims integer not null, form text,
  unique (fingerprint, dims));
create table vector(
  embed_sha256 blob not null, model integer not null references model, segment integer not null, offset integer not null,
  primary key (embed_sha256, model)) without rowid;
create table passage(
  id integer primary key, document integer not null references document, chunk_id text not null,
  ordinal integer not null, embed_sha256 blob not null,
  model integer references model, segment integer, offset integer,
  heading_path text not null, first_line integer not null, last_line integer not null, tokens integer not null,
  context blob not null, text blob not null,
  unique (document, chunk_id));
create index passage_by_text on passage(embed_sha256);
create index passage_by_model on passage(model, document);
create table record(
  id integer primary key, document integer not null references document, connector text not null, key blob not null,
  segment integer not null, offset integer not null, superseded integer not null,
  session_key blob not null, seq integer not null, role text not null, kind text not null, tool_name blob,
  at text, project blob, derived text, text blob not null,
  unique (connector, key));
create index record_by_document on record(document);
create virtual table record_words using fts5(text, content='', tokenize='porter unicode61');
create table paragraph(
  sha256 blob primary key, artifact_id blob, connector text, doc_id blob) without rowid;
create virtual table words using fts5(text, content='', tokenize='porter unicode61');
`

/** What a transaction changes stays in memory until its end: if it did not, readers would have to wait for all of it. */
const cacheKiB = 64 * 1024

/**
 * Of a writer's connection. The rollback journal, not a write-ahead log: a mere reader of that one would create files.
 *
 * `normal`: the journal is on disk before a page is overwritten, so a power cut never leaves half a transaction, which
 * nobody would notice. It may take back the last ones; then the index is behind the log, and catches up.
 */
const settings = `pragma journal_mode = delete; pragma synchronous = normal; pragma temp_store = memory;
  pragma cache_size = -${cacheKiB};`

/**
 * Makes the tables in an empty database.
 *
 * @since 0.1.0
 * @category opening
 */
export const create = (database: Database): void => {
  database.exec(settings)
  database.exec(
    `begin immediate; ${tables} pragma application_id = ${applicationId}; pragma user_version = ${version}; commit;`
  )
}

const applicationIds = Schema.decodeUnknownSync(Schema.Tuple(Schema.Struct({ application_id: Schema.Int })))
const versions = Schema.decodeUnknownSync(Schema.Tuple(Schema.Struct({ user_version: Schema.Int })))

const objectionTo = (madeBy: number, ofVersion: number): Option.Option<string> =>
  madeBy !== applicationId
    ? Option.some("it is no index of mem")
    : ofVersion !== version
    ? Option.some("another version of mem made it")
    : Option.none()

/** Of a database's first page, in which these stand at fixed places: https://www.sqlite.org/fileformat2.html#the_database_header */
const head = { magic: "SQLite format 3\0", version: 60, applicationId: 68, length: 72 }

/**
 * The first bytes of a file that `objectionByHead` wants.
 *
 * @since 0.1.0
 * @category constants
 */
export const headLength = head.length

/**
 * Why a file is no index of this version, if it is not: by its first bytes alone, for opening one in the mode of a
 * write-ahead log would make files beside it. What is no database at all is left for SQLite to refuse.
 *
 * @since 0.1.0
 * @category opening
 */
export const objectionByHead = (bytes: Buffer): Option.Option<string> =>
  bytes.length < head.length || bytes.toString("latin1", 0, head.magic.length) !== head.magic
    ? Option.none()
    : objectionTo(bytes.readUInt32BE(head.applicationId), bytes.readUInt32BE(head.version))

const objectionByPragmas = (database: Database): Option.Option<string> => {
  const [{ application_id }] = applicationIds(database.all("pragma application_id"))
  const [{ user_version }] = versions(database.all("pragma user_version"))
  return objectionTo(application_id, user_version)
}

const forms = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ form: Schema.Literal("vec0", "plain") })))

/**
 * Why a database cannot be used, if it cannot. It throws where the file is damaged.
 *
 * @since 0.1.0
 * @category opening
 */
export const objection = (database: Database): Option.Option<string> =>
  Option.orElse(objectionByPragmas(database), () => {
    const used = forms(database.all("select distinct form from model where form is not null"))
    return !database.vec0 && used.some(({ form }) => form === "vec0")
      ? Option.some("its vectors need the extension sqlite-vec, which does not load here")
      : Option.none()
  })

const names = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))

/**
 * Back to empty tables, in one transaction, so that readers go on with what was there until then.
 *
 * @since 0.1.0
 * @category opening
 */
export const reset = (database: Database): void => {
  const made = names(database.all(
    "select name from sqlite_schema where type = 'table' and name in (select 'vectors_' || id from model)"
  ))
  const own = [
    "words",
    "record_words",
    "record",
    "paragraph",
    "passage",
    "vector",
    "model",
    "memory",
    "memory_embedder",
    "document",
    "folded"
  ]
  const dropped = [...made.map(({ name }) => name), ...own]
  database.exec(`begin immediate; ${dropped.map((name) => `drop table ${name};`).join(" ")} ${tables} commit;`)
}

/**
 * Gives back to the disk what nothing uses any more.
 *
 * @since 0.1.0
 * @category opening
 */
export const compact = (database: Database): void => database.exec("vacuum")

/**
 * What a writer says to its connection before it uses an index that is there.
 *
 * @since 0.1.0
 * @category opening
 */
export const resume = (database: Database): void => database.exec(settings)

/**
 * What a reader says to its connection first. It reads the file, so that one it may not read fails here.
 *
 * @since 0.1.0
 * @category opening
 */
export const readOnly = (database: Database): void =>
  database.exec("pragma temp_store = memory; select 1 from sqlite_schema")
