/**
 * What `connectors.yaml` says, once it is understood. Options that only a kind of connector knows stay as they were
 * written: the kind's own schema decodes them when the connector is opened.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { ConnectorName } from "./Ids.ts"
import { Count, Positive } from "./Numbers.ts"

const maxFetches = 256
const maxTimeout = Duration.hours(24)

const between = (min: number, max: number, expected: string) => {
  const message = () => expected
  return Schema.Number.annotations({ message }).pipe(Schema.filter((n) => n >= min && n <= max, { message }))
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

const toMillis = (text: string): number => {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? []
  return unit === "ms" || unit === "s" || unit === "m" || unit === "h" ? Number(amount) * units[unit] : 0
}

const notATimeout = () => "expected a time like \"500ms\", \"60s\" or \"2m\", more than 0 and at most \"24h\""

/**
 * A time as people write it: a number and `ms`, `s`, `m` or `h`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FetchTimeout = Schema.transform(
  Schema.String.annotations({ message: notATimeout }).pipe(
    Schema.filter((text) => toMillis(text) > 0 && toMillis(text) <= Duration.toMillis(maxTimeout), {
      message: notATimeout
    })
  ),
  Schema.DurationFromSelf,
  {
    strict: true,
    decode: (text) => Duration.millis(toMillis(text)),
    encode: (duration) => `${Duration.toMillis(duration)}ms`
  }
)

/**
 * What cuts a document: its headings, or its paragraphs.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ChunkerName = Schema.Literal("heading", "paragraph")
/**
 * @since 0.1.0
 * @category schemas
 */
export type ChunkerName = typeof ChunkerName.Type

/**
 * How documents are cut, by what they are. What is left out falls back: from a connector to its kind, from there to
 * {@link defaultChunking}. Without `max_tokens` the embedder's own limit decides.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Chunking = Schema.Struct({
  markdown: Schema.optionalWith(ChunkerName, { exact: true }),
  text: Schema.optionalWith(ChunkerName, { exact: true }),
  max_tokens: Schema.optionalWith(Positive, { exact: true })
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Chunking = typeof Chunking.Type

/**
 * @since 0.1.0
 * @category constants
 */
export const defaultChunking = { markdown: "heading", text: "paragraph" } as const satisfies Chunking

/**
 * What the engine may ask of a connector at a time, as the file or the kind says it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Limits = Schema.Struct({
  max_concurrent_fetches: Schema.optionalWith(
    between(1, maxFetches, `expected a whole number from 1 to ${maxFetches}`).pipe(
      Schema.int({ message: () => `expected a whole number from 1 to ${maxFetches}` })
    ),
    { exact: true }
  ),
  fetch_timeout: Schema.optionalWith(FetchTimeout, { exact: true }),
  starts_per_second: Schema.optionalWith(
    between(0.001, 1000, "expected a number from 0.001 to 1000"),
    { exact: true }
  )
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Limits = typeof Limits.Type

/**
 * The limits of a kind that has no reason for others: 8 fetches in flight, 60 seconds each.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultLimits = {
  max_concurrent_fetches: 8,
  fetch_timeout: Duration.seconds(60)
} satisfies Limits

/**
 * One connector of the file. `limits` and `chunking` hold only what the file says, `scrub` whether secrets are taken out of
 * what sessions hold (they are, unless it says `off`); `options` is the rest, raw, with its `${VARIABLES}` unresolved.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ConnectorOptions extends Schema.Class<ConnectorOptions>("mem/ConnectorOptions")({
  name: ConnectorName,
  kind: Schema.NonEmptyString,
  limits: Schema.typeSchema(Limits),
  chunking: Schema.typeSchema(Chunking),
  scrub: Schema.optional(Schema.Boolean),
  options: Schema.Unknown
}) {}

/**
 * The embedder's kind, and its options as they were written.
 *
 * @since 0.1.0
 * @category schemas
 */
export class EmbedderOptions extends Schema.Class<EmbedderOptions>("mem/EmbedderOptions")({
  kind: Schema.NonEmptyString,
  options: Schema.Unknown
}) {}

/**
 * The language model's kind, and its options as they were written.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ModelOptions extends Schema.Class<ModelOptions>("mem/ModelOptions")({
  kind: Schema.NonEmptyString,
  options: Schema.Unknown
}) {}

/**
 * What a memory is kept for: a name, and the questions that stand.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ProfileOptions extends Schema.Class<ProfileOptions>("mem/ProfileOptions")({
  name: Schema.NonEmptyString,
  questions: Schema.NonEmptyArray(Schema.NonEmptyString)
}) {}

/**
 * A removal of at least `max_removed_min` documents that are more than `max_removed_ratio` of all is refused.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Guards extends Schema.Class<Guards>("mem/Guards")({
  max_removed_ratio: Schema.optionalWith(between(0, 1, "expected a number from 0 to 1"), { default: () => 0.5 }),
  max_removed_min: Schema.optionalWith(Count, { default: () => 10 })
}) {}

/**
 * The whole file. Without `model` nothing is asked of one; without `profiles` the standard one serves. `connectors` keeps
 * its order; `lines` tells where each key stands and is empty for a configuration
 * that an app made without a file.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ConnectorsFile extends Schema.Class<ConnectorsFile>("mem/ConnectorsFile")({
  file: Schema.String,
  connectors: Schema.Array(ConnectorOptions),
  chunking: Schema.ReadonlyMapFromSelf({ key: Schema.String, value: Schema.typeSchema(Chunking) }),
  embedder: EmbedderOptions,
  model: Schema.optional(ModelOptions),
  profiles: Schema.optional(Schema.NonEmptyArray(ProfileOptions)),
  guards: Guards,
  lines: Schema.ReadonlyMapFromSelf({ key: Schema.String, value: Positive })
}) {
  /** The key under which `lines` has a path. Keys may hold dots, so they are not joined by one. */
  static readonly lineKey = (path: ReadonlyArray<PropertyKey>): string => JSON.stringify(path.map(String))

  /**
   * The line of a key, or of the nearest one around it that was written.
   *
   * @since 0.1.0
   */
  lineOf(path: ReadonlyArray<PropertyKey>): number | undefined {
    return this.lines.get(ConnectorsFile.lineKey(path))
      ?? (path.length === 0 ? undefined : this.lineOf(path.slice(0, -1)))
  }

  /**
   * How this connector's documents are cut: its own word first, then that for its kind, then the default.
   *
   * @since 0.1.0
   */
  chunkingOf(connector: ConnectorOptions): Chunking & Required<Pick<Chunking, "markdown" | "text">> {
    return { ...defaultChunking, ...this.chunking.get(connector.kind), ...connector.chunking }
  }
}
