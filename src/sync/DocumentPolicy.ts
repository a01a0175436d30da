/**
 * How documents are cut: a chunker by media type, under one budget, counted by the embedder's own counter.
 *
 * @since 0.1.0
 */
import type { TokenCounter } from "../../services/TokenCounter.ts"
import { defaultMaxCharacters, type DocumentChunker } from "../chunk/DocumentChunker.ts"
import { embeddedText } from "../chunk/EmbeddedText.ts"
import { heading } from "../chunk/Heading.ts"
import { paragraph } from "../chunk/Paragraph.ts"
import { embedSha256, pipelineOf as fingerprint } from "../chunk/Pipeline.ts"
import { type ChunkerName, defaultChunking } from "../domain/ConnectorsFile.ts"
import type { DocumentRef } from "../domain/Document.ts"
import type { Fingerprint, Sha256 } from "../domain/Ids.ts"
import { Passage } from "../domain/Passage.ts"
import type { Reference } from "../domain/Reference.ts"
import { mediaTypeOf } from "../text/MediaType.ts"

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

/**
 * The chunkers that there are, by name.
 *
 * @since 0.1.0
 * @category constants
 */
export const chunkers: Readonly<Record<ChunkerName, NamedChunker>> = {
  heading: { name: "heading", chunker: heading },
  paragraph: { name: "paragraph", chunker: paragraph }
}

/**
 * Markdown by heading, text by paragraph, in passages of up to 240 tokens and 2,000 characters.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaults: DocumentPolicy = {
  markdown: chunkers[defaultChunking.markdown],
  text: chunkers[defaultChunking.text],
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
 * What a document has to say of what it is.
 *
 * @since 0.1.0
 * @category models
 */
export type Described = Pick<DocumentRef, "doc_id" | "media_type">

/**
 * A policy with a counter: what it makes of documents, and what that is called.
 *
 * @since 0.1.0
 * @category models
 */
export interface Chunking {
  /** Changes whenever the same text may be cut otherwise. */
  readonly pipelineOf: (document: Described) => Fingerprint
  readonly cut: (document: Described, text: string) => ReadonlyArray<Piece>
  /** The piece that a passage of the log was, cut by the same pipeline. */
  readonly pieceOf: (document: Described, reference: Reference) => Piece
  /** What the document says of itself. */
  readonly meta: (document: Described, text: string) => unknown
}

const isMarkdown = ({ doc_id, media_type }: Described): boolean =>
  (media_type ?? mediaTypeOf(doc_id)) === "text/markdown"

/**
 * The policy at work with this counter.
 *
 * @since 0.1.0
 * @category constructors
 */
export const chunking = (policy: DocumentPolicy, counter: TokenCounter["Type"]): Chunking => {
  const { max_characters, max_tokens } = policy
  const chunkerOf = (document: Described) => isMarkdown(document) ? policy.markdown : policy.text
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
    cut: (document, text) => {
      const { chunker } = chunkerOf(document)
      const top = chunker.top(text)
      return chunker.chunk(text, { max_tokens, max_characters, count: counter.count }).map((passage) => {
        const embedded = embeddedText(passage, passage.start === 0 ? top : 0)
        return { passage, text: embedded, embed_sha256: embedSha256(embedded) }
      })
    },
    pieceOf: (document, { embed_sha256, ...reference }) => {
      const top = reference.start === 0 ? chunkerOf(document).chunker.top(reference.text) : 0
      return { passage: new Passage(reference), text: embeddedText(reference, top), embed_sha256 }
    },
    meta: (document, text) => chunkerOf(document).chunker.meta(text)
  }
}
