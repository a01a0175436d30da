/**
 * What the log says of sessions: which Records the loop may read, in which order, and which steps were made of them.
 *
 * It holds places, not texts, and grows in place.
 *
 * @since 0.1.0
 */
import type { LogPosition } from "../../services/LogReader.ts"
import type { ConnectorName, MemoryId, RecordKey, SessionKey, Sha256 } from "../domain/Ids.ts"
import type { Evidence, Step } from "../domain/Memory.ts"
import type { Record } from "../domain/Record.ts"
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
 * A Record of a group, and where its line stands.
 *
 * @since 0.1.0
 * @category models
 */
export interface PlacedRecord extends Pick<RecordPlace, "position" | "seq"> {
  readonly record: Record
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
 * A step whose answer could not be read is none of these as long as no step of its reading was answered readably: a server
 * that talks nonsense has read nothing, and is to be asked again.
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
  readonly asked: ReadonlyMap<string, Asked>
}

/**
 * What a model was asked of a session under a profile, over all ways of reading: how many steps were answered so that
 * they could be read, and how many not.
 *
 * @since 0.1.0
 * @category models
 */
export interface Asked {
  readonly readable: number
  readonly malformed: number
}

/**
 * The sessions that a fold of the log has come upon.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sessions {
  /** Takes in the Records of a group that counts. */
  readonly takeRecords: (connector: ConnectorName, document: string, lines: ReadonlyArray<PlacedRecord>) => void
  /** A document was taken out, and its Records with it. */
  readonly takeOut: (connector: ConnectorName, document: string) => void
  readonly takeStep: (seq: number, step: Step, evidence: ReadonlyArray<MemoryId>, memory: Turn["memory"]) => void
  /** Those with Records that are evidence, the newest first. */
  readonly all: () => ReadonlyArray<Session>
  readonly get: (connector: ConnectorName, session_key: SessionKey) => Session | undefined
  /** Where the archived Record of an evidence stands; none where it was superseded or taken out. */
  readonly placeOf: (evidence: Evidence) => RecordPlace | undefined
}

interface Known {
  readonly connector: ConnectorName
  readonly session_key: SessionKey
  latest: string
  readonly records: Map<RecordKey, RecordPlace>
  readonly steps: Map<Sha256, Turn>
  readonly turns: Map<Sha256, Map<number, ReadonlyArray<Turn>>>
  readonly asked: Map<string, Asked>
  /** By way of reading, the steps since its last beginning that wait for one that was answered readably. */
  readonly unreadable: Map<Sha256, Array<readonly [Sha256, Turn]>>
}

/** (A connector's name holds no blank.) */
const sessionId = (connector: ConnectorName, session_key: SessionKey): string => `${connector} ${session_key}`

const recordId = (connector: ConnectorName, key: RecordKey): string => `${connector} ${key}`

const byAge = (a: Session, b: Session): number => a.latest < b.latest ? 1 : a.latest > b.latest ? -1 : 0

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Sessions => {
  const sessions = new Map<string, Known>()
  const owners = new Map<string, Known>()
  const superseded = new Set<string>()

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
      turns: new Map(),
      asked: new Map(),
      unreadable: new Map()
    }
    sessions.set(id, fresh)
    return fresh
  }

  const drop = (connector: ConnectorName, key: RecordKey): void => {
    owners.get(recordId(connector, key))?.records.delete(key)
    owners.delete(recordId(connector, key))
  }

  const takeRecords = (connector: ConnectorName, document: string, lines: ReadonlyArray<PlacedRecord>): void => {
    for (const { position, record: body, seq } of lines) {
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
    const { malformed, readable } = session.asked.get(step.profile) ?? { malformed: 0, readable: 0 }
    session.asked.set(step.profile, {
      readable: readable + (step.malformed ? 0 : 1),
      malformed: malformed + (step.malformed ? 1 : 0)
    })
    const reading = readingSha256(step)
    const before = session.turns.get(reading)
    const isFirst = step.t === 1 && (step.window ?? 1) === 1
    const waiting = isFirst ? [] : session.unreadable.get(reading) ?? []
    waiting.push([stepKey(step), turn])
    if (before === undefined && step.malformed) {
      session.unreadable.set(reading, waiting)
      return
    }
    session.unreadable.delete(reading)
    const turns = before ?? new Map<number, ReadonlyArray<Turn>>()
    session.turns.set(reading, turns)
    for (const [key, each] of waiting) {
      session.steps.set(key, each)
      turns.set(each.t, [...(turns.get(each.t) ?? []).slice(0, (each.window ?? 1) - 1), each])
    }
  }

  return {
    takeRecords,
    takeOut,
    takeStep,
    all: () => [...sessions.values()].filter(({ records }) => records.size > 0).sort(byAge),
    get: (connector, session_key) => sessions.get(sessionId(connector, session_key)),
    placeOf: ({ connector, record_key }) => owners.get(recordId(connector, record_key))?.records.get(record_key)
  }
}
