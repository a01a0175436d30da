/**
 * `mem memory`: what is remembered, each part with its evidence. By readers alone, and no model is asked.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { ConsolidatedEntry, MemoryReport, SessionEntry } from "../domain/MemoryReport.ts"
import { documentOf, type Lineage, lineage, type Whole } from "./Lineage.ts"

const consolidatedOf = (live: Lineage["live"]) => ({ body, parts, state }: Whole): ReadonlyArray<ConsolidatedEntry> => {
  if (body.level !== "L2") return []
  const { id, inputs, level, profile, text } = body
  const connectors = new Set(body.evidence.flatMap((id) => live.everAccepted(id)?.connector ?? []))
  return [
    new ConsolidatedEntry({
      level,
      id,
      profile,
      connectors: [...connectors].sort(),
      inputs,
      stale: state !== "live",
      text,
      parts
    })
  ]
}

const sessionOf = (live: Lineage["live"]) => ({ body, parts, state }: Whole): ReadonlyArray<SessionEntry> => {
  if (body.level !== "L1") return []
  const { connector, id, level, profile, session_key, text } = body
  const session = live.session(connector, session_key)
  const [place] = session?.records.values() ?? []
  const latest = session?.latest ?? ""
  return [
    new SessionEntry({
      level,
      id,
      profile,
      connector,
      session_key,
      ...(place === undefined ? {} : { doc_id: documentOf(place) }),
      latest: latest === "" ? null : latest,
      stale: state !== "live",
      text,
      parts
    })
  ]
}

/**
 * All of it: L2 by profile, then L1, the newest session first.
 *
 * @since 0.1.0
 * @category programs
 */
export const memory: Effect.Effect<MemoryReport, LogReadError, LogReader> = Effect.gen(function*() {
  const { current, live } = yield* lineage
  const all = yield* current
  return new MemoryReport({
    command: "memory",
    ok: true,
    archived: live.sessions().length,
    consolidated: all.flatMap(consolidatedOf(live)),
    sessions: all.flatMap(sessionOf(live))
  })
})

/**
 * What of it is of that connector, or of that profile. L2 is of each connector that its evidence is of.
 *
 * @since 0.1.0
 * @category filtering
 */
export const named = (report: MemoryReport, name: string): MemoryReport =>
  new MemoryReport({
    ...report,
    consolidated: report.consolidated.filter(({ connectors, profile }) =>
      profile === name || connectors.some((connector) => connector === name)
    ),
    sessions: report.sessions.filter(({ connector, profile }) => connector === name || profile === name)
  })
