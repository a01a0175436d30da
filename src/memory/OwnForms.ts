/**
 * The shapes of what mem prints as JSON, by which it is known again: the documents of `--json`, what they are made of, and
 * the lines of `mem dump` and `mem log cat`. Taken from the schemas that they are printed by. Pure.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { AskCitation, AskReport } from "../domain/AskReport.ts"
import { BlamedEvidence, BlamedMemory, BlamedRecord, BlameReport } from "../domain/BlameReport.ts"
import { ChunkReport } from "../domain/ChunkReport.ts"
import { DoctorReport } from "../domain/DoctorReport.ts"
import { ConnectorDrift, DriftReport } from "../domain/Drift.ts"
import { GetReport, GetSessionReport } from "../domain/GetReport.ts"
import { LogRecord } from "../domain/LogRecord.ts"
import { LogVerifyReport } from "../domain/LogVerifyReport.ts"
import { ConsolidatedEntry, MemoryPart, MemoryReport, SessionEntry } from "../domain/MemoryReport.ts"
import { Passage } from "../domain/Passage.ts"
import { DumpLine, RebuildReport } from "../domain/RebuildReport.ts"
import { Record } from "../domain/Record.ts"
import { ReferenceDocument, ReferenceReport } from "../domain/ReferenceReport.ts"
import { Hit, RecordHit, SearchReport } from "../domain/SearchReport.ts"
import { ConnectorStatus, StatusReport } from "../domain/StatusReport.ts"
import { ConnectorSyncReport, ReportedError, SyncReport } from "../domain/SyncReport.ts"
import type { Reach, Seen, Value } from "../text/LooseJson.ts"

interface Field {
  readonly name: string
  readonly isOptional: boolean
  readonly takes: (value: Value | undefined) => boolean
}

type Form = ReadonlyArray<Field>

const kinds: ReadonlyMap<AST.AST["_tag"], Value["kind"]> = new Map([
  ["StringKeyword", "string"],
  ["NumberKeyword", "number"],
  ["BooleanKeyword", "boolean"],
  ["TupleType", "array"],
  ["TypeLiteral", "object"]
])

/** Only what tells shapes apart: constants, and what sort of value it is. */
const takes = (ast: AST.AST): (value: Value) => boolean => {
  if (AST.isUnion(ast)) {
    const members = ast.types.map(takes)
    return (value) => members.some((member) => member(value))
  }
  if (AST.isUndefinedKeyword(ast)) return () => false
  if (AST.isLiteral(ast)) {
    const { literal } = ast
    return ({ kind, raw }) => raw === String(literal) && (kind === "string") === (typeof literal === "string")
  }
  if (AST.isTemplateLiteral(ast)) {
    const pattern = AST.getTemplateLiteralRegExp(ast)
    return ({ kind, raw }) => kind === "string" && pattern.test(raw ?? "")
  }
  const only = kinds.get(ast._tag)
  return ({ kind }) => only === undefined || kind === only
}

/** Of a value that was cut nothing is known. */
const fieldOf = ({ isOptional, name, type }: AST.PropertySignature): Field => {
  const taken = takes(type)
  return { name: String(name), isOptional, takes: (value) => value === undefined || taken(value) }
}

const formsOf = (schema: Schema.Schema.AnyNoContext): ReadonlyArray<Form> => {
  const { ast } = Schema.encodedSchema(schema)
  const types = AST.isUnion(ast) ? ast.types : [ast]
  return types.map((type) => AST.getPropertySignatures(type).map(fieldOf))
}

/** What commands answer that has no schema of its own, and how any of them fails. */
const others = [
  Schema.Struct({
    command: Schema.Literal("init"),
    ok: Schema.Boolean,
    home: Schema.String,
    file: Schema.String,
    path: Schema.optional(Schema.String)
  }),
  Schema.Struct({
    command: Schema.Literal("dump"),
    ok: Schema.Boolean,
    live_chunks: Schema.Number,
    state_sha256: Schema.String
  }),
  Schema.Struct({
    command: Schema.Literal("ref rm", "ref add"),
    ok: Schema.Boolean,
    connector: Schema.String,
    doc_id: Schema.String
  }),
  Schema.Struct({ ...SyncReport.fields, command: Schema.Literal("ref sync") })
]

const answers = [
  SyncReport,
  DriftReport,
  StatusReport,
  ReferenceReport,
  SearchReport,
  GetReport,
  GetSessionReport,
  MemoryReport,
  BlameReport,
  AskReport,
  RebuildReport,
  DoctorReport,
  LogVerifyReport,
  ChunkReport,
  ...others
]

const commands = Schema.Union(
  ...answers.map(({ fields: { command } }) => command),
  Schema.Literal("log cat", "log", "ref")
)

const failure = Schema.Struct({ command: commands, ok: Schema.Literal(false), error: ReportedError })

const documents = [...answers, failure].flatMap(formsOf)

const parts = [
  Hit,
  RecordHit,
  ConsolidatedEntry,
  SessionEntry,
  MemoryPart,
  BlamedMemory,
  BlamedEvidence,
  BlamedRecord,
  AskCitation,
  Record,
  Passage,
  ReferenceDocument,
  ConnectorSyncReport,
  ConnectorDrift,
  ConnectorStatus
].flatMap(formsOf)

const lines = [DumpLine, LogRecord].flatMap(formsOf)

/** Of fewer members no part is known that was cut. */
const fewest = 3

const holds = ({ members }: Seen, { name, takes }: Field): boolean => members.has(name) && takes(members.get(name))

/** The command, its `ok`, and one more member; of one that was cut the first two will do. */
const isDocument = (seen: Seen) => (form: Form): boolean => {
  const [command, ok, ...rest] = form
  return command !== undefined && ok !== undefined && holds(seen, command) && holds(seen, ok)
    && ((seen.cut !== false && seen.cut.isSure) || rest.some((field) => !field.isOptional && holds(seen, field)))
}

/** All that it must have; of one that was cut all that stands before the last that it has. */
const isPart = ({ cut, members }: Seen) => (form: Form): boolean => {
  const known = form.filter(({ name }) => members.has(name))
  const last = cut === false ? undefined : known.at(-1)
  const due = last === undefined ? form : form.slice(0, form.indexOf(last))
  return known.length >= fewest && known.every(({ name, takes }) => takes(members.get(name)))
    && due.every(({ isOptional, name }) => isOptional || members.has(name))
}

/** A value that a manual leaves out, or that a template puts in: what has one shows how mem prints. */
const standIn = /^(?:…|\$\{[^{}]*\})$/

const formOf = (seen: Seen): Reach | undefined => {
  if (seen.members.has("command") && documents.some(isDocument(seen))) return "text"
  if (seen.members.size < fewest) return undefined
  return lines.some(isPart(seen)) ? "line" : parts.some(isPart(seen)) ? "text" : undefined
}

/**
 * Whether an object is one of these, and how far it reaches where it was cut.
 *
 * @since 0.1.0
 * @category recognising
 */
export const ownForm = (seen: Seen): Reach | undefined => {
  const reach = formOf(seen)
  if (reach === undefined) return undefined
  for (const value of seen.members.values()) if (standIn.test(value?.raw ?? "")) return undefined
  return reach
}
