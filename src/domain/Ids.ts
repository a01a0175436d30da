/**
 * The branded names and hashes that every other schema is built of. Each is decoded once, at the edge; inside, a
 * document id can no longer be taken for a chunk id.
 *
 * Two spellings of a sha256 exist and never mix: a field whose name ends in `_sha256` holds 64 bare hex digits, a
 * fingerprint (`content_hash`, `pipeline`) holds `sha256:` and then the digits.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { WellFormed } from "./WellFormed.ts"

const identifier = WellFormed.pipe(Schema.nonEmptyString())

/**
 * Name of a connector in `connectors.yaml`. It is part of file names, hence the narrow alphabet.
 *
 * @since 0.1.0
 * @category ids
 */
export const ConnectorName = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9][a-z0-9_-]{0,63}$/, {
    message: ({ actual }) =>
      `${
        JSON.stringify(actual)
      } is no connector name: use 1 to 64 of a-z, 0-9, "_" and "-", beginning with a letter or digit`
  }),
  Schema.brand("ConnectorName")
)
/**
 * @since 0.1.0
 * @category ids
 */
export type ConnectorName = typeof ConnectorName.Type

/**
 * A document within its connector: literal, case kept. Two ids that differ in any byte are two documents. Never used
 * as a file name.
 *
 * @since 0.1.0
 * @category ids
 */
export const DocId = identifier.pipe(Schema.brand("DocId"))
/**
 * @since 0.1.0
 * @category ids
 */
export type DocId = typeof DocId.Type

/**
 * Where a document can be found, percent-encoded, without user names, passwords or tokens.
 *
 * @since 0.1.0
 * @category ids
 */
export const SourceUri = identifier.pipe(Schema.brand("SourceUri"))
/**
 * @since 0.1.0
 * @category ids
 */
export type SourceUri = typeof SourceUri.Type

/**
 * A sha256 as 64 lower-case hex digits.
 *
 * @since 0.1.0
 * @category ids
 */
export const Sha256 = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/), Schema.brand("Sha256"))
/**
 * @since 0.1.0
 * @category ids
 */
export type Sha256 = typeof Sha256.Type

/**
 * A sha256 as `sha256:` and 64 lower-case hex digits.
 *
 * @since 0.1.0
 * @category ids
 */
export const Fingerprint = Schema.String.pipe(Schema.pattern(/^sha256:[0-9a-f]{64}$/), Schema.brand("Fingerprint"))
/**
 * @since 0.1.0
 * @category ids
 */
export type Fingerprint = typeof Fingerprint.Type

/**
 * A passage: the first 32 hex digits of sha256 over the JSON array `[connector, doc_id, content_hash, pipeline,
 * ordinal]`.
 *
 * @since 0.1.0
 * @category ids
 */
export const ChunkId = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{32}$/), Schema.brand("ChunkId"))
/**
 * @since 0.1.0
 * @category ids
 */
export type ChunkId = typeof ChunkId.Type

/**
 * Name of what makes vectors: model, precision, dimensions, weights. Vectors of two fingerprints are never compared.
 * `none` stands for documents that were stored without vectors.
 *
 * @since 0.1.0
 * @category ids
 */
export const EmbedderFingerprint = identifier.pipe(Schema.brand("EmbedderFingerprint"))
/**
 * @since 0.1.0
 * @category ids
 */
export type EmbedderFingerprint = typeof EmbedderFingerprint.Type

/**
 * A Record, unique within its connector and stable from one read to the next.
 *
 * @since 0.1.0
 * @category ids
 */
export const RecordKey = identifier.pipe(Schema.brand("RecordKey"))
/**
 * @since 0.1.0
 * @category ids
 */
export type RecordKey = typeof RecordKey.Type

/**
 * A session: one transcript, or one side chain of it.
 *
 * @since 0.1.0
 * @category ids
 */
export const SessionKey = identifier.pipe(Schema.brand("SessionKey"))
/**
 * @since 0.1.0
 * @category ids
 */
export type SessionKey = typeof SessionKey.Type

/**
 * An entry of session memory: an evidence pointer, a session memory, a consolidated memory.
 *
 * @since 0.1.0
 * @category ids
 */
export const MemoryId = identifier.pipe(Schema.brand("MemoryId"))
/**
 * @since 0.1.0
 * @category ids
 */
export type MemoryId = typeof MemoryId.Type

/**
 * A text that mem itself produced or imported.
 *
 * @since 0.1.0
 * @category ids
 */
export const ArtifactId = identifier.pipe(Schema.brand("ArtifactId"))
/**
 * @since 0.1.0
 * @category ids
 */
export type ArtifactId = typeof ArtifactId.Type

/**
 * Place of a line in the log: 1, 2, 3 over all segments, without gaps.
 *
 * @since 0.1.0
 * @category ids
 */
export const Seq = Schema.Int.pipe(Schema.positive(), Schema.brand("Seq"))
/**
 * @since 0.1.0
 * @category ids
 */
export type Seq = typeof Seq.Type

/**
 * A moment as the log writes it: UTC, milliseconds, `2026-11-29T20:00:00.000Z`.
 *
 * @since 0.1.0
 * @category ids
 */
export const Timestamp = Schema.String.pipe(
  Schema.filter((text) => {
    const milliseconds = Date.parse(text)
    const canonical = /^\d{4}-/.test(text) && Number.isFinite(milliseconds)
      && new Date(milliseconds).toISOString() === text
    return canonical || "not a moment in UTC with milliseconds, like 2026-11-29T20:00:00.000Z"
  }, {
    arbitrary: () => (fc) =>
      fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }).map((date) => date.toISOString())
  }),
  Schema.brand("Timestamp")
)
/**
 * @since 0.1.0
 * @category ids
 */
export type Timestamp = typeof Timestamp.Type
