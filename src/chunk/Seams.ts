/**
 * Where a section of Markdown may be cut, by kind, and what is repeated or kept together where it is.
 *
 * Kinds go from the outside in: blank lines between blocks, then edges of blocks, then the same within list items,
 * quotes, fences and so on, at last any line. A cut takes the first kind that has a place that fits. So a block that
 * fits is never cut: whatever ends within it is of a kind that comes behind that of its own beginning.
 *
 * @since 0.1.0
 */
import type { Glued } from "./Cut.ts"
import type { Block, BlockKind } from "./markdown/Block.ts"
import { inkedEnd, isBlankLine, offsetOf, type Outline, type Section } from "./Sections.ts"
import { lastInk } from "./TextLines.ts"

/**
 * What is repeated before a Piece that begins in `[start, end)`: a fence's opener, a table's header.
 *
 * @since 0.1.0
 * @category models
 */
export interface Repeat {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Seams {
  readonly kinds: ReadonlyArray<ReadonlyArray<number>>
  readonly glued: ReadonlyArray<Glued>
  readonly repeats: ReadonlyArray<Repeat>
}

/** Blocks that are cut only when they do not fit alone. */
const atoms: ReadonlySet<BlockKind> = new Set<BlockKind>(["code", "fence", "html", "item", "table"])

/**
 * The atoms that begin where a block does, the outermost first.
 *
 * @since 0.1.0
 * @category atoms
 */
export const atomsAt = ({ blocks }: Outline, at: number, to: number): ReadonlyArray<Block> => {
  const found: Array<Block> = []
  for (let i = at; i < to && blocks[i]?.first === blocks[at]?.first; i += 1) {
    const block = blocks[i]
    if (block !== undefined && atoms.has(block.kind)) found.push(block)
  }
  return found
}

const closesFence = /(?:`{3}|~{3})$/

/**
 * The seams of a section.
 *
 * @since 0.1.0
 * @category constructors
 */
export const seamsOf = (outline: Outline, { from, to }: Section): Seams => {
  const { blocks, text } = outline
  const depths: Array<{ readonly blank: Array<number>; readonly edge: Array<number> }> = []
  const lines: Array<number> = []
  const firstRows: Array<number> = []
  const glued: Array<Glued> = []
  const repeats: Array<Repeat> = []
  /** Where the last block of each depth ended. */
  const ends: Array<number> = []
  let seen = -1

  const offset = (line: number): number => offsetOf(outline, line)
  const at = (depth: number) => {
    while (depths.length <= depth) depths.push({ blank: [], edge: [] })
    return depths[depth] ?? { blank: [], edge: [] }
  }
  const lineText = (line: number): string => text.slice(offset(line), lastInk(text, offset(line), offset(line + 1)) + 1)

  const plain = (first: number, end: number, into = lines): void => {
    for (let line = first; line < end; line += 1) into.push(offset(line))
  }

  /** Lines with blank ones among them, which are the better places. */
  const spaced = (first: number, end: number, depth: number): void => {
    for (let line = first; line < end; line += 1) {
      if (!isBlankLine(outline, line)) (isBlankLine(outline, line - 1) ? at(depth).blank : lines).push(offset(line))
    }
  }

  const fence = (first: number, end: number, depth: number): void => {
    const closed = end - 1 > first && closesFence.test(lineText(end - 1))
    const last = closed ? end - 1 : end
    let content = first + 1
    while (content < last && isBlankLine(outline, content)) content += 1
    if (content === last) return
    spaced(content, last, depth)
    glued.push({ start: offset(first), end: offset(content) })
    repeats.push({ start: offset(first + 1), end: offset(end), text: `${lineText(first)}\n`.toWellFormed() })
  }

  const table = (first: number, end: number): void => {
    plain(first + 2, Math.min(end, first + 3), firstRows)
    plain(first + 3, end)
    const header = `${lineText(first)}\n${lineText(first + 1)}\n`.toWellFormed()
    repeats.push({ start: offset(first + 2), end: offset(end), text: header })
  }

  for (const block of blocks.slice(from, to)) {
    const { depth, first, kind } = block
    const end = inkedEnd(outline, block)
    const before = ends[depth]
    if (first > seen) (before !== undefined && before < first ? at(depth).blank : at(depth).edge).push(offset(first))
    seen = Math.max(seen, first)
    ends.length = depth
    ends[depth] = end
    if (kind === "paragraph" || kind === "definition") plain(first + 1, end)
    // The line below a heading is no place to begin.
    else if (kind === "heading") plain(first + 1, end - 1)
    else if (kind === "code" || kind === "html") spaced(first + 1, end, depth + 1)
    else if (kind === "fence") fence(first, end, depth + 1)
    else if (kind === "table") table(first, end)
  }

  const kinds = [...depths.flatMap(({ blank, edge }) => [blank, edge]), lines, firstRows]
  return { kinds: kinds.filter(({ length }) => length > 0), glued, repeats }
}
