/**
 * The names that hashes give: to the way a document is chunked, to a Passage, to an embedded text, to fetched bytes.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import { ChunkId, type ConnectorName, type DocId, Fingerprint, Sha256 } from "../domain/Ids.ts"

const sha256 = (input: string | Uint8Array): string => hash("sha256", input, "hex")

/**
 * The fingerprint of everything that decides where a document is cut. Where it differs from that of a document's last
 * commit, the document is stale and is chunked again from the log's own text.
 *
 * @since 0.1.0
 * @category fingerprints
 */
export const pipelineOf = ({ chunker, counter, max_characters, max_tokens, version }: {
  readonly chunker: string
  readonly version: string
  readonly max_tokens: number
  readonly max_characters: number
  /** The fingerprint of the token counter. */
  readonly counter: string
}): Fingerprint =>
  Fingerprint.make(`sha256:${sha256(JSON.stringify([chunker, version, max_tokens, max_characters, counter]))}`)

/**
 * The name of a Passage. The same document, chunked the same way, has the same names on every machine.
 *
 * @since 0.1.0
 * @category ids
 */
export const chunkId = ({ connector, content_hash, doc_id, ordinal, pipeline }: {
  readonly connector: ConnectorName
  readonly doc_id: DocId
  readonly content_hash: Fingerprint
  readonly pipeline: Fingerprint
  readonly ordinal: number
}): ChunkId => ChunkId.make(sha256(JSON.stringify([connector, doc_id, content_hash, pipeline, ordinal])).slice(0, 32))

/**
 * The name of an embedded text, as UTF-8.
 *
 * @since 0.1.0
 * @category fingerprints
 */
export const embedSha256 = (text: string): Sha256 => Sha256.make(sha256(text))

/**
 * The fingerprint of the bytes that a source gave, before anything decodes them.
 *
 * @since 0.1.0
 * @category fingerprints
 */
export const contentHash = (bytes: Uint8Array): Fingerprint => Fingerprint.make(`sha256:${sha256(bytes)}`)
