/**
 * An answer that streams is written several times over, each time as a line of its own: the text so far, and at last all
 * of it. A block that begins with an earlier one of the same answer stands in its place.
 *
 * @since 0.1.0
 */
import * as Window from "../Window.ts"

interface Snapshot {
  readonly key: string
  readonly line: number
  readonly text: string
}

/**
 * The blocks that nothing stands in place of yet, by answer and type.
 *
 * @since 0.1.0
 * @category models
 */
export type Snapshots = Window.Window<ReadonlyArray<Snapshot>>

/** A text that is longer than this is not held, and so never found to be a snapshot. */
const longest = 256 * 1024

/** Blocks of one type in one answer. */
const most = 32

/**
 * Notes a block of an answer, `name` being that of the answer and of the block's type, and says which one it supersedes.
 * Blocks of the same line are never one another's snapshots, nor is a line its own copy's.
 *
 * @since 0.1.0
 * @category combinators
 */
export const note = (
  snapshots: Snapshots,
  name: string,
  block: Snapshot
): readonly [Snapshots, supersedes: string | undefined] => {
  if (block.text === "" || block.text.length > longest) return [snapshots, undefined]
  const known = (Window.get(snapshots, name, block.line) ?? []).filter(({ line }) => Window.isInReach(line, block.line))
  if (known.some(({ key }) => key === block.key)) return [snapshots, undefined]
  const before = known.findLast(({ line, text }) => line !== block.line && block.text.startsWith(text))
  const others = known.filter((one) => one !== before)
  return [Window.set(snapshots, name, [...others, block].slice(-most), block.line), before?.key]
}
