/**
 * Block quotes.
 *
 * A line without a mark may belong to a quote, as a lazy line of the paragraph that is open in it. Whether there is one
 * shows only when the lines of the quote are parsed, so they are taken first and parsed then, and the quote ends where
 * the parse does. Taking all that could follow each time would make a document of such lines quadratic: behind its
 * first lazy line a quote looks only so far ahead, and further when that was not far enough.
 *
 * @since 0.1.0
 */
import { type BlockRule, type BlockState, indentOf, inkOf, isInPlace, isInterrupted } from "./BlockRule.ts"
import { Recorder } from "./Recorder.ts"

const greater = 0x3e
const space = 0x20
const tab = 0x09

/** How much further than it came a quote looks: large, since quotes in quotes each look again. */
const growth = 64

const isMarked = (state: BlockState, line: number): boolean =>
  indentOf(state, line) < 4 && !state.isEmpty(line) && state.src.charCodeAt(inkOf(state, line)) === greater

/** A line as it was before a quote took it. */
type Taken = readonly [bMark: number, tShift: number, sCount: number, bsCount: number]

const take = (state: BlockState, line: number): Taken => [
  state.bMarks[line] ?? 0,
  state.tShift[line] ?? 0,
  state.sCount[line] ?? 0,
  state.bsCount[line] ?? 0
]

const giveBack = (state: BlockState, line: number, [bMark, tShift, sCount, bsCount]: Taken): void => {
  state.bMarks[line] = bMark
  state.tShift[line] = tShift
  state.sCount[line] = sCount
  state.bsCount[line] = bsCount
}

/** Takes the mark off the line, and one column behind it, which may be a part of a tab. */
const unmark = (state: BlockState, line: number): void => {
  const { bsCount, sCount, src } = state
  const max = state.eMarks[line] ?? 0
  let from = inkOf(state, line) + 1
  let column = (bsCount[line] ?? 0) + (sCount[line] ?? 0) + 1
  const behind = src.charCodeAt(from)
  if (from < max && (behind === space || behind === tab)) {
    column += 1
    if (behind === space || column % 4 === 0) from += 1
  }
  let ink = from
  let indent = column
  for (; ink < max; ink += 1) {
    const unit = src.charCodeAt(ink)
    if (unit === space) indent += 1
    else if (unit === tab) indent += 4 - indent % 4
    else break
  }
  state.bMarks[line] = from
  state.tShift[line] = ink - from
  sCount[line] = indent - column
  bsCount[line] = column
}

/** Parses the quote's lines, of which none from `limit` on is looked at; where it ended, or undefined if it wants more. */
const within = (state: Recorder, start: number, end: number, reach: number): number | undefined => {
  const taken: Array<Taken> = []
  let limit = end
  let line = start
  let marked = true
  let blank = false
  for (; line < limit; line += 1) {
    const wasMarked = marked
    marked = isInPlace(state, line) && isMarked(state, line)
    if (!marked && (state.isEmpty(line) || blank || isInterrupted(state, line, end, "blockquote"))) break
    if (!marked && wasMarked && limit === end) limit = Math.min(end, line + growth * Math.max(line - start, reach))
    taken.push(take(state, line))
    if (marked) unmark(state, line)
    else state.sCount[line] = -1
    blank = state.isEmpty(line)
  }
  const { blkIndent, lineMax } = state
  const isCut = line === limit && limit < end
  state.blkIndent = 0
  state.lineMax = line
  state.inside([], () => state.md.block.tokenize(state, start, line))
  state.lineMax = lineMax
  state.blkIndent = blkIndent
  taken.forEach((before, i) => giveBack(state, start + i, before))
  return isCut && state.line >= line ? undefined : state.line
}

/**
 * @since 0.1.0
 * @category rules
 */
export const quote: BlockRule = (state, start, end, silent) => {
  if (!isMarked(state, start) || !(state instanceof Recorder)) return false
  if (silent) return true
  const { parentType } = state
  const map: [number, number] = [start, start + 1]
  state.push("blockquote_open", "blockquote", 1).map = map
  state.parentType = "blockquote"
  const { length } = state.blocks
  for (let reach = 1, ended: number | undefined; ended === undefined; reach *= growth) {
    state.forget(length)
    ended = within(state, start, end, reach)
  }
  state.parentType = parentType
  state.push("blockquote_close", "blockquote", -1)
  map[1] = state.line
  return true
}
