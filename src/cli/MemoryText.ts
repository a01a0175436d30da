/**
 * What is remembered, for a person: each memory under a head, each part of it with its evidence. Pure.
 *
 * @since 0.1.0
 */
import { withWord } from "../domain/Level.ts"
import type { ConsolidatedEntry, MemoryPart, MemoryReport, SessionEntry } from "../domain/MemoryReport.ts"
import { plural } from "../text/Amounts.ts"
import { example } from "./ModelAdvice.ts"
import { printable } from "./Printable.ts"
import { broken, moment, some, wrapped } from "./Words.ts"

const part = ({ evidence, text }: MemoryPart): ReadonlyArray<string> => [
  ...wrapped("  ", text, "  "),
  ...broken("    ", `${withWord("L0")}: ${evidence.length === 0 ? "none" : some(evidence)}`, "      ")
]

const stale = "  stale: what it rests on has changed since; the next sync with a model makes it anew"

const block = (head: string, entry: ConsolidatedEntry | SessionEntry): ReadonlyArray<string> => [
  `${withWord(entry.level)}: ${head}`,
  `  ${printable(entry.id)}`,
  ...(entry.stale ? [stale] : []),
  ...entry.parts.flatMap(part)
]

const consolidated = (entry: ConsolidatedEntry): ReadonlyArray<string> =>
  block(`profile ${printable(entry.profile)}, of ${plural(entry.inputs.length, "session")}`, entry)

const session = (entry: SessionEntry): ReadonlyArray<string> =>
  block(
    [
      `${entry.connector}:${printable(entry.doc_id ?? entry.session_key)}`,
      `profile ${printable(entry.profile)}`,
      ...(entry.latest === null ? [] : [moment(entry.latest)])
    ].join(", "),
    entry
  )

/**
 * Where there is none yet: what would be, and what it takes. `configured` says that there is a model.
 *
 * @since 0.1.0
 * @category formatting
 */
export const nothing = ({ archived }: MemoryReport, configured: boolean): ReadonlyArray<string> => [
  ...broken(
    "",
    `nothing is remembered yet; ${plural(archived, "session")} of agents ${
      archived === 1 ? "is" : "are"
    } archived, whose words "mem search" finds`
  ),
  "",
  ...(configured
    ? broken("", "The model that connectors.yaml names reads them in the next \"mem sync\".")
    : [
      ...broken(
        "",
        "A language model would read each session once and keep what answers the standing questions of a profile: "
          + `decisions, facts, causes, open tasks, as ${withWord("L1")}, and over all sessions as ${
            withWord("L2")
          }. Each sentence cites its ${withWord("L0")}, "mem blame" follows it down to the bytes of the transcript, `
          + "and \"mem ask\" answers from it. Name one in connectors.yaml, then run \"mem sync\":"
      ),
      "",
      ...example.map((line) => `  ${line}`),
      "",
      ...broken("", "Any server with OpenAI's chat completions will do, on this machine or elsewhere: docs/models.md.")
    ])
]

/**
 * The memories, L2 first; a blank line between two.
 *
 * @since 0.1.0
 * @category formatting
 */
export const lines = (report: MemoryReport): ReadonlyArray<string> =>
  [...report.consolidated.map(consolidated), ...report.sessions.map(session)].flatMap((block, i) => [
    ...(i === 0 ? [] : [""]),
    ...block
  ])
