/**
 * Chunks as a table for a person. Rows are made one by one, so a stream that never ends can be watched.
 *
 * @since 0.1.0
 */
import type { ChunkSummary } from "../domain/ChunkReport.ts"
import { number, plural } from "../text/Amounts.ts"
import { shortHashes } from "../text/Fingerprint.ts"
import { printable, shortened } from "./Printable.ts"

/**
 * What was chunked so far.
 *
 * @since 0.1.0
 * @category models
 */
export interface Totals {
  readonly chunks: number
  readonly records: number
  readonly tokens: number
  readonly overBudget: number
}

/**
 * @since 0.1.0
 * @category constants
 */
export const nothing: Totals = { chunks: 0, records: 0, tokens: 0, overBudget: 0 }

/**
 * @since 0.1.0
 * @category totals
 */
export const add = (totals: Totals, chunk: ChunkSummary): Totals => ({
  chunks: totals.chunks + 1,
  records: totals.records + chunk.record_keys.length,
  tokens: totals.tokens + chunk.tokens,
  overBudget: totals.overBudget + (chunk.over_budget ? 1 : 0)
})

const columns = (t: string, tokens: string, records: string, keys: string): string =>
  `${t.padStart(6)} ${tokens.padStart(10)} ${records.padStart(8)}  ${keys}`.trimEnd() + "\n"

const keyWidth = 22

/**
 * The lines above the rows of a file.
 *
 * @since 0.1.0
 * @category formatting
 */
export const header = (file: string): string => `${printable(file)}\n${columns("t", "tokens", "records", "keys")}`

/**
 * @since 0.1.0
 * @category formatting
 */
export const row = ({ over_budget, record_keys, t, tokens }: ChunkSummary): string => {
  const keys = [record_keys[0], ...record_keys.slice(1).slice(-1)].flatMap((key) =>
    key === undefined ? [] : [shortened(key, keyWidth)]
  )
  return columns(
    number(t),
    number(tokens),
    number(record_keys.length),
    `${keys.join(" to ")}${over_budget ? "  over budget" : ""}`
  )
}

/**
 * The line below the rows of a file.
 *
 * @since 0.1.0
 * @category formatting
 */
export const footer = (
  totals: Totals,
  made: { readonly max_tokens: number; readonly counter: string }
): string =>
  `${plural(totals.chunks, "chunk")}, ${plural(totals.records, "record")}, ${plural(totals.tokens, "token")}`
  + ` (budget ${number(made.max_tokens)}, counted by ${shortHashes(made.counter)})`
  + (totals.overBudget === 0 ? "\n" : `; over budget, kept whole: ${number(totals.overBudget)}\n`)
