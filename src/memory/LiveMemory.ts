/**
 * What the log says of memory: which Records the loop may read, which steps were made of them, which evidence and which
 * memories are live. A fold of the log: nothing of it needs a model, and it can be thrown away and made again.
 *
 * It holds places, not texts, and grows in place: a copy a line would be quadratic. The first line must begin a group or
 * stand alone.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type LocatedRecord, type LogPosition, LogReader, type LogReadError } from "../../services/LogReader.ts"
import type { ConnectorName, MemoryId, RecordKey, SessionKey, Sha256 } from "../domain/Ids.ts"
import type { ConsolidatedMemory, Evidence, MemoryMark, SessionMemory, Step } from "../domain/Memory.ts"
import { follow } from "../log/Follow.ts"
import { gather, type Open } from "../log/Gather.ts"
import { documentKey } from "../log/Live.ts"
import { readingSha256, stepKey } from "./StepKey.ts"
import { isEvidence } from "./Windows.ts"

/**
 * A Record that the loop may read. `seq` is that of its line.
 *
 * @since 0.1.0
 * @category models
 */
export interface RecordPlace {
  readonly position: LogPosition
  readonly seq: number
  readonly document: string
}

/**
 * A step as the log has it: how it went, and where the memory stands that it made.
 *
 * @since 0.1.0
 * @category models
 */
export interface Turn {
  readonly seq: number
  readonly t: number
  readonly window: number | undefined
  readonly record_keys: ReadonlyArray<RecordKey>
  readonly before: Sha256
  readonly after: Sha256
  readonly exit: boolean
  readonly evidence: ReadonlyArray<MemoryId>
  readonly memory: { readonly id: MemoryId; readonly position: LogPosition } | undefined
}

/**
 * The Records of a session that are evidence, in the order in which they were first archived; its steps by their key;
 * and for each way of reading the last steps by `t`, the windows of one together.
 *
 * @since 0.1.0
 * @category models
 */
export interface Session {
  readonly connector: ConnectorName
  readonly session_key: SessionKey
  readonly latest: string
  readonly records: ReadonlyMap<RecordKey, RecordPlace>
  readonly steps: ReadonlyMap<Sha256, Turn>
  readonly turns: ReadonlyMap<Sha256, ReadonlyMap<number, ReadonlyArray<Turn>>>
}

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
 * @since 0.1.0
 * @category models
 */
export interface LiveMemory {
  readonly take: (line: LocatedRecord) => void
  /** Sessions with Records that are evidence, the newest first. */
  readonly sessions: () => ReadonlyArray<Session>
  readonly session: (connector: ConnectorName, session_key: SessionKey) => Session | undefined
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
  /** Where the archived Record of an evidence stands; none where it was superseded or taken out. */
  readonly placeOf: (evidence: Evidence) => RecordPlace | undefined
  /** The sha256 of what is registered as mem's own. Whoever registers adds to it. */
  readonly registered: Set<Sha256>
}

interface Known {
  readonly connector: ConnectorName
  readonly session_key: SessionKey
  latest: string
  readonly records: Map<RecordKey, RecordPlace>
  readonly steps: Map<Sha256, Turn>
  readonly turns: Map<Sha256, Map<number, ReadonlyArray<Turn>>>
}

/** (A connector's name holds no blank.) */
const sessionId = (connector: ConnectorName, session_key: SessionKey): string => `${connector} ${session_key}`

const none: ReadonlySet<MemoryId> = new Set()

