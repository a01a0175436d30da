/**
 * What is remembered, for a person: each memory under a head, each part of it with its evidence. Pure.
 *
 * @since 0.1.0
 */
import { withWord } from "../domain/Level.ts"
import type { ConsolidatedEntry, MemoryPart, MemoryReport, SessionEntry } from "../domain/MemoryReport.ts"
import { number, plural } from "../text/Amounts.ts"
import { example } from "./ModelAdvice.ts"
import { printable } from "./Printable.ts"
import { broken, moment, some, wrapped } from "./Words.ts"

const part = ({ evidence, text }: MemoryPart): ReadonlyArray<string> => [
  ...wrapped("  ", text, "  "),
  ...broken("    ", `${withWord("L0")}: ${evidence.length === 0 ? "none" : some(evidence)}`, "      ")
]

const staleSession = ({ doc_id }: SessionEntry): string =>
  doc_id === undefined
    ? "its session was taken out; the next sync with a model retires it"
    : "what it rests on has changed since; the next sync with a model makes it anew"

const staleConsolidated = "what it rests on has changed since; the next sync with a model makes it anew from the "
  + "session memories that are left, or retires it with the last of them"

const block = (
  head: string,
  entry: ConsolidatedEntry | SessionEntry,
  stale: string
): ReadonlyArray<string> => [
  `${withWord(entry.level)}: ${head}`,
  `  ${printable(entry.id)}`,
  ...(entry.stale ? broken("  ", `stale: ${stale}`) : []),
  ...entry.parts.flatMap(part)
]

const consolidated = (entry: ConsolidatedEntry): ReadonlyArray<string> =>
  block(`profile ${printable(entry.profile)}, of ${plural(entry.inputs.length, "session")}`, entry, staleConsolidated)

const session = (entry: SessionEntry): ReadonlyArray<string> =>
  block(
    [
      `${entry.connector}:${printable(entry.doc_id ?? entry.session_key)}`,
      `profile ${printable(entry.profile)}`,
      ...(entry.latest === null ? [] : [moment(entry.latest)])
    ].join(", "),
    entry,
    staleSession(entry)
  )

/** What the model has answered so far, and what the next sync will ask. */
const outlook = ({ archived, malformed, read, unreadable }: MemoryReport): ReadonlyArray<string> => {
  const waiting = archived - read - unreadable
  const answers = malformed === 0
    ? []
    : [`${plural(malformed, "answer")} of it could not be read`]
  return [
    ...(read === 0 ? [] : [
      `A model has read ${
        read === archived ? "all of them" : plural(read, "session")
      } and found nothing to keep for the questions of its profiles${
        unreadable === 0 && answers.length > 0 ? `; ${answers.join()}` : ""
      }.`
    ]),
    ...(unreadable === 0 ? [] : [
      `Of ${
        plural(unreadable, "session")
      } a model gave no answer in the form that it was asked for (${answers.join()}); `
      + "the next \"mem sync\" asks again. Another model may do better."
    ]),
    ...(waiting === 0 ? [] : [
      `The model that connectors.yaml names reads ${
        waiting === archived ? (archived === 1 ? "it" : "them") : `the other ${number(waiting)}`
      } in the next "mem sync".`
    ])
  ]
}

/**
 * Where there is none yet: what would be, and what it takes. `configured` says that there is a model.
 *
 * @since 0.1.0
 * @category formatting
 */
export const nothing = (report: MemoryReport, configured: boolean): ReadonlyArray<string> => [
  ...broken(
    "",
    report.archived === 0
      ? "nothing is remembered yet, for no session of agents is archived: \"mem sync\" archives those of the connectors "
        + "of sessions that connectors.yaml names"
      : `nothing is remembered yet; ${plural(report.archived, "session")} of agents ${
        report.archived === 1 ? "is" : "are"
      } archived, whose words "mem search" finds`
  ),
  ...(configured
    ? outlook(report).flatMap((sentence) => ["", ...broken("", sentence)])
    : [
      "",
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
 * Where a connector of documents is asked for.
 *
 * @since 0.1.0
 * @category formatting
 */
export const documents = (name: string): ReadonlyArray<string> =>
  broken(
    "",
    `${
      printable(name)
    } is a connector of documents: "mem search" finds them and "mem ask" cites them, and no memory is `
      + "made of them"
  )

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
