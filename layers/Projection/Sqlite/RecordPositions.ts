/**
 * The index of archived Records in the tables.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import type { LogPosition, LogReader } from "../../../services/LogReader.ts"
import type { RecordIndex } from "../../../services/RecordIndex.ts"
import { type ConnectorName, DocId, type RecordKey } from "../../../src/domain/Ids.ts"
import * as RecordPlaces from "../../../src/log/RecordPlaces.ts"
import type { Database } from "./Database.ts"
import * as Lookup from "./Lookup.ts"
import { Utf8, utf8 } from "./Row.ts"
import type { Store } from "./Store.ts"

const rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  segment: Schema.Int,
  offset: Schema.Int,
  doc_id: Schema.compose(Utf8, DocId)
})))

/** What the lines behind the tables took out is known no more. */
const inTables = ({ tookOut }: RecordPlaces.RecordPlaces) =>
(
  database: Database,
  connector: ConnectorName,
  key: RecordKey
): LogPosition | undefined => {
  const [row] = rows(database.all(
    `select r.segment, r.offset, d.doc_id from record r join document d on d.id = r.document
    where r.connector = ? and r.key = ?`,
    connector,
    utf8(key)
  ))
  return row === undefined || tookOut(connector, row.doc_id)
    ? undefined
    : { segment: row.segment, offset: row.offset }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (store: Pick<Store, "read">, log: LogReader["Type"]): Effect.Effect<RecordIndex["Type"]> =>
  Effect.map(
    Lookup.make(store, log, () => {
      const places = RecordPlaces.make()
      return { take: places.take, inLines: places.positionOf, inTables: inTables(places) }
    }, identity),
    (positions) => ({ positions })
  )
