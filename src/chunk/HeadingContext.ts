/**
 * What is embedded before a Piece of a section: the titles above it, a line each, and the opener or header of the block
 * that it begins within.
 *
 * It takes at most a quarter of the budget. Beyond that titles go, the outermost first; an opener that is too long alone
 * is left out and costs no title.
 *
 * @since 0.1.0
 */
import type { DocumentBudget } from "./DocumentChunker.ts"
import type { PathNode } from "./Sections.ts"

/**
 * The context under a heading and all above it, with what is repeated behind the titles.
 *
 * @since 0.1.0
 * @category models
 */
export type ContextOf = (node: PathNode | undefined, repeated?: string) => string

/**
 * Contexts within a budget. What has been counted is remembered, so a title is not counted again for each Piece.
 *
 * @since 0.1.0
 * @category constructors
 */
export const contextsOf = ({ count, max_characters, max_tokens }: DocumentBudget): ContextOf => {
  const most = { tokens: Math.floor(max_tokens / 4), characters: Math.floor(max_characters / 4) }
  const fits = (context: string): boolean => context.length <= most.characters && count(context) <= most.tokens

  /** The lines before `last` that fit with it, the innermost first; once one does not, none above it. */
  const fitting = (lines: ReadonlyArray<string>, last: string): ReadonlyArray<string> => {
    const fitted: Array<string> = []
    let context = last
    for (const line of lines) {
      if (!fits(line + context)) break
      context = line + context
      fitted.push(line)
    }
    return fitted
  }

  const known = new Map<PathNode | undefined, ReadonlyArray<string>>([[undefined, []]])
  const titleLines = (node: PathNode | undefined): ReadonlyArray<string> => {
    const before = known.get(node)
    if (before !== undefined || node === undefined) return before ?? []
    const above = titleLines(node.parent)
    const own = `${node.title}\n`
    const lines = node.title === "" ? above : fits(own) ? [own, ...fitting(above, own)] : []
    known.set(node, lines)
    return lines
  }

  return (node, repeated = "") => {
    const lines = titleLines(node)
    const last = repeated !== "" && fits(repeated) ? repeated : ""
    return [...(last === "" ? lines : fitting(lines, last))].reverse().join("") + last
  }
}
