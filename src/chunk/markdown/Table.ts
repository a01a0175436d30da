/**
 * Tables as GFM has them: a row, a row of dashes with as many cells, and rows until a blank line or another block.
 *
 * A table is one block: nothing here needs its cells.
 *
 * @since 0.1.0
 */
import { trimmed } from "../TextLines.ts"
import { type BlockRule, type BlockState, isInPlace, isInterrupted, isUnderline, textOf } from "./BlockRule.ts"

const delimiters = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/

/** Cells of a row without blanks at its edges; a bar there parts nothing, nor does one behind a backslash. */
const cellsOf = (row: string): number => {
  const bars = row.match(/\\[\\|]|(?!^)\|(?!$)/g) ?? []
  return 1 + bars.filter((bar) => bar === "|").length
}

const beginsTable = (state: BlockState, start: number, end: number): boolean => {
  const next = start + 1
  if (next >= end || !isInPlace(state, start) || !isInPlace(state, next) || isUnderline(state, next)) return false
  const row = trimmed(textOf(state, next))
  // A dash and a blank begin a list.
  return delimiters.test(row) && !/^-[ \t]/.test(row) && cellsOf(row) === cellsOf(trimmed(textOf(state, start)))
}

/**
 * @since 0.1.0
 * @category rules
 */
export const table: BlockRule = (state, start, end, silent) => {
  if (!beginsTable(state, start, end)) return false
  if (silent) return true
  let line = start + 2
  while (
    line < end && !state.isEmpty(line) && isInPlace(state, line) && !isInterrupted(state, line, end, "blockquote")
  ) line += 1
  state.push("table", "", 0).map = [start, line]
  state.line = line
  return true
}
