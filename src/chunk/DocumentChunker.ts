/**
 * What a chunker of documents is: a pure function from a decoded text to its Passages.
 *
 * The Passages' spans partition the text: sorted, disjoint, none empty or blank, and joined they are the text again,
 * byte order mark, line ends and outer blanks included. Only an empty or all-blank text has none. No span ends inside
 * a surrogate pair or a grapheme cluster.
 *
 * @since 0.1.0
 */
import type { Passage } from "../domain/Passage.ts"

/**
 * What the embedded text of a Passage may measure. The embedder's own counter counts it, so the budget and the model's
 * limit cannot diverge.
 *
 * @since 0.1.0
 * @category models
 */
export interface DocumentBudget {
  readonly max_tokens: number
  /** In UTF-16 units. It bounds what tokens do not: a tokenizer may take a word of any length for one token. */
  readonly max_characters: number
  /** Pure; a whole number, 0 or more; 0 for the empty text. */
  readonly count: (text: string) => number
}

/**
 * The `max_characters` of a budget that does not say otherwise.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultMaxCharacters = 2000

/**
 * @since 0.1.0
 * @category models
 */
export interface DocumentChunker {
  /** Part of a pipeline's fingerprint: it changes whenever the same text may be cut elsewhere. */
  readonly version: string
  /**
   * Where the embedded part of a document begins, behind its byte order mark and what else is not embedded. All of that
   * stands in the first Passage, whose own text gives the same answer.
   */
  readonly top: (text: string) => number
  /** What the document says of itself, as JSON can hold it; never fails. */
  readonly meta: (text: string) => Readonly<Record<string, unknown>> | undefined
  /** `text` is the whole document, decoded without dropping its byte order mark. */
  readonly chunk: (text: string, budget: DocumentBudget) => ReadonlyArray<Passage>
}
