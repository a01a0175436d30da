/**
 * What is in memory, for a person. Pure.
 *
 * @since 0.1.0
 */
import type {
  ConnectorStatus,
  GateStatus,
  LogStatus,
  MemoryStatus,
  ProjectionStatus,
  StatusReport
} from "../domain/StatusReport.ts"
import { number, plural } from "../text/Amounts.ts"
import * as LeftOut from "./LeftOutText.ts"
import { moment, size, wrapped } from "./Words.ts"

const percent = (part: number, whole: number): string => `${Math.round(100 * part / whole)} %`

/** A rate of fewer steps says nothing yet. */
const enough = 20

/** From here on a rate is told of: as a share of the steps. */
const tooMany = { updates: 0.95, malformed: 0.2 }

const gateWarnings = ({ malformed, model, profile, steps, updates }: GateStatus): ReadonlyArray<string> =>
  steps < enough ? [] : [
    ...updates < tooMany.updates * steps ? [] : wrapped(
      "  ",
      `warning: ${model} takes nearly every section into ${profile}, which an untrained or too small model does: `
        + "citations and limits still hold, but memory picks out little; name another model in connectors.yaml, or ask "
        + "narrower questions in its profile"
    ),
    ...malformed < tooMany.malformed * steps ? [] : wrapped(
      "  ",
      `warning: ${percent(malformed, steps)} of the answers of ${model} for ${profile} could not be read, and memory `
        + "stayed as it was there: such a model does not keep to the form that is asked for; name another one in "
        + "connectors.yaml"
    )
  ]

const gate = (status: GateStatus): ReadonlyArray<string> => {
  const { completion_tokens, exits, malformed, model, profile, prompt_tokens, steps, updates } = status
  return [
    ...wrapped(
      "  ",
      `${profile} by ${model}: ${plural(steps, "step")}, ${plural(updates, "update")} (${percent(updates, steps)})`
        + (malformed === 0 ? "" : `, ${number(malformed)} malformed (${percent(malformed, steps)})`)
        + (exits === 0 ? "" : `, ${plural(exits, "exit")}`)
        + `; ${number(prompt_tokens)} tokens sent, ${number(completion_tokens)} answered`,
      "    "
    ),
    ...gateWarnings(status)
  ]
}

/** How a profile was read before is in the JSON. */
const remembered = ({ evidence, gates, sessions, stale, waiting = 0 }: MemoryStatus): ReadonlyArray<string> => [
  ...sessions + gates.length === 0 ? [] : wrapped(
    "  ",
    `memory of ${plural(sessions, "session")}${stale === 0 ? "" : ` (${number(stale)} stale)`}, on ${
      plural(evidence, "piece", "pieces")
    } of L0 evidence`
  ),
  ...waiting === 0 ? [] : wrapped(
    "  ",
    `${plural(waiting, "session")} wait${
      waiting === 1 ? "s" : ""
    } to be read into memory by the model of connectors.yaml; the next sync does it`
  ),
  ...gates.filter(({ current }) => current).flatMap(gate)
]

const block = (connector: ConnectorStatus): ReadonlyArray<string> => {
  const { chunks, documents, failed, kind, last_sync, memory, name, pending, records, skipped } = connector
  const held = records === undefined
    ? `${plural(documents, "document")}, ${plural(chunks, "passage")}`
    : `${plural(documents, "session")}, ${plural(records, "Record")}`
  const when = last_sync === null
    ? "never synced; \"mem sync\" does it"
    : `${held}, last changed ${moment(last_sync)}`
  return [
    ...wrapped("", `${name} (${kind}): ${when}`, "  "),
    ...(pending === 0 ? [] : wrapped(
      "  ",
      `${
        plural(pending, records === undefined ? "document" : "session")
      } of a sync still to do: it runs now, or was cut short and the next one goes on`
    )),
    ...(memory === undefined ? [] : remembered(memory)),
    ...LeftOut.failed(failed),
    ...LeftOut.skipped(skipped)
  ]
}

const ofLog = ({ bytes, dead, records, segments }: LogStatus): string =>
  records === 0
    ? "log: empty"
    : `log: ${plural(records, "record")} in ${plural(segments, "segment")}, ${size(bytes)}; `
      + (dead === 0 ? "all in use" : `${number(dead)} (${Math.round(100 * dead / records)} %) no longer in use`)

const mend = "\"mem sync\" or \"mem rebuild --from-log\" makes it anew"

const ofProjection = ({ behind, state }: ProjectionStatus): string => {
  switch (state) {
    case "current":
      return "search index: current"
    case "behind":
      return `search index: ${plural(behind, "record")} behind the log; the next sync brings it up`
    case "missing":
      return `search index: not there; ${mend}`
    case "foreign":
      return `search index: made from another log; ${mend}`
    case "damaged":
      return `search index: damaged; ${mend}`
  }
}

/**
 * @since 0.1.0
 * @category formatting
 */
export const lines = ({ connectors, log, projection }: StatusReport): ReadonlyArray<string> => [
  ...(connectors.length === 0 ? wrapped("", "connectors.yaml names no connector yet") : connectors.flatMap(block)),
  ...wrapped("", ofLog(log), "  "),
  ...(log.records === 0 ? [] : wrapped("", ofProjection(projection), "  "))
]
