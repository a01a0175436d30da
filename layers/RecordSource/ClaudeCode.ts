/**
 * The Records of one transcript of Claude Code.
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
import { claudeCode, type State } from "../../src/transcript/ClaudeCode.ts"
import { sessionFile } from "../../src/transcript/ClaudeCode/SessionPath.ts"
import { memoryTags } from "../../src/transcript/Spans.ts"
import { items, type Reading, recordsOf } from "./Transcript/Reading.ts"
import { fetchSaved } from "./Transcript/SavedOutput.ts"

/**
 * A transcript: `path` is absolute. `session_key` is the file's name where it is not given; `memory_tags` are those
 * between which memory tools put what they recall.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClaudeCodeOptions {
  readonly path: string
  readonly session_key?: SessionKey
  readonly memory_tags?: ReadonlyArray<string>
}

const readingOf = ({ memory_tags, path, session_key }: ClaudeCodeOptions): Reading<State> => {
  const file = sessionFile(path, session_key)
  return { format: claudeCode(memory_tags ?? memoryTags), file, fetchSaved: fetchSaved(file.sessionFolder) }
}

/**
 * What the transcript holds behind the cursor, with warnings and cursors.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (
  options: ClaudeCodeOptions,
  cursor: Cursor | undefined
): Stream.Stream<SessionItem, RecordSourceError> => items(readingOf(options), cursor)

/**
 * All Records of the transcript; what could not be read is logged.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: ClaudeCodeOptions): RecordSource["Type"] =>
  RecordSource.of({ records: recordsOf(readingOf(options)) })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: ClaudeCodeOptions): Layer.Layer<RecordSource> =>
  Layer.succeed(RecordSource, make(options))
