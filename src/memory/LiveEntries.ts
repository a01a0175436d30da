/**
 * What of memory is live: L0 evidence, the L1 memory of each session and profile, the L2 memory of each profile. The last
 * of each counts, until a mark takes it away.
 *
 * It holds places, not texts, and grows in place.
 *
 * @since 0.1.0
 */
import type { LogPosition } from "../../services/LogReader.ts"
import type { ConnectorName, MemoryId, SessionKey, Sha256 } from "../domain/Ids.ts"
import type { ConsolidatedMemory, Evidence, Memory, MemoryMark, SessionMemory } from "../domain/Memory.ts"
import { readingSha256 } from "./StepKey.ts"

/**
 * A memory that is live: where it stands, and the evidence that it cites.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveEntry {
  readonly id: MemoryId
  readonly profile: string
  readonly position: LogPosition
  readonly evidence: ReadonlyArray<MemoryId>
  readonly stale: boolean
}

/**
 * L1: the memory of a session under a profile.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveSessionMemory extends LiveEntry {
  readonly connector: ConnectorName
  readonly session_key: SessionKey
}

/**
 * L2: the memory consolidated under a profile.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveConsolidated extends LiveEntry {
  readonly reading: Sha256
  readonly inputs: ReadonlyArray<MemoryId>
}

/**
 * The entries that a fold of the log has come upon.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveEntries {
  /** Takes in a line that counts. */
  readonly take: (body: Memory, position: LogPosition) => void
  /** L0 that is live, by its id. */
  readonly evidence: (id: MemoryId) => Evidence | undefined
  /** L0 that is live, of all sessions. */
  readonly allEvidence: () => ReadonlyArray<Evidence>
  /** L0 that was accepted at some time, live or not. */
  readonly everAccepted: (id: MemoryId) => Evidence | undefined
  /** The ids of the live L0 of a session under a profile. */
  readonly evidenceOf: (connector: ConnectorName, session_key: SessionKey, profile: string) => ReadonlySet<MemoryId>
  readonly memoryOf: (
    connector: ConnectorName,
    session_key: SessionKey,
    profile: string
  ) => LiveSessionMemory | undefined
  /** L1, of all sessions. */
  readonly memories: () => ReadonlyArray<LiveSessionMemory>
  readonly consolidated: (profile: string) => LiveConsolidated | undefined
  /** L2, of all profiles. */
  readonly allConsolidated: () => ReadonlyArray<LiveConsolidated>
}

const none: ReadonlySet<MemoryId> = new Set()

const profileId = (connector: ConnectorName, session_key: SessionKey, profile: string): string =>
  JSON.stringify([connector, session_key, profile])

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): LiveEntries => {
  const accepted = new Map<MemoryId, Evidence>()
  const live = new Map<string, Set<MemoryId>>()
  const memories = new Map<string, LiveSessionMemory>()
  const consolidated = new Map<string, LiveConsolidated>()

  const takeEvidence = (evidence: Evidence): void => {
    const id = profileId(evidence.connector, evidence.session_key, evidence.profile)
    accepted.set(evidence.id, evidence)
    live.set(id, (live.get(id) ?? new Set()).add(evidence.id))
  }

  const takeMemory = (body: SessionMemory, position: LogPosition): void => {
    const { citations, connector, id, profile, session_key } = body
    const evidence = [...new Set(citations.flatMap(({ ids }) => ids))]
    memories.set(profileId(connector, session_key, profile), {
      id,
      connector,
      session_key,
      profile,
      position,
      evidence,
      stale: false
    })
  }

  const takeConsolidated = (body: ConsolidatedMemory, position: LogPosition): void => {
    const { evidence, id, inputs, profile } = body
    const reading = readingSha256(body)
    consolidated.set(profile, { id, profile, position, evidence, inputs, reading, stale: false })
  }

  const takeMark = ({ id, level, mark }: MemoryMark): void => {
    if (level === "L0" && mark === "retired") {
      const evidence = accepted.get(id)
      if (evidence === undefined) return
      live.get(profileId(evidence.connector, evidence.session_key, evidence.profile))?.delete(id)
    }
    if (level === "L1") {
      for (const [key, entry] of memories) {
        if (entry.id !== id) continue
        if (mark === "retired") memories.delete(key)
        else memories.set(key, { ...entry, stale: true })
      }
    }
    if (level === "L2") {
      for (const [key, entry] of consolidated) {
        if (entry.id !== id) continue
        if (mark === "retired") consolidated.delete(key)
        else consolidated.set(key, { ...entry, stale: true })
      }
    }
  }

  const isLive = ({ connector, id, profile, session_key }: Evidence): boolean =>
    live.get(profileId(connector, session_key, profile))?.has(id) === true

  return {
    take: (body, position) => {
      if (body.entry === "evidence") takeEvidence(body)
      if (body.entry === "mark") takeMark(body)
      if (body.entry === "memory" && body.level === "L1") takeMemory(body, position)
      if (body.entry === "memory" && body.level === "L2") takeConsolidated(body, position)
    },
    evidence: (id) => {
      const evidence = accepted.get(id)
      return evidence !== undefined && isLive(evidence) ? evidence : undefined
    },
    allEvidence: () => [...accepted.values()].filter(isLive),
    everAccepted: (id) => accepted.get(id),
    evidenceOf: (connector, session_key, profile) => live.get(profileId(connector, session_key, profile)) ?? none,
    memoryOf: (connector, session_key, profile) => memories.get(profileId(connector, session_key, profile)),
    memories: () => [...memories.values()],
    consolidated: (profile) => consolidated.get(profile),
    allConsolidated: () => [...consolidated.values()]
  }
}
