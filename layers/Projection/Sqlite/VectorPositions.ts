/**
 * The index of vectors in the tables.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { LogPosition, LogReader } from "../../../services/LogReader.ts"
import type { VectorIndex, VectorKind } from "../../../services/VectorIndex.ts"
import type { Sha256 } from "../../../src/domain/Ids.ts"
import * as VectorPlaces from "../../../src/log/VectorPlaces.ts"
import { forgiving } from "../../VectorIndex/Forgiving.ts"
import type { Database } from "./Database.ts"
import * as Lookup from "./Lookup.ts"
import { hashBytes, utf8 } from "./Row.ts"
import type { Store } from "./Store.ts"

const rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ segment: Schema.Int, offset: Schema.Int })))

const inTables = (database: Database, { dims, model }: VectorKind, text: Sha256): LogPosition | undefined =>
  rows(database.all(
    `select v.segment, v.offset from model m join vector v on v.model = m.id and v.embed_sha256 = ?
    where m.fingerprint = ? and m.dims = ?`,
    hashBytes(text),
    utf8(model),
    dims
  ))[0]

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (store: Pick<Store, "read">, log: LogReader["Type"]): Effect.Effect<VectorIndex["Type"]> =>
  Effect.map(
    Lookup.make(store, log, () => {
      const { positionOf, take } = VectorPlaces.make()
      return { take, inLines: positionOf, inTables }
    }, forgiving),
    (positions) => ({ positions })
  )
