/**
 * `mem get`: a document of memory, or some lines of it with their surroundings, from the log's own text.
 *
 * A place is written `CONNECTOR:DOC_ID` or `CONNECTOR:DOC_ID:LINES`. The name of a connector holds no colon, so the
 * first one ends it; a document's id may hold any number of them, and may even end as lines do. Of the two readings the
 * longer id wins, if memory has it.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { GetReport, GetSessionReport } from "../domain/GetReport.ts"
import { ConnectorName, DocId } from "../domain/Ids.ts"
import { documentKey, type LiveDocument } from "../log/Live.ts"
import * as SessionRecords from "../log/SessionRecords.ts"
import { linesOf } from "../text/Lines.ts"
import { live } from "./LogView.ts"
import { beginningWith, SeveralSessions } from "./SessionId.ts"

/**
 * One reading of a place. `lines` are as they were written: `10`, `10-20`, or `10-` for all from there on.
 *
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly connector: ConnectorName
  readonly doc_id: DocId
  readonly lines: Option.Option<{ readonly first: number; readonly last: number }>
}

/**
 * Memory holds no such document now.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotInMemory extends Schema.TaggedError<NotInMemory>("mem/NotInMemory")("NotInMemory", {
  connector: ConnectorName,
  doc_id: DocId
}) {
  override get message(): string {
    return `${this.connector} has no document or session ${this.doc_id} in memory; "mem ref list" names those that there `
      + "are"
  }
}

/**
 * The document has no such lines, or the session no such Records.
 *
 * @since 0.1.0
 * @category errors
 */
export class NoSuchLines extends Schema.TaggedError<NoSuchLines>("mem/NoSuchLines")("NoSuchLines", {
  doc_id: DocId,
  lines: Schema.String,
  unit: Schema.Literal("lines", "Records"),
  of: Schema.Int,
  backwards: Schema.Boolean
}) {
  override get message(): string {
    const { backwards, doc_id, lines, of, unit } = this
    const ask = `ask for ${unit} like 10, 10-20 or 10-`
    if (backwards) return `${doc_id}: ${lines} ends before it begins; it has ${unit} 1 to ${of}, ${ask}`
    return of === 0 ? `${doc_id} has no ${unit}` : `${doc_id} has ${unit} 1 to ${of}, not ${lines}; ${ask}`
  }
}

const withLines = /^(.+):(\d{1,9})(?:(-)(\d{1,9})?)?$/s

const decodeName = Schema.decodeOption(ConnectorName)
const decodeId = Schema.decodeOption(DocId)

/**
 * What a place may mean, the longest id first; nothing where it names no connector or no document.
 *
 * @since 0.1.0
 * @category parsing
 */
export const readings = (place: string): ReadonlyArray<Place> => {
  const colon = place.indexOf(":")
  const rest = place.slice(colon + 1)
  const [, id, first, dash, last] = withLines.exec(rest) ?? []
  const reading = (doc_id: string, lines: Place["lines"]): ReadonlyArray<Place> =>
    Option.toArray(Option.map(
      Option.all({ connector: decodeName(place.slice(0, Math.max(0, colon))), doc_id: decodeId(doc_id) }),
      (place) => ({ ...place, lines })
    ))
  const to = last === undefined ? dash === undefined ? first : Number.MAX_SAFE_INTEGER : last
  return [
    ...reading(rest, Option.none()),
    ...(id === undefined ? [] : reading(id, Option.some({ first: Number(first), last: Number(to) })))
  ]
}

const asWritten = ({ first, last }: { readonly first: number; readonly last: number }): string =>
  last === Number.MAX_SAFE_INTEGER ? `${first}-` : first === last ? `${first}` : `${first}-${last}`

const noSuch = (
  doc_id: DocId,
  unit: NoSuchLines["unit"],
  range: { readonly first: number; readonly last: number },
  of: number
): NoSuchLines =>
  new NoSuchLines({ doc_id, unit, lines: asWritten(range), of, backwards: range.first > range.last && of > 0 })

