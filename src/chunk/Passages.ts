/**
 * Pieces become Passages: the one place where a Passage of a document is made.
 *
 * @since 0.1.0
 */
import { Passage } from "../domain/Passage.ts"
import type { Piece } from "./Measure.ts"
import { lineRange } from "./TextLines.ts"

/**
 * What a Piece does not know of its Passage.
 *
 * @since 0.1.0
 * @category models
 */
export interface Surroundings {
  readonly ordinal: number
  readonly heading_path: ReadonlyArray<string>
  readonly context: string
}

/**
 * The Passage of a Piece of `text`, whose lines begin at `starts`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const passageOf = (
  text: string,
  starts: ReadonlyArray<number>,
  { end, over_budget, start, tokens }: Piece,
  { context, heading_path, ordinal }: Surroundings
): Passage =>
  new Passage({
    ordinal,
    start,
    end,
    lines: lineRange(starts, start, end),
    heading_path,
    context,
    tokens,
    over_budget,
    text: text.slice(start, end)
  }, { disableValidation: true })
