/**
 * What of memory is searched: evidence, session memories and consolidated memories, cut into pieces as plain text is cut
 * into passages. The same text has the same pieces, so the log keeps none of them, only their vectors. Pure.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import type { DocumentBudget } from "../chunk/DocumentChunker.ts"
import { embeddedText } from "../chunk/EmbeddedText.ts"
import { paragraph } from "../chunk/Paragraph.ts"
import { embedSha256 } from "../chunk/Pipeline.ts"
import { ChunkId, type MemoryId, type Sha256 } from "../domain/Ids.ts"
import type { Evidence } from "../domain/Memory.ts"

/**
 * A piece of a memory: `text` is what is embedded, searched and shown; `lines` count in the memory's text.
 *
 * @since 0.1.0
 * @category models
 */
export interface MemoryPiece {
  readonly chunk_id: ChunkId
  readonly ordinal: number
  readonly lines: readonly [first: number, last: number]
  readonly bytes: number
  readonly text: string
  readonly embed_sha256: Sha256
}

/**
 * In bytes of UTF-8, for an index is folded without a model: about 190 tokens of English, and never more than the 256
 * that the smallest of the usual models reads, in any script.
 */
const budget: DocumentBudget = { max_tokens: 750, max_characters: 2000, count: (text) => Buffer.byteLength(text) }

/**
 * The pieces of a memory's text.
 *
 * @since 0.1.0
 * @category cutting
 */
export const piecesOf = (id: MemoryId, text: string): ReadonlyArray<MemoryPiece> =>
  paragraph.chunk(text, budget).map((passage) => {
    const shown = embeddedText(passage)
    return {
      chunk_id: ChunkId.make(hash("sha256", JSON.stringify([id, passage.ordinal]), "hex").slice(0, 32)),
      ordinal: passage.ordinal,
      lines: passage.lines,
      bytes: passage.tokens,
      text: shown,
      embed_sha256: embedSha256(shown)
    }
  })

/**
 * The words of an evidence in its Record; none where the Record has other words there now.
 *
 * @since 0.1.0
 * @category reading
 */
export const wordsOf = ({ span, span_sha256 }: Pick<Evidence, "span" | "span_sha256">, record: string): string => {
  const words = record.slice(...span)
  return hash("sha256", words, "hex") === span_sha256 ? words : ""
}
