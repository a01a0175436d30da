/**
 * Which archived sessions the next run of the loop would ask the model about, by readers alone: nothing is asked, and
 * nothing is counted. Of a session that was read before, the text is read again only where its steps do not tell.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LanguageModel } from "../../services/LanguageModel.ts"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import type { Chunk } from "../domain/Chunk.ts"
import { ConnectorDrift, DriftMemory, DriftReport } from "../domain/Drift.ts"
import type { ConnectorName } from "../domain/Ids.ts"
import { ConnectorStatus, MemoryStatus, StatusReport } from "../domain/StatusReport.ts"
import type { EstimateOptions } from "./estimate.ts"
import type { LiveMemory } from "./LiveMemory.ts"
import { type Read, readingOf, reuse, unread } from "./Reading.ts"
import { sessionChunks } from "./sessionChunks.ts"
import type { Session } from "./Sessions.ts"
import { wholeReading } from "./Settle.ts"
import { readingSha256, stepKey } from "./StepKey.ts"
import { narrowed, type Window, windowSha256, windowsOf } from "./Windows.ts"

/**
 * Sessions, by connector; none of a connector that is not among them.
 *
 * @since 0.1.0
 * @category models
 */
export type Waiting = ReadonlyMap<ConnectorName, number>

/** Whether a step is missing on the way through the session. */
const waits = (
  live: LiveMemory,
  session: Session,
  how: Pick<EstimateOptions, "policy" | "rules"> & { readonly profile: EstimateOptions["profiles"][number] }
): Effect.Effect<boolean, LogReadError, LanguageModel | LogReader | TokenCounter> =>
  Effect.gen(function*() {
    const { policy, profile, rules } = how
    const { count } = yield* TokenCounter
    const reading = yield* readingOf(how)
    const before = live.memoryOf(session.connector, session.session_key, profile.name)?.id
    if (wholeReading(session, reading, rules, before) !== undefined) return false
    if (!session.turns.has(readingSha256(reading))) return true

    const along = (start: Read, windows: ReadonlyArray<Window>): Read | undefined => {
      const queue = [...windows]
      let read = start
      for (let next = queue.shift(); next !== undefined && read.ended === undefined; next = queue.shift()) {
        const stepOf = (window: Window) =>
          session.steps.get(
            stepKey({ ...reading, chunk_sha256: windowSha256(window), memory_before_sha256: read.memory.sha256 })
          )
        const [window = next, ...parts] = narrowed(next, (some) => stepOf(some) !== undefined)
        const known = stepOf(window)
        if (known === undefined) return undefined
        queue.unshift(...parts)
        read = reuse(read, known, { rules })
      }
      return read
    }
    const end = yield* sessionChunks(session, readingSha256(reading), policy).pipe(
      Stream.runFoldWhile<Read | undefined, Chunk>(
        unread(before),
        (read) => read !== undefined && read.ended === undefined,
        (read, chunk) => read === undefined ? read : along(read, windowsOf(chunk, policy.max_tokens, count))
      )
    )
    return end === undefined
  })

/**
 * Those with Records that a profile has not been shown. `live` must have caught up.
 *
 * @since 0.1.0
 * @category programs
 */
export const waiting = (
  live: LiveMemory,
  { connectors, policy, profiles, rules }: EstimateOptions
): Effect.Effect<Waiting, LogReadError, LanguageModel | LogReader | TokenCounter> =>
  Effect.gen(function*() {
    const sessions = live.sessions().filter(({ connector }) => connectors?.includes(connector) !== false)
    const found = yield* Effect.filter(
      sessions,
      (session) => Effect.exists(profiles, (profile) => waits(live, session, { policy, profile, rules }))
    )
    const counts = new Map<ConnectorName, number>()
    for (const { connector } of found) counts.set(connector, (counts.get(connector) ?? 0) + 1)
    return counts
  })

/**
 * The report of a drift with the sessions that wait. `over_all`: there are none, and the model is asked all the same, for
 * the memories over all sessions.
 *
 * @since 0.1.0
 * @category reports
 */
export const waitingIn = (report: DriftReport, waiting: Waiting, over_all: boolean): DriftReport => {
  const first = report.connectors.find(({ bytes }) => bytes !== undefined)
  const connectors = report.connectors.map((connector) =>
    connector.bytes === undefined ? connector : new ConnectorDrift({
      ...connector,
      memory: new DriftMemory({
        waiting: waiting.get(connector.name) ?? 0,
        over_all: over_all && connector === first
      })
    })
  )
  const due = connectors.some(({ memory }) => memory !== undefined && (memory.waiting > 0 || memory.over_all))
  return new DriftReport({ ...report, connectors, drift: report.drift || due })
}

const unreadYet = new MemoryStatus({ sessions: 0, stale: 0, evidence: 0, gates: [] })

/**
 * The report of what is in memory with the sessions that wait.
 *
 * @since 0.1.0
 * @category reports
 */
export const waitingOf = (report: StatusReport, waiting: Waiting): StatusReport =>
  new StatusReport({
    ...report,
    connectors: report.connectors.map((connector) =>
      connector.source_type === "document" ? connector : new ConnectorStatus({
        ...connector,
        memory: new MemoryStatus({ ...connector.memory ?? unreadYet, waiting: waiting.get(connector.name) ?? 0 })
      })
    )
  })
