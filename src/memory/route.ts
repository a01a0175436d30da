/**
 * What a sync says once the gated loop has read what it archived, and a drift of what that would cost: the calls, and what
 * could not be read, at the connector whose sessions these are. Pure.
 *
 * @since 0.1.0
 */
import { ConnectorDrift, DriftReport, Estimate } from "../domain/Drift.ts"
import { ConnectorSyncReport, ReportedError, SyncReport } from "../domain/SyncReport.ts"
import { plural } from "../text/Amounts.ts"
import type { EmbeddedMemory } from "./embedMemory.ts"
import type { Estimated } from "./estimate.ts"
import type { LoopReport, SessionOutcome } from "./loop.ts"
import { mostAnswers } from "./Turn.ts"

const troubleOf = (
  outcomes: ReadonlyArray<SessionOutcome>,
  all: ReadonlyArray<SessionOutcome>
): ReportedError | undefined => {
  const failed = outcomes.find(({ status }) => status === "failed")
  if (failed !== undefined) {
    const count = new Set(outcomes.flatMap(({ session_key, status }) => status === "failed" ? [session_key] : [])).size
    return new ReportedError({
      code: failed.error ?? "ModelFailed",
      message: `${plural(count, "session")} could not be read into memory: ${
        failed.message ?? "the model failed"
      }. All Records are archived, and the next sync goes on`
    })
  }
  const waiting = outcomes.filter(({ status }) => status === "partial")
  if (waiting.length === 0) return undefined
  const count = new Set(waiting.map(({ session_key }) => session_key)).size
  return new ReportedError({
    code: "MemoryPartial",
    message: `${plural(count, "session waits", "sessions wait")} to be read into memory: ${
      whyWaiting(waiting, all)
    }. All Records are archived`
  })
}

/** The smallest need is told, for with that something can be read. */
const whyWaiting = (
  waiting: ReadonlyArray<SessionOutcome>,
  all: ReadonlyArray<SessionOutcome>
): string => {
  const [first, ...needs] = waiting.flatMap(({ message, needs }) => needs === undefined ? [] : [{ message, needs }])
    .sort((a, b) => a.needs - b.needs)
  if (first?.message !== undefined && needs.length + 1 === waiting.length) return first.message
  return all.some(({ reused, steps }) => steps > reused)
    ? "this run has used up what it may, and the next sync goes on"
    : "this run has used up what it may, and came to the end of no section. One takes up to "
      + `${mostAnswers} calls of the model, where it has to be asked again: raise --max-calls or --max-tokens`
}

const consolidationTrouble = (consolidated: LoopReport["consolidated"]): ReportedError | undefined => {
  const failed = consolidated.find(({ status }) => status === "failed" || status === "partial")
  return failed === undefined ? undefined : new ReportedError({
    code: failed.error ?? "ModelFailed",
    message: `the memory of ${failed.profile} over all sessions was not made anew: ${
      failed.message ?? "the model failed"
    }. The next sync tries it again`
  })
}

const withMemory = (
  connector: ConnectorSyncReport,
  outcomes: ReadonlyArray<SessionOutcome>,
  all: ReadonlyArray<SessionOutcome>,
  consolidated: LoopReport["consolidated"]
): ConnectorSyncReport => {
  const error = connector.error ?? troubleOf(outcomes, all) ?? consolidationTrouble(consolidated)
  return new ConnectorSyncReport({
    ...connector,
    ...(error === undefined ? {} : { error }),
    status: error === undefined || connector.status !== "ok" ? connector.status : "partial",
    model_calls: [...outcomes, ...consolidated].reduce((sum, { calls }) => sum + calls, 0),
    sessions_read: new Set(outcomes.flatMap(({ error, reused, session_key, steps }) =>
      steps > reused && error !== "ModelUnreadable" ? [session_key] : []
    )).size,
    memories_made: consolidated.filter(({ status }) =>
      status === "made"
    ).length
  })
}

/**
 * The report of the sync with what embedding memory came to, at the first connector of sessions.
 *
 * @since 0.1.0
 * @category reports
 */
export const embedded = (
  report: SyncReport,
  { embed_calls, embed_texts, failure }: EmbeddedMemory
): SyncReport => {
  const first = sessionsIn(report)[0]
  const connectors = report.connectors.map((connector) => {
    if (connector !== first) return connector
    const error = connector.error ?? (failure === undefined ? undefined : new ReportedError({
      code: "MemoryNotEmbedded",
      message:
        `memory is found by its words alone, for it could not be embedded: ${failure}. The next sync tries it again`
    }))
    return new ConnectorSyncReport({
      ...connector,
      ...error === undefined ? {} : { error },
      status: error === undefined || connector.status !== "ok" ? connector.status : "partial",
      embed_texts: connector.embed_texts + embed_texts,
      embed_calls: connector.embed_calls + embed_calls
    })
  })
  return new SyncReport({ ...report, connectors, ok: connectors.every(({ status }) => status === "ok") })
}

/**
 * The connectors of sessions whose archive can be read.
 *
 * @since 0.1.0
 * @category reports
 */
export const sessionsIn = ({ connectors }: SyncReport): ReadonlyArray<ConnectorSyncReport> =>
  connectors.filter(({ source_type, status }) => source_type === "session" && status !== "failed")

/**
 * The report of the sync with that of the loop in it. What is made over all sessions counts at the first connector of
 * sessions.
 *
 * @since 0.1.0
 * @category reports
 */
export const remembered = (report: SyncReport, { consolidated, sessions }: LoopReport): SyncReport => {
  const read = sessionsIn(report)
  const connectors = report.connectors.map((connector) =>
    read.includes(connector)
      ? withMemory(
        connector,
        sessions.filter((outcome) => outcome.connector === connector.name),
        sessions,
        connector === read[0] ? consolidated : []
      )
      : connector
  )
  return new SyncReport({ ...report, connectors, ok: connectors.every(({ status }) => status === "ok") })
}

/**
 * The report of a drift with what the loop would cost. What would be made over all sessions counts where the sync would
 * count it, at the first connector of sessions.
 *
 * @since 0.1.0
 * @category reports
 */
export const foreseen = (report: DriftReport, { connectors, consolidated }: Estimated): DriftReport => {
  const first = report.connectors.find(({ estimate }) => estimate?.records !== undefined)
  return new DriftReport({
    ...report,
    connectors: report.connectors.map((connector) => {
      const { estimate, name } = connector
      if (estimate?.records === undefined) return connector
      const own = connectors.get(name) ?? { calls: 0, tokens: 0 }
      const over = connector === first ? consolidated : { calls: 0, tokens: 0 }
      return new ConnectorDrift({
        ...connector,
        estimate: new Estimate({
          ...estimate,
          model_calls: own.calls + over.calls,
          model_tokens: own.tokens + over.tokens
        })
      })
    })
  })
}
