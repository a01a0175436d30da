/**
 * How documents are cut: a chunker by media type, under one budget, counted by the embedder's own counter.
 *
 * @since 0.1.0
 */
import type { TokenCounter } from "../../services/TokenCounter.ts"
import { defaultMaxCharacters, type DocumentChunker } from "../chunk/DocumentChunker.ts"
import { embeddedText } from "../chunk/EmbeddedText.ts"
import { paragraph } from "../chunk/Paragraph.ts"
import { embedSha256, pipelineOf as fingerprint } from "../chunk/Pipeline.ts"
import type { DocumentRef } from "../domain/Document.ts"
import type { Fingerprint, Sha256 } from "../domain/Ids.ts"
import type { Passage } from "../domain/Passage.ts"

/**
 * A chunker by its name in `connectors.yaml`.
 *
 * @since 0.1.0
 * @category models
 */
export interface NamedChunker {
  readonly name: string
  readonly chunker: DocumentChunker
}

/**
 * @since 0.1.0
 * @category models
 */
export interface DocumentPolicy {
  readonly markdown: NamedChunker
  readonly text: NamedChunker
  readonly max_tokens: number
  readonly max_characters: number
}

const byParagraph: NamedChunker = { name: "paragraph", chunker: paragraph }

/**
 * Paragraphs of up to 240 tokens and 2,000 characters.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaults: DocumentPolicy = {
  markdown: byParagraph,
  text: byParagraph,
  max_tokens: 240,
  max_characters: defaultMaxCharacters
}

/**
 * A passage with the exact text that is embedded for it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Piece {
  readonly passage: Passage
  readonly text: string
  readonly embed_sha256: Sha256
}

/**
 * A policy with a counter: what it makes of documents, and what that is called.
 *
 * @since 0.1.0
 * @category models
 */
export interface Chunking {
  /** Changes whenever the same text may be cut otherwise. */
  readonly pipelineOf: (document: Pick<DocumentRef, "doc_id" | "media_type">) => Fingerprint
  readonly cut: (document: Pick<DocumentRef, "doc_id" | "media_type">, text: string) => ReadonlyArray<Piece>
}

const isMarkdown = ({ doc_id, media_type }: Pick<DocumentRef, "doc_id" | "media_type">): boolean =>
  media_type === undefined ? /\.(md|markdown)$/i.test(doc_id) : media_type === "text/markdown"

/**
 * The policy at work with this counter.
 *
 * @since 0.1.0
 * @category constructors
 */
export const chunking = (policy: DocumentPolicy, counter: TokenCounter["Type"]): Chunking => {
  const { max_characters, max_tokens } = policy
  const chunkerOf = (document: Pick<DocumentRef, "doc_id" | "media_type">) =>
    isMarkdown(document) ? policy.markdown : policy.text
  return {
    pipelineOf: (document) => {
      const { chunker, name } = chunkerOf(document)
      return fingerprint({
        chunker: name,
        version: chunker.version,
        max_tokens,
        max_characters,
        counter: counter.fingerprint
      })
    },
    cut: (document, text) =>
      chunkerOf(document).chunker.chunk(text, { max_tokens, max_characters, count: counter.count }).map((passage) => {
        const text = embeddedText(passage)
        return { passage, text, embed_sha256: embedSha256(text) }
      })
  }
}
