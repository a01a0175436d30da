/**
 * Link definitions. They are the beginning of a paragraph: what follows them on the next line is the rest of it,
 * whatever it looks like, and what would make a heading of them ends them.
 *
 * @since 0.1.0
 */
import { type BlockRule, type BlockState, indentOf, isInterrupted, isUnderline, ruleNamed } from "./BlockRule.ts"

const paragraph = ruleNamed("paragraph")
const reference = ruleNamed("reference")
const setext = ruleNamed("lheading")
const list = ruleNamed("list")

const asInParagraph = (state: BlockState, isSo: () => boolean): boolean => {
  const { parentType } = state
  state.parentType = "paragraph"
  const so = isSo()
  state.parentType = parentType
  return so
}

/** Whether the line goes on with a paragraph that is open, be it as a lazy line of the containers around it. */
const goesOn = (state: BlockState, line: number, end: number): boolean => {
  if (line >= end || state.isEmpty(line)) return false
  if (indentOf(state, line) > 3 || (state.sCount[line] ?? 0) < 0) return true
  return !asInParagraph(state, () => isInterrupted(state, line, end, "paragraph"))
}

/**
 * @since 0.1.0
 * @category rules
 */
export const definitions: BlockRule = (state, start, end, silent) => {
  if (!reference(state, start, end, silent)) return false
  while (goesOn(state, state.line, end)) {
    const { line } = state
    const indent = state.sCount[line] ?? 0
    state.sCount[line] = state.blkIndent
    const isDefinition = reference(state, line, end, false)
    if (!isDefinition && !setext(state, line, end, false)) paragraph(state, line, end, false)
    state.sCount[line] = indent
    if (!isDefinition) break
  }
  return true
}

/**
 * What ends a definition that is not complete, as it would end a paragraph; begins no block.
 *
 * @since 0.1.0
 * @category rules
 */
export const definitionEnd: BlockRule = (state, start, end, silent) =>
  silent && (isUnderline(state, start) || asInParagraph(state, () => list(state, start, end, true)))
