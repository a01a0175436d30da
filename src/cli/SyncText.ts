/**
 * The report of a sync for a person: a block a connector, what changed, what failed and why, and what it cost. Pure.
 *
 * @since 0.1.0
 */
import type { ConnectorSyncReport, SyncReport } from "../domain/SyncReport.ts"
import { number, plural } from "../text/Amounts.ts"
import * as LeftOut from "./LeftOutText.ts"
import { duration, wrapped } from "./Words.ts"

const counts = (of: ReadonlyArray<readonly [count: number, word: string]>): string =>
  of.filter(([count]) => count > 0).map(([count, word]) => `${number(count)} ${word}`).join(", ")

const changesOf = (connector: ConnectorSyncReport): string => {
  const { changed, failed, listed, moved, new: added, removed, skipped, source_type, stale, unchanged } = connector
  const changes = counts([
    [added, "new"],
    [changed, "changed"],
    [stale, "done anew from the log"],
    [moved, "moved"],
    [removed, "removed"]
  ])
  const what = source_type === "session" ? "session" : "document"
  if (listed + removed === 0) return `no ${what} is there; see its options in connectors.yaml`
  if (changes !== "") return changes + (unchanged === 0 ? "" : `; ${number(unchanged)} unchanged`)
  return unchanged === 0 && failed.length + skipped.length > 0
    ? "nothing was stored"
    : `nothing has changed in ${plural(unchanged, what)}`
}

/** What came of sessions. */
const archiveOf = (connector: ConnectorSyncReport): string => {
  const { bad_lines = 0, derived = 0, duplicates = 0, records, secrets = {} } = connector
  if (records === undefined) return ""
  const found = Object.values(secrets).reduce((sum, n) => sum + n, 0)
  const kinds = Object.entries(secrets).map(([kind, n]) => `${number(n)} ${kind}`).join(", ")
  const parts = [
    ...(records === 0 ? [] : [`${plural(records, "Record")} archived`]),
    ...(derived === 0 ? [] : [`${number(derived)} of them no evidence, for a machine derived them`]),
    ...(duplicates === 0 ? [] : [`${number(duplicates)} known already`]),
    ...(bad_lines === 0 ? [] : [`${plural(bad_lines, "line")} could not be read`]),
    ...(found === 0 ? [] : [`${plural(found, "secret")} taken out (${kinds})`]),
    ...rememberedOf(connector)
  ]
  return parts.join("; ")
}

/** What the model did, and what for. */
const rememberedOf = ({ memories_made = 0, model_calls = 0, sessions_read = 0 }: ConnectorSyncReport) => {
  const calls = `${plural(model_calls, "call")} of the model`
  const made = [
    ...(sessions_read === 0 ? [] : [`${plural(sessions_read, "session")} read into memory`]),
    ...(memories_made === 0 ? [] : [
      memories_made === 1
        ? "memory over all sessions made anew"
        : `memory over all sessions made anew for ${plural(memories_made, "profile")}`
    ])
  ]
  if (made.length > 0) return [`${made.join(", ")} (${calls})`]
  return model_calls === 0 ? [] : [calls]
}

const costOf = ({ chunks_added, chunks_tombstoned, embed_calls, embed_texts, reused }: ConnectorSyncReport): string => {
  const part = (count: number, words: string) => count === 0 ? [] : [words]
  const passages = [
    ...part(chunks_added, `${plural(chunks_added, "passage")} added`),
    ...part(chunks_tombstoned, `${number(chunks_tombstoned)} taken out`)
  ]
  const texts = [
    ...part(embed_texts, `${plural(embed_texts, "text")} embedded in ${plural(embed_calls, "call")}`),
    ...part(reused, `${plural(reused, "vector")} reused`)
  ]
  return [passages, texts].map((parts) => parts.join(", ")).filter((parts) => parts !== "").join("; ")
}

const headOf = ({ kind, name }: ConnectorSyncReport, words: string): string => `${name} (${kind}): ${words}`

const hanging = "  "

const block = (connector: ConnectorSyncReport): ReadonlyArray<string> => {
  const { error, failed, resumed, skipped, status } = connector
  const trouble = error === undefined ? [] : wrapped(hanging, error.message)
  if (status === "failed") return [headOf(connector, "failed; nothing of it was touched"), ...trouble]
  const cost = [archiveOf(connector), costOf(connector)].filter((part) => part !== "").join("; ")
  return [
    ...wrapped("", headOf(connector, changesOf(connector)), hanging),
    ...(status === "refused" ? [`${hanging}removals were refused:`] : []),
    ...trouble,
    ...(resumed === 0
      ? []
      : wrapped(
        hanging,
        `it went on from a sync that was cut short, which had stored ${
          plural(resumed, connector.source_type === "session" ? "session" : "document")
        } already`
      )),
    ...LeftOut.failed(failed),
    ...LeftOut.skipped(skipped),
    ...(cost === "" ? [] : wrapped(hanging, cost))
  ]
}

const closing = ({ connectors, duration_ms }: SyncReport): ReadonlyArray<string> => {
  const failed = connectors.reduce((sum, connector) => sum + connector.failed.length, 0)
  const again = connectors.reduce(
    (sum, connector) => sum + connector.failed.filter(({ retryable }) => retryable).length,
    0
  )
  const retried = again === 0
    ? ""
    : again === failed
    ? "; the next sync tries what failed again"
    : `; the next sync tries ${number(again)} of the ${number(failed)} that failed again`
  return wrapped("", `done in ${duration(duration_ms)}${retried}`)
}

/**
 * @since 0.1.0
 * @category formatting
 */
export const lines = (report: SyncReport): ReadonlyArray<string> => [
  ...report.connectors.flatMap(block),
  ...closing(report)
]
