/**
 * The chunker of Markdown: a Passage a section.
 *
 * Each heading at the top level begins a Passage and stays with what follows it; small sections are never joined. A
 * section over budget is cut between its blocks, then within them, and its Pieces are packed up to the budget. A list
 * item, fence, table or HTML block that fits is not cut. A Piece that its heading is not in has the titles above it as
 * context, and the opener or header of the block that it begins within.
 *
 * @since 0.1.0
 */
import { cut, type Glued } from "./Cut.ts"
import type { DocumentBudget, DocumentChunker } from "./DocumentChunker.ts"
import { afterFrontMatter, frontMatterMeta } from "./FrontMatter.ts"
import { type ContextOf, contextsOf } from "./HeadingContext.ts"
import { type Measure, measureOf, type Piece } from "./Measure.ts"
import { passageOf } from "./Passages.ts"
import { atomsAt, type Repeat, seamsOf } from "./Seams.ts"
import { inkedEnd, offsetOf, type Outline, outlineOf, type Section, sectionsOf, titlesOf } from "./Sections.ts"
import { afterByteOrderMark, firstInk, lineStarts, lowerBound } from "./TextLines.ts"

/** Where a section's heading ends; 0 where it has none. */
const headingEndOf = (outline: Outline, { heading }: Section): number => {
  const block = heading === undefined ? undefined : outline.blocks[heading.at]
  return block === undefined ? 0 : offsetOf(outline, block.end)
}

/** A heading stays with the beginning of its body, unless that is an atom which fits without the heading. */
const gluedHeading = (outline: Outline, { heading, start, to }: Section, measure: Measure): ReadonlyArray<Glued> => {
  const body = heading === undefined || heading.at + 1 >= to ? undefined : outline.blocks[heading.at + 1]
  if (heading === undefined || body === undefined) return []
  const fits = atomsAt(outline, heading.at + 1, to).some((atom) => {
    const [first, end] = [offsetOf(outline, atom.first), offsetOf(outline, inkedEnd(outline, atom))]
    return !measure.isTooLong(first, end) && !measure.piece(first, end).over_budget
  })
  return fits ? [] : [{ start, end: offsetOf(outline, body.first) }]
}

interface Work {
  readonly outline: Outline
  readonly budget: DocumentBudget
  readonly top: number
  readonly contextOf: ContextOf
}

/** The Pieces of a section, each with its context. */
const piecesOf = (
  { budget, contextOf, outline, top }: Work,
  section: Section
): ReadonlyArray<Piece & { readonly context: string }> => {
  const { end, heading, start } = section
  const headingEnd = headingEndOf(outline, section)
  let repeats: ReadonlyArray<Repeat> = []
  let ends: ReadonlyArray<number> = []

  // It is asked for again and again, for the same Piece.
  let last = { at: -1, context: "" }
  const contextAt = (offset: number): string => {
    if (last.at === offset) return last.context
    const repeat = repeats[lowerBound(ends, offset + 1)]
    const within = repeat !== undefined && repeat.start <= offset ? repeat.text : ""
    // A heading that the Piece begins in or before is in the Piece itself.
    const node = offset < headingEnd ? heading?.node.parent : heading?.node
    last = { at: offset, context: contextOf(node, within) }
    return last.context
  }
  const measure = measureOf(outline.text, budget, { top, contextAt })
  const withContext = (piece: Piece) => ({ ...piece, context: contextAt(piece.start) })

  const whole = measure.isTooLong(start, end) ? undefined : measure.piece(start, end)
  if (whole !== undefined && !whole.over_budget) return [withContext(whole)]
  const seams = seamsOf(outline, section)
  repeats = seams.repeats
  ends = repeats.map((repeat) => repeat.end)
  const glued = [...gluedHeading(outline, section, measure), ...seams.glued]
  return cut({ measure, start, end, seams: seams.kinds, glued }).map(withContext)
}

/**
 * Markdown by heading.
 *
 * @since 0.1.0
 * @category chunkers
 */
export const heading: DocumentChunker = {
  version: "heading/1",
  top: afterFrontMatter,
  meta: frontMatterMeta,
  chunk: (text, budget) => {
    if (firstInk(text, afterByteOrderMark(text), text.length) === text.length) return []
    const starts = lineStarts(text)
    const top = afterFrontMatter(text)
    const outline = outlineOf(text, starts, top)
    const work = { outline, budget, top, contextOf: contextsOf(budget) }
    let ordinal = 0
    return sectionsOf(outline).flatMap((section) =>
      piecesOf(work, section).map(({ context, ...piece }) =>
        passageOf(text, starts, piece, { ordinal: ordinal++, heading_path: titlesOf(section.heading?.node), context })
      )
    )
  }
}
