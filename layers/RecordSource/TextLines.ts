/**
 * Records from plain text, a line each, blank ones too. The key is the file and the line.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { RecordSource } from "../../services/RecordSource.ts"
import { RecordKey, SessionKey } from "../../src/domain/Ids.ts"
import { Record } from "../../src/domain/Record.ts"
import { type LineSource, type ReadLine, recordsOf } from "./LineSource.ts"

const blank = new Record({ key: RecordKey.make("blank"), source: "text", text: "" })

// Decoded UTF-8 is well-formed, so there is nothing left to check.
const read: ReadLine = (file, line, text) => {
  const own = { key: RecordKey.make(`${file}:${line}`), session_key: SessionKey.make(file), seq: line, text }
  return [Either.right(new Record({ ...blank, ...own }, { disableValidation: true }))]
}

/**
 * The Records of a text file.
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
