/**
 * Records that are in memory already: for tests, and for apps that made them some other way.
 *
 * @since 0.1.0
 */
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { RecordSource } from "../../services/RecordSource.ts"
import type { Record } from "../../src/domain/Record.ts"

/**
 * A source of just these Records, in this order.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (records: Iterable<Record>): RecordSource["Type"] =>
  RecordSource.of({ records: Stream.fromIterable(records) })

/**
 * @since 0.1.0
 * @category layers
 */
export const VecSource = (records: Iterable<Record>): Layer.Layer<RecordSource> =>
  Layer.succeed(RecordSource, make(records))
