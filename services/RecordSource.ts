/**
 * Where Records come from. Whoever reads them never learns whether that is a transcript, a live tail or a socket.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import type { RecordSourceError } from "../src/domain/ConnectorErrors.ts"
import type { Record } from "../src/domain/Record.ts"

/**
 * @since 0.1.0
 * @category tags
 */
export class RecordSource extends Context.Tag("mem/RecordSource")<RecordSource, {
  /**
   * The Records of one session, in order, in batches (64 to 4096 a piece decide the cost of all that follows). It may
   * never end. A failure comes after the Records before it.
   */
  readonly records: Stream.Stream<Record, RecordSourceError>
}>() {}
