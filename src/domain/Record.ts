/**
 * A Record: one indivisible unit of a session, a content block of a transcript. Sources make them, the chunker groups
 * them, the log archives each one once. Nobody splits them and nobody shortens them.
 *
 * @since 0.1.0
 */
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { ArtifactId, RecordKey, SessionKey, Sha256, Timestamp } from "./Ids.ts"
import { Count } from "./Numbers.ts"
import { WellFormed } from "./WellFormed.ts"

/** By itself a union of literals names only the first of them. */
const oneOf = (words: ReadonlyArray<string>) => ({ actual }: ParseResult.ParseIssue) => ({
  message: `expected one of ${words.join(", ")}, found ${JSON.stringify(actual)}`,
  override: true
})

const roles = ["user", "assistant", "tool", "system"] as const

const kinds = ["text", "thinking", "tool_call", "tool_result", "summary", "attachment"] as const

/**
 * Who speaks.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Role = Schema.Literal(...roles).annotations({ message: oneOf(roles) })
/**
 * @since 0.1.0
 * @category schemas
 */
export type Role = typeof Role.Type

/**
 * What sort of block the text came from.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RecordKind = Schema.Literal(...kinds).annotations({ message: oneOf(kinds) })
/**
 * @since 0.1.0
 * @category schemas
 */
export type RecordKind = typeof RecordKind.Type

/**
 * Why a Record is no evidence: a machine wrote it from other text. `by` names the machine, `artifact_id` the text of
 * mem's own that came back.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Derived extends Schema.Class<Derived>("mem/Derived")({
  by: Schema.Literal("compaction", "title", "injected-memory", "harness", "artifact"),
  artifact_id: Schema.optional(ArtifactId)
}) {}

/**
 * Where in a transcript's tree the Record stands: on a side chain (a sub-agent), on the branch that was kept.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Branch extends Schema.Class<Branch>("mem/Branch")({
  sidechain: Schema.Boolean,
  on_leaf: Schema.Boolean
}) {}

/**
 * The bytes that the Record was read from. The file may be gone tomorrow; the Record is not.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Origin extends Schema.Class<Origin>("mem/Origin")({
  path: WellFormed,
  byte_offset: Count,
  byte_length: Count,
  line_sha256: Sha256
}) {}

/**
 * What the source knew of the circumstances.
 *
 * @since 0.1.0
 * @category schemas
 */
export class RecordMeta extends Schema.Class<RecordMeta>("mem/RecordMeta")({
  cwd: Schema.optional(WellFormed),
  git_branch: Schema.optional(WellFormed),
  model: Schema.optional(WellFormed)
}) {}

// Shared, since making and checking them anew costs more than the rest of a Record.
const onLeaf = new Branch({ sidechain: false, on_leaf: true })
const noMeta = new RecordMeta({})
const defaultSession = SessionKey.make("default")

const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: () => A) =>
  Schema.propertySignature(schema).pipe(Schema.withConstructorDefault(value))

/**
 * One unit of a session. In code only `key` and `text` must be given; at rest every field that is not optional is
 * there. `seq` is the place in the session, by file order; `at` is null where the source gives no time.
 *
 * The constructor checks and, as with any Schema class, throws: a text that was cut with `slice` may hold half an emoji,
 * so make it well-formed first (`toWellFormed`). A source that has checked its texts spares most of the cost with
 * `{ disableValidation: true }`.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Record extends Schema.Class<Record>("mem/Record")({
  key: RecordKey,
  source: withDefault(WellFormed.pipe(Schema.nonEmptyString()), () => "unknown"),
  session_key: withDefault(SessionKey, () => defaultSession),
  seq: withDefault(Count, () => 0),
  role: withDefault(Role, () => "user" as const),
  kind: withDefault(RecordKind, () => "text" as const),
  text: WellFormed,
  tool_name: Schema.optional(WellFormed),
  tool_call_id: Schema.optional(WellFormed),
  is_error: Schema.optional(Schema.Boolean),
  at: withDefault(Schema.NullOr(Timestamp), () => null),
  parent_key: Schema.optional(RecordKey),
  branch: withDefault(Branch, () => onLeaf),
  derived: withDefault(Schema.Union(Schema.Literal(false), Derived), () => false as const),
  supersedes: Schema.optional(RecordKey),
  origin: Schema.optional(Origin),
  meta: withDefault(RecordMeta, () => noMeta)
}) {}
