/**
 * What is live, in words. Pure.
 *
 * @since 0.1.0
 */
import { plural } from "../text/Amounts.ts"
import type { LiveCounts } from "./rebuild.ts"

/**
 * `12 passages, 3 Records of sessions and 4 pieces of memory`: what there is none of is left out, but for passages.
 *
 * @since 0.1.0
 * @category formatting
 */
export const liveIn = ({ live_chunks, live_memory, live_records }: LiveCounts): string =>
  [
    plural(live_chunks, "passage"),
    ...(live_records === 0 ? [] : [plural(live_records, "Record of sessions", "Records of sessions")]),
    ...(live_memory === 0 ? [] : [plural(live_memory, "piece of memory", "pieces of memory")])
  ].join(", ").replace(/, (?=[^,]*$)/, " and ")
