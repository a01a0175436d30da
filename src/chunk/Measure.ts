/**
 * The measure of a document: does a span fit the budget, and how many tokens has it? What is counted is always the
 * exact embedded text.
 *
 * @since 0.1.0
 */
import type { DocumentBudget } from "./DocumentChunker.ts"
import { bodySpan, embeddedSpan } from "./EmbeddedText.ts"
import { afterByteOrderMark } from "./TextLines.ts"

/**
 * A span of a document with its measure: what a Passage will be made of.
 *
 * @since 0.1.0
 * @category models
 */
export interface Piece {
  readonly start: number
  readonly end: number
  readonly tokens: number
  readonly over_budget: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Measure {
  readonly text: string
  readonly budget: DocumentBudget
  /** Where the embedded part of the document begins, behind byte order mark and front matter. */
  readonly top: number
  /** Whether a span is above `max_characters`, which is known without counting it. */
  readonly isTooLong: (start: number, end: number) => boolean
  /** The span as a Piece, counted. */
  readonly piece: (start: number, end: number) => Piece
}

/**
 * `contextAt` gives the context of a Piece that begins at an offset.
 *
 * @since 0.1.0
 * @category constructors
 */
export const measureOf = (text: string, budget: DocumentBudget, options?: {
  readonly top?: number
  readonly contextAt?: (start: number) => string
}): Measure => {
  const { contextAt = () => "", top = afterByteOrderMark(text) } = options ?? {}

  const piece = (start: number, end: number): Piece => {
    const embedded = embeddedSpan(text, top, contextAt(start), start, end)
    const tokens = budget.count(embedded)
    const over_budget = tokens > budget.max_tokens || embedded.length > budget.max_characters
    return { start, end, tokens, over_budget }
  }

  const isTooLong = (start: number, end: number): boolean => {
    const [from, to] = bodySpan(text, top, start, end)
    return contextAt(start).length + to - from > budget.max_characters
  }

  return { text, budget, top, isTooLong, piece }
}