const reportOf = (
  { commit, passages }: LiveDocument,
  lines: Place["lines"],
  context: number
): Effect.Effect<GetReport, NoSuchLines | LogReadError, LogReader> =>
  Effect.gen(function*() {
    const { at } = yield* LogReader
    const records = yield* Effect.forEach(passages, ({ position }) => at(position))
    const references = records.flatMap((record) => record.kind === "reference" ? [record.body] : [])
    const all = linesOf(references.map(({ text }) => text).join(""))
    const { first, last } = Option.getOrElse(lines, () => ({ first: 1, last: all.length }))
    if (first < 1 || first > last || first > all.length) {
      return yield* noSuch(commit.doc_id, "lines", { first, last }, all.length)
    }
    const end = Math.min(last, all.length)
    const around = Option.isNone(lines) ? 0 : context
    const holder = references.find(({ lines: [from, to] }) => from <= first && first <= to)
    return new GetReport({
      command: "get",
      ok: true,
      level: "R",
      connector: commit.connector,
      doc_id: commit.doc_id,
      source_uri: commit.source_uri,
      content_hash: commit.content_hash,
      synced_at: commit.synced_at,
      heading_path: holder?.heading_path ?? [],
      lines: [first, end],
      of: all.length,
      before: all.slice(Math.max(0, first - 1 - around), first - 1).join(""),
      text: all.slice(first - 1, end).join(""),
      after: all.slice(end, end + around).join("")
    })
  })

/** Records are numbered as they stand in the log. */
const sessionOf = (
  { commit: { connector, doc_id, source_uri, synced_at } }: LiveDocument,
  lines: Place["lines"],
  context: number
): Effect.Effect<GetSessionReport, NoSuchLines | LogReadError, LogReader> =>
  Effect.gen(function*() {
    const { at, records } = yield* LogReader
    const folded = yield* Stream.runFold(records(), SessionRecords.of(connector, doc_id), SessionRecords.step)
    const places = SessionRecords.positions(folded)
    const { first, last } = Option.getOrElse(lines, () => ({ first: 1, last: places.length }))
    if (first < 1 || first > last || first > places.length) {
      return yield* noSuch(doc_id, "Records", { first, last }, places.length)
    }
    const end = Math.min(last, places.length)
    const around = Option.isNone(lines) ? 0 : context
    const read = (from: number, to: number) =>
      Effect.map(
        Effect.forEach(places.slice(Math.max(0, from), to), at),
        (found) => found.flatMap((line) => line.kind === "record" ? [line.body] : [])
      )
    return new GetSessionReport({
      command: "get",
      ok: true,
      connector,
      doc_id,
      source_uri,
      synced_at,
      lines: [first, end],
      of: places.length,
      before: yield* read(first - 1 - around, first - 1),
      records: yield* read(first - 1, end),
      after: yield* read(end, end + around)
    })
  })

/**
 * The first of the readings that memory has a document for, or else one session whose id begins so, and whether all of it was asked for. On each side of
 * single lines, or of single Records of a session, `context` more are given.
 *
 * @since 0.1.0
 * @category programs
 */
export const get = (
  [first, ...others]: readonly [Place, ...ReadonlyArray<Place>],
  context: number
): Effect.Effect<
  { readonly report: GetReport | GetSessionReport; readonly whole: boolean },
  NotInMemory | NoSuchLines | SeveralSessions | LogReadError,
  LogReader
> =>
  Effect.gen(function*() {
    const log = yield* live
    const printed = (document: LiveDocument, lines: Place["lines"]) =>
      Effect.gen(function*() {
        const report = document.records > 0
          ? yield* sessionOf(document, lines, context)
          : yield* reportOf(document, lines, context)
        return { report, whole: Option.isNone(lines) }
      })
    for (const { connector, doc_id, lines } of [first, ...others]) {
      const found = HashMap.get(log.documents, documentKey(connector, doc_id))
      if (Option.isSome(found) && found.value.commit.removed !== true) return yield* printed(found.value, lines)
    }
    for (const { connector, doc_id, lines } of [first, ...others]) {
      const found = beginningWith(log, connector, doc_id)
      if (Arr.isNonEmptyReadonlyArray(found)) {
        return found.length === 1 ? yield* printed(found[0], lines) : yield* new SeveralSessions({
          connector,
          beginning: doc_id,
          doc_ids: found.map(({ commit }) => commit.doc_id)
        })
      }
    }
    // What stands before lines is what was meant, where neither is there.
    const { connector, doc_id } = others[0] ?? first
    return yield* new NotInMemory({ connector, doc_id })
  })
