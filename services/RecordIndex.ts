/**
 * Knows where the log keeps the Records that it has archived. It is a fold of the log, caught up whenever it is asked.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ConnectorName, RecordKey } from "../src/domain/Ids.ts"
import type { LogPosition, LogReadError } from "./LogReader.ts"

/**
 * @since 0.1.0
 * @category tags
 */
export class RecordIndex extends Context.Tag("mem/RecordIndex")<RecordIndex, {
  /**
   * Where the last line of each of these Records stands; those that the log has not, or whose session was taken out, are
   * left out. Where the log cannot be read it fails: a Record that is not known would be archived once more.
   */
  readonly positions: (
    connector: ConnectorName,
    keys: ReadonlyArray<RecordKey>
  ) => Effect.Effect<ReadonlyMap<RecordKey, LogPosition>, LogReadError>
}>() {}
