/**
 * The last line of the log that the index has folded.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { LocatedRecord } from "../../../services/LogReader.ts"
import type { FoldedLine } from "../../../services/Projection.ts"
import type { Database } from "./Database.ts"

const rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  seq: Schema.Int,
  at: Schema.String,
  segment: Schema.Int,
  offset: Schema.Int,
  length: Schema.Int
})))

/**
 * @since 0.1.0
 * @category reading
 */
export const get = (database: Database): Option.Option<FoldedLine> =>
  Option.map(
    Option.fromNullable(rows(database.all("select seq, at, segment, offset, length from folded"))[0]),
    ({ at, length, offset, segment, seq }) => ({ seq, at, position: { segment, offset }, length })
  )

/**
 * @since 0.1.0
 * @category folding
 */
export const set = (database: Database, { length, position: { offset, segment }, record }: LocatedRecord): void => {
  database.run(
    "insert or replace into folded(id, seq, at, segment, offset, length) values (1, ?, ?, ?, ?, ?)",
    record.seq,
    record.at,
    segment,
    offset,
    length
  )
}
