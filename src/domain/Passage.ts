/**
 * A Passage: a piece of a document, level R. The `text` of a document's passages, joined by ordinal, is the document.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Count, LineRange } from "./Numbers.ts"
import { WellFormed } from "./WellFormed.ts"

/**
 * `ordinal` counts from 0. `text` is the source's `[start, end)` in UTF-16 units, untouched; `lines` are those it
 * occurs in. `context` (the headings above it, a table's header) is embedded before the text and counts in `tokens`,
 * but is no part of the span. `over_budget` marks what could not be cut to fit.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Passage extends Schema.Class<Passage>("mem/Passage")({
  ordinal: Count,
  start: Count,
  end: Count,
  lines: LineRange,
  heading_path: Schema.Array(WellFormed),
  context: WellFormed,
  tokens: Count,
  over_budget: Schema.Boolean,
  text: WellFormed
}) {}
