/**
 * The sections of a Markdown document. Each heading at the top level begins one and owns all up to the next; what
 * stands before the first is one of its own. Sections partition the document: byte order mark, front matter and blank
 * lines at the top belong to the first.
 *
 * @since 0.1.0
 */
import type { Block } from "./markdown/Block.ts"
import { blocksOf } from "./markdown/Parser.ts"
import { firstInk, lowerBound } from "./TextLines.ts"

/**
 * A heading and the one that it stands under.
 *
 * @since 0.1.0
 * @category models
 */
export interface PathNode {
  readonly level: number
  readonly title: string
  readonly parent: PathNode | undefined
}

/**
 * A document's blocks and where their lines begin. Neither byte order mark nor front matter is among the lines.
 *
 * @since 0.1.0
 * @category models
 */
export interface Outline {
  readonly text: string
  readonly lines: ReadonlyArray<number>
  readonly blocks: ReadonlyArray<Block>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Section {
  readonly start: number
  readonly end: number
  /** Its blocks in the outline, `[from, to)`. */
  readonly from: number
  readonly to: number
  /** Its heading, by its place in the outline; none before the first heading. */
  readonly heading: { readonly at: number; readonly node: PathNode } | undefined
}

/**
 * Where a line of the outline begins; behind the last one the text ends.
 *
 * @since 0.1.0
 * @category offsets
 */
export const offsetOf = ({ lines, text }: Outline, line: number): number => lines[line] ?? text.length

/**
 * Whether a line of the outline holds spaces and tabs only.
 *
 * @since 0.1.0
 * @category offsets
 */
export const isBlankLine = (outline: Outline, line: number): boolean => {
  const end = offsetOf(outline, line + 1)
  return firstInk(outline.text, offsetOf(outline, line), end) === end
}

/**
 * The line behind the block's last one that is not blank.
 *
 * @since 0.1.0
 * @category offsets
 */
export const inkedEnd = (outline: Outline, { end, first }: Block): number => {
  let line = end
  while (line > first + 1 && isBlankLine(outline, line - 1)) line -= 1
  return line
}

/**
 * The outline of a document whose lines begin at `starts` and whose embedded part at `top`, which begins a line but for
 * a byte order mark.
 *
 * @since 0.1.0
 * @category constructors
 */
export const outlineOf = (text: string, starts: ReadonlyArray<number>, top: number): Outline => {
  const [, ...others] = starts.slice(Math.max(0, lowerBound(starts, top + 1) - 1))
  return { text, lines: top < text.length ? [top, ...others] : [], blocks: blocksOf(text.slice(top)) }
}

/** The link definitions right above an underlined heading are the beginning of its paragraph. */
const beginningOf = (blocks: ReadonlyArray<Block>, at: number): number => {
  let from = at
  while (
    blocks[at]?.heading?.setext === true && blocks[from - 1]?.kind === "definition"
    && blocks[from - 1]?.depth === 0 && blocks[from - 1]?.end === blocks[from]?.first
  ) from -= 1
  return from
}

const under = (path: PathNode | undefined, level: number): PathNode | undefined => {
  let node = path
  while (node !== undefined && node.level >= level) node = node.parent
  return node
}

/**
 * The sections of an outline; a document that is not blank has one at least.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sectionsOf = (outline: Outline): ReadonlyArray<Section> => {
  const { blocks, text } = outline
  const sections: Array<Section> = []
  let open: Pick<Section, "from" | "heading" | "start"> = { start: 0, from: 0, heading: undefined }
  let node: PathNode | undefined
  for (const [at, { heading }] of blocks.entries()) {
    if (heading === undefined) continue
    const from = beginningOf(blocks, at)
    const start = from === 0 ? 0 : offsetOf(outline, blocks[from]?.first ?? 0)
    if (from > 0) sections.push({ ...open, end: start, to: from })
    node = { level: heading.level, title: heading.title, parent: under(node, heading.level) }
    open = { start, from, heading: { at, node } }
  }
  return [...sections, { ...open, end: text.length, to: blocks.length }]
}

/**
 * The titles of a heading's path, outermost first, its own last.
 *
 * @since 0.1.0
 * @category paths
 */
export const titlesOf = (node: PathNode | undefined): ReadonlyArray<string> => {
  const titles: Array<string> = []
  for (let at = node; at !== undefined; at = at.parent) titles.push(at.title)
  return titles.reverse()
}
