/**
 * The Records of one session of pi.
 *
 * @since 0.1.0
 */
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { RecordSource } from "../../services/RecordSource.ts"
import type { RecordSourceError } from "../../src/domain/ConnectorErrors.ts"
import type { Cursor } from "../../src/domain/Cursor.ts"
import type { SessionKey } from "../../src/domain/Ids.ts"
import type { SessionItem } from "../../src/domain/SessionRead.ts"
import { pi, type State } from "../../src/transcript/Pi.ts"
import { sessionFile } from "../../src/transcript/Pi/SessionPath.ts"
import { memoryTags } from "../../src/transcript/Spans.ts"
import { items, type Reading, recordsOf } from "./Transcript/Reading.ts"

/**
 * A session's file: `path` is absolute. `session_key` is taken from the file's name where it is not given; `memory_tags`
 * are those between which memory tools put what they recall.
 *
 * @since 0.1.0
 * @category models
 */
export interface PiOptions {
  readonly path: string
  readonly session_key?: SessionKey
  readonly memory_tags?: ReadonlyArray<string>
}

const readingOf = ({ memory_tags, path, session_key }: PiOptions): Reading<State> => ({
  format: pi(memory_tags ?? memoryTags),
  file: sessionFile(path, session_key)
})

/**
 * What the session holds behind the cursor, with warnings and cursors.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (
  options: PiOptions,
  cursor: Cursor | undefined
): Stream.Stream<SessionItem, RecordSourceError> => items(readingOf(options), cursor)

/**
 * All Records of the session; what could not be read is logged.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: PiOptions): RecordSource["Type"] =>
  RecordSource.of({ records: recordsOf(readingOf(options)) })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: PiOptions): Layer.Layer<RecordSource> => Layer.succeed(RecordSource, make(options))
