/**
 * The Records of one rollout of Codex.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { RecordSource } from "../../services/RecordSource.ts"
import type { RecordSourceError } from "../../src/domain/ConnectorErrors.ts"
import type { Cursor } from "../../src/domain/Cursor.ts"
import type { SessionKey } from "../../src/domain/Ids.ts"
import type { SessionItem } from "../../src/domain/SessionRead.ts"
import { codex, type State } from "../../src/transcript/Codex.ts"
import { rollout } from "../../src/transcript/Codex/SessionPath.ts"
import { memoryTags } from "../../src/transcript/Spans.ts"
import { forkStart } from "./Transcript/ForkStart.ts"
import { items, type Reading, recordsOf } from "./Transcript/Reading.ts"

/**
 * A rollout: `path` is absolute. `session_key` is taken from the file's name where it is not given; `memory_tags` are
 * those between which memory tools put what they recall; `parentOf` gives the path of another session's file, so that a
 * fork does not repeat what its parent holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface CodexOptions {
  readonly path: string
  readonly session_key?: SessionKey
  readonly memory_tags?: ReadonlyArray<string>
  readonly parentOf?: (session: string) => Effect.Effect<string | undefined>
}

const readingOf = ({ memory_tags, parentOf, path, session_key }: CodexOptions): Reading<State> => {
  const file = rollout(path, session_key)
  return {
    format: codex(file.session_id, memory_tags ?? memoryTags),
    file,
    beginsAt: forkStart((session) =>
      parentOf === undefined || session === file.session_id ? Effect.succeed(undefined) : parentOf(session)
    )
  }
}

/**
 * What the rollout holds behind the cursor, with warnings and cursors.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (
  options: CodexOptions,
  cursor: Cursor | undefined
): Stream.Stream<SessionItem, RecordSourceError> => items(readingOf(options), cursor)

/**
 * All Records of the rollout; what could not be read is logged.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: CodexOptions): RecordSource["Type"] =>
  RecordSource.of({ records: recordsOf(readingOf(options)) })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: CodexOptions): Layer.Layer<RecordSource> => Layer.succeed(RecordSource, make(options))
