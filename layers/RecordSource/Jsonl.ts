/**
 * Records from lines of JSON, one object a line. Only `text` is needed; what a line does not say gets the defaults of
 * a Record, its key is then the file and the line. Blank lines are passed over.
 *
 * Every line that is no Record is named with its number; what happens then is for the caller to say.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { RecordSource } from "../../services/RecordSource.ts"
import { RecordKey, SessionKey } from "../../src/domain/Ids.ts"
import { Record } from "../../src/domain/Record.ts"
import { bad, type LineSource, type ReadLine, recordsOf } from "./LineSource.ts"

const decodeRecord = Schema.decodeUnknownEither(Record)
const encodeRecord = Schema.encodeSync(Record)

const advice = "one JSON object a line is expected, with a \"text\""

const explain = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .map(({ message, path }) => path.length === 0 ? message : `${path.join(".")}: ${message}`)
    .slice(0, 1)
    .join("")

const parse = (text: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => JSON.parse(text), catch: (cause) => `not JSON (${String(cause)})` })

const read: ReadLine = (file, line, text) => {
  if (text.trim() === "") return []
  const record = Either.gen(function*() {
    const json = yield* parse(text)
    if (!Predicate.isRecord(json)) return yield* Either.left("not a JSON object")
    if (!Predicate.isString(json["text"])) return yield* Either.left("no \"text\" in it, or one that is no string")
    const defaults = encodeRecord(
      new Record({
        key: RecordKey.make(`${file}:${line}`),
        source: "jsonl",
        session_key: SessionKey.make(file),
        seq: line,
        text: ""
      })
    )
    return yield* Either.mapLeft(decodeRecord({ ...defaults, ...json, text: json["text"].toWellFormed() }), explain)
  })
  return [Either.mapLeft(record, (detail) => bad(file, line, detail, advice))]
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
