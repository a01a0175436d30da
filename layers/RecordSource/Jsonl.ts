/**
 * Records from lines of JSON, one object a line. Only `text` is needed; what a line does not say gets the defaults of
 * a Record, its key is then the file and the line. Blank lines are passed over.
 *
 * Every line that is no Record is named with its number; what happens then is for the caller to say.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { RecordSource } from "../../services/RecordSource.ts"
import { Record } from "../../src/domain/Record.ts"
import { bad, type LineSource, type ReadLine, recordsOf } from "./LineSource.ts"

const decodeRecord = Schema.decodeUnknownEither(Record)

const expected = "one JSON object a line is expected, with a \"text\""

/** What a line does not say: the encoded form of the defaults of a Record. */
const defaults = {
  source: "jsonl",
  role: "user",
  kind: "text",
  at: null,
  branch: { sidechain: false, on_leaf: true },
  derived: false,
  meta: {}
}

const mostExplained = 200

const explain = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .map(({ message, path }) => path.length === 0 ? message : `${path.join(".")}: ${message}`)
    .slice(0, 1)
    .map((text) => text.length > mostExplained ? `${text.slice(0, mostExplained).toWellFormed()}…` : text)
    .join("")

/** A member that is nested thousands of levels deep overflows the stack of whatever looks into it. */
const decode = (record: unknown): Either.Either<Record, string> =>
  Either.try({
    try: () => Either.mapLeft(decodeRecord(record), explain),
    catch: () => "a member of it is nested too deep"
  }).pipe(Either.flatMap(identity))

const parse = (text: string): Either.Either<unknown, string> =>
  Either.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => `not JSON (${cause instanceof Error ? cause.message : String(cause)})`
  })

const textOf = (json: { readonly [member: string]: unknown }): Either.Either<string, string> => {
  const { text } = json
  if (Predicate.isString(text)) return Either.right(text.toWellFormed())
  const members = Object.keys(json).slice(0, 8).join(", ")
  return Either.left(
    text === undefined ? `it has no "text" (it has ${members || "nothing"})` : "its \"text\" is no string"
  )
}

const read: ReadLine = (file, line, text) => {
  if (text.trim() === "") return []
  const fault = (advice: string) => (detail: string) => bad(file, line, detail, advice)
  return [Either.gen(function*() {
    const json = yield* Either.mapLeft(parse(text), fault(expected))
    if (!Predicate.isRecord(json)) return yield* Either.left(fault(expected)("not a JSON object"))
    const own = { ...defaults, key: `${file}:${line}`, session_key: file, seq: line, ...json }
    const record = { ...own, text: yield* Either.mapLeft(textOf(json), fault(expected)) }
    return yield* Either.mapLeft(decode(record), fault("correct it, or leave it out"))
  })]
}

/**
 * The Records of a file of JSON lines.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (source: LineSource): RecordSource["Type"] => RecordSource.of({ records: recordsOf(source, read) })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (source: LineSource): Layer.Layer<RecordSource> => Layer.succeed(RecordSource, make(source))
