/**
 * What is in memory, for a person. Pure.
 *
 * @since 0.1.0
 */
import type { ConnectorStatus, LogStatus, ProjectionStatus, StatusReport } from "../domain/StatusReport.ts"
import { number, plural } from "../text/Amounts.ts"
import * as LeftOut from "./LeftOutText.ts"
import { moment, size, wrapped } from "./Words.ts"

const block = (connector: ConnectorStatus): ReadonlyArray<string> => {
  const { chunks, documents, failed, kind, last_sync, name, pending, records, skipped } = connector
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
