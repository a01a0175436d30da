/**
 * The chunker of plain text: a Passage a paragraph.
 *
 * One or more blank lines end a paragraph and belong to it; those at the top of the document belong to the first one.
 * Only a crumb, a Passage below an eighth of the budget, is joined with the next one, and never past the budget: larger
 * mixtures are found less well. What is over budget is cut at its lines, then within them. Nothing overlaps.
 *
 * @since 0.1.0
 */
import { cut } from "./Cut.ts"
import type { DocumentChunker } from "./DocumentChunker.ts"
import { type Measure, measureOf, type Piece } from "./Measure.ts"
import { passageOf } from "./Passages.ts"
import { afterByteOrderMark, firstInk, lastInk, lineStarts } from "./TextLines.ts"

/** `lines` are the starts of the lines behind the first one. */
interface Paragraph {
  readonly start: number
  readonly end: number
  readonly lines: ReadonlyArray<number>
}

const paragraphsOf = (text: string, starts: ReadonlyArray<number>): ReadonlyArray<Paragraph> => {
  const paragraphs: Array<Paragraph> = []
  const top = afterByteOrderMark(text)
  let open = { start: 0, lines: Array.of<number>() }
  let inked = false
  let blankBefore = true
  for (const [i, line] of starts.entries()) {
    const end = starts[i + 1] ?? text.length
    const blank = firstInk(text, Math.max(line, top), end) === end
    if (inked && blankBefore && !blank) {
      paragraphs.push({ ...open, end: line })
      open = { start: line, lines: [] }
    } else if (i > 0) {
      open.lines.push(line)
    }
    inked ||= !blank
    blankBefore = blank
  }
  return inked ? [...paragraphs, { ...open, end: text.length }] : []
}

/**
 * Joins each crumb with what follows. While the sum of the counts is a crumb's, the sum will do; what is larger, and
 * what is done, is counted exactly.
 */
const joinCrumbs = (pieces: Iterable<Piece>, measure: Measure): ReadonlyArray<Piece> => {
  const { budget, text } = measure
  const isCrumb = ({ tokens }: Piece): boolean => tokens * 8 < budget.max_tokens
  const joined: Array<Piece> = []
  let open: Piece | undefined
  /** Where the pieces begin that the open one was summed of. */
  let seams: Array<number> = []

  const close = (): void => {
    if (open === undefined) return
    const { end, start } = open
    const exact = seams.length === 0 ? open : measure.piece(start, end)
    // A sum promises nothing: the whole may count more than its parts.
    if (exact.over_budget && seams.length > 0) joined.push(...cut({ measure, start, end, seams: [seams] }))
    else joined.push(exact)
  }

  for (const next of pieces) {
    if (open !== undefined && isCrumb(open) && !measure.isTooLong(open.start, next.end)) {
      const between = text.slice(lastInk(text, open.start, open.end) + 1, next.start)
      const sum = { ...next, start: open.start, tokens: open.tokens + budget.count(between) + next.tokens }
      if (isCrumb(sum)) {
        open = sum
        seams.push(next.start)
        continue
      }
      const both = measure.piece(open.start, next.end)
      if (!both.over_budget) {
        open = both
        seams = []
        continue
      }
    }
    close()
    open = next
    seams = []
  }
  close()
  return joined
}

/**
 * Plain text by paragraph.
 *
 * @since 0.1.0
 * @category chunkers
 */
export const paragraph: DocumentChunker = {
  version: "paragraph/1",
  top: afterByteOrderMark,
  meta: () => undefined,
  chunk: (text, budget) => {
    const starts = lineStarts(text)
    const measure = measureOf(text, budget)
    const pieces = paragraphsOf(text, starts).flatMap(({ end, lines, start }) => {
      const whole = measure.isTooLong(start, end) ? undefined : measure.piece(start, end)
      return whole === undefined || whole.over_budget
        ? cut({ measure, start, end, seams: [lines] })
        : [whole]
    })
    return joinCrumbs(pieces, measure).map((piece, ordinal) =>
      passageOf(text, starts, piece, { ordinal, heading_path: [], context: "" })
    )
  }
}