const byAge = (a: Session, b: Session): number => a.latest < b.latest ? 1 : a.latest > b.latest ? -1 : 0

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): LiveMemory => {
  const sessions = new Map<string, Known>()
  const owners = new Map<string, Known>()
  const superseded = new Set<string>()
  const accepted = new Map<MemoryId, Evidence>()
  const live = new Map<string, Set<MemoryId>>()
  const memories = new Map<string, LiveSessionMemory>()
  const consolidated = new Map<string, LiveConsolidated>()
  const registered = new Set<Sha256>()
  let open: Open = Option.none()

  const recordId = (connector: ConnectorName, key: RecordKey): string => `${connector} ${key}`
  const profileId = (connector: ConnectorName, session_key: SessionKey, profile: string): string =>
    JSON.stringify([connector, session_key, profile])

  const known = (connector: ConnectorName, session_key: SessionKey): Known => {
    const id = sessionId(connector, session_key)
    const found = sessions.get(id)
    if (found !== undefined) return found
    const fresh: Known = {
      connector,
      session_key,
      latest: "",
      records: new Map(),
      steps: new Map(),
      turns: new Map()
    }
    sessions.set(id, fresh)
    return fresh
  }

  const drop = (connector: ConnectorName, key: RecordKey): void => {
    owners.get(recordId(connector, key))?.records.delete(key)
    owners.delete(recordId(connector, key))
  }

  const takeRecords = (connector: ConnectorName, document: string, lines: ReadonlyArray<LocatedRecord>): void => {
    for (const { position, record } of lines) {
      if (record.kind !== "record") continue
      const { body, seq } = record
      const session = known(connector, body.session_key)
      const id = recordId(connector, body.key)
      if (body.supersedes !== undefined && body.supersedes !== body.key) {
        superseded.add(recordId(connector, body.supersedes))
        drop(connector, body.supersedes)
      }
      // A longer form of a text stands where the text stood.
      if (owners.get(id) !== session || !isEvidence(body)) drop(connector, body.key)
      if (!isEvidence(body) || superseded.has(id)) continue
      session.records.set(body.key, { position, seq, document })
      owners.set(id, session)
      if (body.at !== null && body.at > session.latest) session.latest = body.at
    }
  }

  const takeOut = (connector: ConnectorName, document: string): void => {
    for (const session of sessions.values()) {
      if (session.connector !== connector) continue
      for (const [key, place] of session.records) if (place.document === document) drop(connector, key)
    }
  }

  const takeStep = (
    seq: number,
    step: Step,
    evidence: ReadonlyArray<MemoryId>,
    memory: Turn["memory"]
  ): void => {
    const session = known(step.connector, step.session_key)
    const turn: Turn = {
      seq,
      t: step.t,
      window: step.window,
      record_keys: step.record_keys,
      before: step.memory_before_sha256,
      after: step.memory_after_sha256,
      exit: step.exit,
      evidence,
      memory
    }
    session.steps.set(stepKey(step), turn)
    const reading = readingSha256(step)
    const turns = session.turns.get(reading) ?? new Map<number, ReadonlyArray<Turn>>()
    session.turns.set(reading, turns)
    turns.set(step.t, [...(turns.get(step.t) ?? []).slice(0, (step.window ?? 1) - 1), turn])
  }

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

  /** A step's evidence and the memory that it made stand in its group. */
  const takeMemories = (lines: ReadonlyArray<LocatedRecord>): void => {
    const evidence: Array<MemoryId> = []
    const steps: Array<readonly [number, Step]> = []
    let memory: Turn["memory"] = undefined
    for (const { position, record } of lines) {
      if (record.kind === "artifact") registered.add(record.body.text_sha256)
      if (record.kind !== "memory") continue
      const { body } = record
      switch (body.entry) {
        case "evidence":
          evidence.push(body.id)
          takeEvidence(body)
          break
        case "step":
          steps.push([record.seq, body])
          break
        case "memory":
          if (body.level === "L1") {
            memory = { id: body.id, position }
            takeMemory(body, position)
          } else takeConsolidated(body, position)
          break
        case "mark":
          takeMark(body)
          break
        case "embedder":
          break
      }
    }
    for (const [seq, step] of steps) takeStep(seq, step, evidence, step.update ? memory : undefined)
  }

  const placeOf = ({ connector, record_key }: Evidence): RecordPlace | undefined =>
    owners.get(recordId(connector, record_key))?.records.get(record_key)

  const isLive = ({ connector, id, profile, session_key }: Evidence): boolean =>
    live.get(profileId(connector, session_key, profile))?.has(id) === true

  return {
    take: (line) => {
      const [next, counted] = gather(open, line)
      open = next
      if (Option.isNone(counted)) return
      if (counted.value._tag === "Memory") takeMemories(counted.value.lines)
      if (counted.value._tag !== "Group") return
      const { commit: { connector, doc_id, removed }, lines } = counted.value
      const document = documentKey(connector, doc_id)
      if (removed === true) takeOut(connector, document)
      else takeRecords(connector, document, lines)
    },
    sessions: () => [...sessions.values()].filter(({ records }) => records.size > 0).sort(byAge),
    session: (connector, session_key) => sessions.get(sessionId(connector, session_key)),
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
    allConsolidated: () => [...consolidated.values()],
    placeOf,
    registered
  }
}

/**
 * The fold, and how it reads on in the log whenever it is asked.
 *
 * @since 0.1.0
 * @category constructors
 */
export const liveMemory: Effect.Effect<
  { readonly memory: LiveMemory; readonly catchUp: Effect.Effect<void, LogReadError> },
  never,
  LogReader
> = Effect.gen(function*() {
  const memory = make()
  const catchUp = yield* follow(yield* LogReader, Option.none(), memory.take)
  return { memory, catchUp }
})
