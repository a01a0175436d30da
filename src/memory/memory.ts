/**
 * `mem memory`: what is remembered, each part with its evidence. By readers alone, and no model is asked.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { ConsolidatedEntry, MemoryReport, SessionEntry } from "../domain/MemoryReport.ts"
import { documentOf, type Lineage, lineage, type Whole } from "./Lineage.ts"
import type { Asked, Session } from "./Sessions.ts"

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

/** What a model was asked of these sessions; of a profile where it is told which. */
const askedOf = (sessions: ReadonlyArray<Session>, profile: string | undefined) => {
  const asked = sessions.map((session) =>
    [...session.asked].filter(([name]) => profile === undefined || name === profile).reduce<Asked>(
      (sum, [, { malformed, readable }]) => ({
        readable: sum.readable + readable,
        malformed: sum.malformed + malformed
      }),
      { readable: 0, malformed: 0 }
    )
  )
  return {
    archived: sessions.length,
    read: asked.filter(({ readable }) => readable > 0).length,
    unreadable: asked.filter(({ malformed, readable }) => readable === 0 && malformed > 0).length,
    malformed: asked.reduce((sum, { malformed }) => sum + malformed, 0)
  }
}

/**
 * What is remembered, and what of it is of a connector or of a profile. L2 is of each connector that its evidence is of.
 *
 * @since 0.1.0
 * @category models
 */
export interface Remembered {
  readonly all: MemoryReport
  /** A name that no session is of is taken for a profile, unless it is told to be a connector. */
  readonly named: (name: string, isConnector?: boolean) => MemoryReport
}

/**
 * All of it: L2 by profile, then L1, the newest session first.
 *
 * @since 0.1.0
 * @category programs
 */
export const memory: Effect.Effect<Remembered, LogReadError, LogReader> = Effect.gen(function*() {
  const { current, live } = yield* lineage
  const wholes = yield* current
  const sessions = live.sessions()
  const all = new MemoryReport({
    command: "memory",
    ok: true,
    ...askedOf(sessions, undefined),
    consolidated: wholes.flatMap(consolidatedOf(live)),
    sessions: wholes.flatMap(sessionOf(live))
  })
  return {
    all,
    named: (name, isConnector = false) => {
      const own = sessions.filter(({ connector }) => connector === name)
      return new MemoryReport({
        ...all,
        ...(isConnector || own.length > 0 ? askedOf(own, undefined) : askedOf(sessions, name)),
        consolidated: all.consolidated.filter(({ connectors, profile }) =>
          profile === name || connectors.some((connector) => connector === name)
        ),
        sessions: all.sessions.filter(({ connector, profile }) => connector === name || profile === name)
      })
    }
  }
})
