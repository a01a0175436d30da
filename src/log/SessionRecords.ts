/**
 * The live Records of one session, by where they stand: the fold for who shows a session. Pure. Of each key the last line
 * counts, whichever session of the connector it came with, and one that another supersedes is not shown.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import type { LocatedRecord, LogPosition } from "../../services/LogReader.ts"
import type { ConnectorName, DocId, RecordKey } from "../domain/Ids.ts"
import { gather, type Open } from "./Gather.ts"

/**
 * The state of the fold. The map is its own and grows in place; its order is that of the log.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionRecords {
  readonly connector: ConnectorName
  readonly doc_id: DocId
  readonly open: Open
  readonly places: Map<RecordKey, LogPosition>
  readonly superseded: Set<RecordKey>
}

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (connector: ConnectorName, doc_id: DocId): SessionRecords => ({
  connector,
  doc_id,
  open: Option.none(),
  places: new Map(),
  superseded: new Set()
})

/**
 * Takes in one line of the log.
 *
 * @since 0.1.0
 * @category folding
 */
export const step = (state: SessionRecords, line: LocatedRecord): SessionRecords => {
  const [open, counted] = gather(state.open, line)
  const next = { ...state, open }
  if (Option.isNone(counted) || counted.value._tag !== "Group") return next
  const { commit: { connector, doc_id, removed }, lines } = counted.value
  if (connector !== state.connector) return next
  const ours = doc_id === state.doc_id
  if (ours && removed === true) {
    state.places.clear()
    return next
  }
  for (const { position, record } of lines) {
    if (record.kind !== "record") continue
    const { key, supersedes } = record.body
    state.places.delete(key)
    if (ours) state.places.set(key, position)
    if (supersedes !== undefined && supersedes !== key) state.superseded.add(supersedes)
  }
  return next
}

/**
 * Where the live Records stand, in the order of the log.
 *
 * @since 0.1.0
 * @category getters
 */
export const positions = ({ places, superseded }: SessionRecords): ReadonlyArray<LogPosition> =>
  [...places].flatMap(([key, position]) => superseded.has(key) ? [] : [position])
