/**
 * The report of a drift for a person: what a sync would do, and to which documents. Pure.
 *
 * @since 0.1.0
 */
import type { ConnectorDrift, DriftReport, Estimate } from "../domain/Drift.ts"
import { number, plural } from "../text/Amounts.ts"
import * as LeftOut from "./LeftOutText.ts"
import { printable } from "./Printable.ts"
import { size, wrapped } from "./Words.ts"

/** Documents of a sort that are named. */
const most = 10

const sorts = ["new", "changed", "stale", "moved", "removed"] as const

const named = (sort: (typeof sorts)[number], ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shown = ids.length <= most + 1 ? ids : ids.slice(0, most)
  const rest = ids.length - shown.length
  return [
    ...shown.map((id) => `  ${sort.padEnd(8)} ${printable(id)}`),
    ...(rest === 0 ? [] : [`  ${sort.padEnd(8)} and ${number(rest)} more; --json names them all`])
  ]
}

/** Nothing where there is nothing to do. */
const estimated = ({ cost_usd, documents, embed_texts, passages, records, tokens }: Estimate): ReadonlyArray<string> =>
  documents === 0 ? [] : wrapped(
    "  ",
    records !== undefined
      ? `a sync would archive ${plural(records, "Record")} of ${plural(documents, "session")}`
      : `a sync would cut ${plural(documents, "document")} into ${plural(passages, "passage")} of `
        + `${plural(tokens, "token")} and embed ${plural(embed_texts, "text")}`
        + (cost_usd === undefined ? "" : ` for ${cost_usd.toFixed(4)} US dollars`)
  )

const remembered = ({ documents, model_calls, model_tokens }: Estimate): ReadonlyArray<string> => {
  if (model_calls === undefined || documents + model_calls === 0) return []
  return wrapped(
    "  ",
    model_calls === 0
      ? "no call of the language model to read sessions into memory"
      : `reading sessions into memory would take up to ${plural(model_calls, "call")} of the language model, with ${
        plural(model_tokens ?? 0, "token")
      } sent`
  )
}

/** What the model would be asked, where nothing else is told of it. */
const toRead = (memory: ConnectorDrift["memory"]): ReadonlyArray<string> => {
  if (memory === undefined) return []
  if (memory.waiting > 0) return [`${plural(memory.waiting, "session")} to be read into memory`]
  return memory.over_all ? ["the memory over all sessions to be made anew"] : []
}

const block = (connector: ConnectorDrift): ReadonlyArray<string> => {
  const { bytes = 0, documents, error, estimate, memory, name, remark, skipped = [], status, unchanged } = connector
  const trouble = error === undefined ? [] : wrapped("  ", error.message)
  if (status === "failed") return [`${name}: failed`, ...trouble]
  const counts = [
    ...sorts.filter((sort) => connector[sort] > 0).map((sort) => `${number(connector[sort])} ${sort}`),
    ...toRead(memory)
  ]
  return [
    counts.length === 0
      ? `${name}: nothing to do, ${number(unchanged)} unchanged`
      : `${name}: ${counts.join(", ")}${unchanged === 0 ? "" : `; ${number(unchanged)} unchanged`}`,
    ...sorts.flatMap((sort) => named(sort, documents[sort])),
    ...(status === "refused" ? ["  a sync would refuse the removals:"] : []),
    ...trouble,
    ...(remark === undefined ? [] : wrapped("  ", remark)),
    ...LeftOut.skipped(skipped),
    ...(bytes === 0 ? [] : [`  ${size(bytes)} of transcripts to read`]),
    ...(estimate === undefined ? [] : [...estimated(estimate), ...remembered(estimate)])
  ]
}

/** What is refused is not done by the same command as the rest. */
const ending = (connectors: DriftReport["connectors"]): string => {
  const refused = connectors.filter(({ status }) => status === "refused")
  const removals = refused.reduce((sum, { removed }) => sum + removed, 0)
  const rest = connectors.some(({ changed, memory, moved, new: added, stale, status, removed }) =>
    added + changed + stale + moved + (status === "refused" ? 0 : removed) + toRead(memory).length > 0
  )
  if (refused.length === 0) return "nothing was changed; \"mem sync\" does it"
  return `nothing was changed; ${rest ? "\"mem sync\" does all but " : "\"mem sync --allow-mass-removal\" does "}${
    plural(removals, "removal")
  }`
}

/**
 * @since 0.1.0
 * @category formatting
 */
export const lines = ({ connectors, drift }: DriftReport): ReadonlyArray<string> => [
  ...connectors.flatMap(block),
  ...(drift ? [ending(connectors)] : [])
]
