/**
 * Footnotes as GitHub has them: `[^label]:` opens a container, whose further lines are indented by four.
 *
 * @since 0.1.0
 */
import { type BlockRule, indentOf, textOf } from "./BlockRule.ts"

const mark = /^\[\^(?:[^\s[\]\\]|\\.){1,999}\]:[ \t]*/

/**
 * @since 0.1.0
 * @category rules
 */
export const footnote: BlockRule = (state, start, end, silent) => {
  if (indentOf(state, start) >= 4) return false
  const [marked] = mark.exec(textOf(state, start)) ?? []
  if (marked === undefined) return false
  if (silent) return true
  const { blkIndent, parentType } = state
  const [tShift, sCount] = [state.tShift[start] ?? 0, state.sCount[start] ?? 0]
  const map: [number, number] = [start, start + 1]
  state.push("footnote_open", "", 1).map = map
  state.parentType = "footnote"
  state.blkIndent += 4
  state.tShift[start] = tShift + marked.length
  state.sCount[start] = state.blkIndent
  state.md.block.tokenize(state, start, end)
  state.tShift[start] = tShift
  state.sCount[start] = sCount
  state.blkIndent = blkIndent
  state.parentType = parentType
  state.push("footnote_close", "", -1)
  map[1] = state.line
  return true
}
