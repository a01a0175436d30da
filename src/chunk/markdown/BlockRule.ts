/**
 * What the rules of blocks have in common: markdown-it's way of looking at a line.
 *
 * Within its containers a line has a beginning, an indent in columns (`sCount`, -1 where a quote took the line without
 * a mark of its own), and an indent in units (`tShift`). `blkIndent` is what the containers take of the indent.
 *
 * @since 0.1.0
 */
import MarkdownIt from "markdown-it"
import { Recorder } from "./Recorder.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type BlockState = InstanceType<typeof MarkdownIt.StateBlock>

/**
 * Whether a block begins at line `start`; if so, and it was not asked in silence, the block is taken.
 *
 * @since 0.1.0
 * @category models
 */
export type BlockRule = (state: BlockState, start: number, end: number, silent: boolean) => boolean

/**
 * A rule of markdown-it by its name.
 *
 * @since 0.1.0
 * @category rules
 */
export const ruleNamed = (name: string): BlockRule => {
  const { ruler } = new MarkdownIt.ParserBlock()
  ruler.enableOnly([name])
  const [rule = () => false] = ruler.getRules("")
  return rule
}

/**
 * Whether a line can only go on with a paragraph: a quote around has taken it without a mark, or it is outside the item
 * that is open, and so far within the container that it would be in as to be code there.
 */
const isLazy = (state: BlockState, line: number): boolean => {
  const indent = state.sCount[line] ?? 0
  if (indent < 0) return true
  const around = state instanceof Recorder ? state.around : []
  return indent < state.blkIndent && indent - (around.findLast((taken) => taken <= indent) ?? 0) >= 4
}

/**
 * The rule, but for a lazy line: there it begins nothing.
 *
 * @since 0.1.0
 * @category rules
 */
export const unlessLazy = (rule: BlockRule): BlockRule => (state, start, end, silent) =>
  !isLazy(state, start) && rule(state, start, end, silent)

/**
 * The rule of a container whose items take more of the indent than what is around them.
 *
 * @since 0.1.0
 * @category rules
 */
export const container = (rule: BlockRule): BlockRule => (state, start, end, silent) =>
  silent || !(state instanceof Recorder)
    ? rule(state, start, end, silent)
    : state.inside([...state.around, state.blkIndent], () => rule(state, start, end, silent))

/**
 * Whether one of the rules that may interrupt such a block begins one on this line.
 *
 * @since 0.1.0
 * @category lines
 */
export const isInterrupted = (
  state: BlockState,
  line: number,
  end: number,
  what: "blockquote" | "paragraph"
): boolean => state.md.block.ruler.getRules(what).some((rule) => rule(state, line, end, true))

/**
 * Columns of indent that the containers leave; negative where the line is outside them.
 *
 * @since 0.1.0
 * @category lines
 */
export const indentOf = (state: BlockState, line: number): number => (state.sCount[line] ?? 0) - state.blkIndent

/**
 * Whether a block may begin here: within the containers, and not so far in that it would be code.
 *
 * @since 0.1.0
 * @category lines
 */
export const isInPlace = (state: BlockState, line: number): boolean => {
  const indent = indentOf(state, line)
  return indent >= 0 && indent < 4
}

/**
 * Where the line's first unit is that is no indent.
 *
 * @since 0.1.0
 * @category lines
 */
export const inkOf = (state: BlockState, line: number): number => (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)

/**
 * The line without its indent.
 *
 * @since 0.1.0
 * @category lines
 */
export const textOf = (state: BlockState, line: number): string =>
  state.src.slice(inkOf(state, line), state.eMarks[line] ?? 0)

/**
 * Whether the line makes a heading of a paragraph above it.
 *
 * @since 0.1.0
 * @category lines
 */
export const isUnderline = (state: BlockState, line: number): boolean =>
  isInPlace(state, line) && /^(?:=+|-+)[ \t]*$/.test(textOf(state, line))
