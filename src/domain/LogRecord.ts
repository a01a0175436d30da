/**
 * A line of the log: an envelope and a body. The log is the only truth; everything else is a fold of these.
 *
 * On disk: `{"v":1,"seq":42,"at":"…","kind":"reference","txn":41,"body":{…},"crc":"1a2b3c4d"}`. The checksum belongs
 * to the line, not to the record: `src/log/Codec.ts` adds and checks it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Seq, Timestamp } from "./Ids.ts"
import { JsonValue } from "./JsonValue.ts"
import { Gap, Rewrite, Seal, Segment } from "./Maintenance.ts"
import { Artifact, Memory } from "./Memory.ts"
import { Record } from "./Record.ts"
import { Commit, Exclusion, Reference, Tombstone, Vector } from "./Reference.ts"

/**
 * Version of the log's format. A change of the golden log's bytes is a change of this number.
 *
 * @since 0.1.0
 * @category constants
 */
export const formatVersion = 1

const line = <K extends Schema.Schema.AnyNoContext, B extends Schema.Schema.AnyNoContext>(kind: K, body: B) =>
  Schema.Struct({
    v: Schema.Literal(formatVersion),
    seq: Seq,
    at: Timestamp,
    kind,
    txn: Schema.optional(Seq),
    body
  })

/**
 * A line of a kind that this version does not know and may pass over. Only names that begin with `x-` are such; any
 * other unknown kind is refused.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Extension = line(Schema.TemplateLiteral("x-", Schema.String), JsonValue)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Extension = typeof Extension.Type

/**
 * The body of each kind of line.
 *
 * @since 0.1.0
 * @category schemas
 */
export const bodies = {
  segment: Segment,
  vector: Vector,
  reference: Reference,
  tombstone: Tombstone,
  commit: Commit,
  exclusion: Exclusion,
  record: Record,
  memory: Memory,
  artifact: Artifact,
  gap: Gap,
  rewrite: Rewrite,
  seal: Seal
} as const

const of = <K extends keyof typeof bodies>(kind: K) => line(Schema.Literal(kind), bodies[kind])

/**
 * Any line of the log. `seq` is its place; `txn` is the `seq` of the first line of its group, absent where a record
 * stands alone; `at` is for display only, no order hangs on it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const LogRecord = Schema.Union(
  of("segment"),
  of("vector"),
  of("reference"),
  of("tombstone"),
  of("commit"),
  of("exclusion"),
  of("record"),
  of("memory"),
  of("artifact"),
  of("gap"),
  of("rewrite"),
  of("seal"),
  Extension
)
/**
 * @since 0.1.0
 * @category schemas
 */
export type LogRecord = typeof LogRecord.Type

/**
 * What a writer is handed: a kind and its body. The writer gives it `seq`, `at` and `txn`.
 *
 * @since 0.1.0
 * @category models
 */
export type LogEntry = {
  readonly [K in keyof typeof bodies]: { readonly kind: K; readonly body: (typeof bodies)[K]["Type"] }
}[keyof typeof bodies]
