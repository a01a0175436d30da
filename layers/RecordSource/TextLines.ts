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

const read: ReadLine = (file, line, text) => [
  Either.right(
    new Record({
      key: RecordKey.make(`${file}:${line}`),
      source: "text",
      session_key: SessionKey.make(file),
      seq: line,
      text
    })
  )
]

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
