/**
 * Where the archived Records stand that a fold of the log has come upon: those of whole groups, of sessions that were
 * not taken out since. It holds places only, never texts.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type LocatedRecord, type LogPosition, LogReader } from "../../services/LogReader.ts"
import type { RecordIndex } from "../../services/RecordIndex.ts"
import type { ConnectorName, DocId, RecordKey } from "../domain/Ids.ts"
import { follow } from "./Follow.ts"
import { gather, type Open } from "./Gather.ts"
import { documentKey } from "./Live.ts"

/**
 * It grows in place: a copy a line would be quadratic. The first line must begin a group or stand alone.
 *
 * @since 0.1.0
 * @category models
 */
export interface RecordPlaces {
  readonly take: (line: LocatedRecord) => void
  /** Where the last line of a Record stands. */
  readonly positionOf: (connector: ConnectorName, key: RecordKey) => LogPosition | undefined
  /** Whether a session was taken out by one of the lines, and with it what was known of it before the first of them. */
  readonly tookOut: (connector: ConnectorName, doc_id: DocId) => boolean
}

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): RecordPlaces => {
  const places = new Map<string, { readonly session: string; readonly position: LogPosition }>()
  const gone = new Set<string>()
  let open: Open = Option.none()
  const keyOf = (connector: ConnectorName, key: RecordKey): string => `${connector} ${key}`

  const takeOut = (session: string): void => {
    gone.add(session)
    for (const [key, place] of places) if (place.session === session) places.delete(key)
  }

  return {
    take: (line) => {
      const [next, counted] = gather(open, line)
      open = next
      if (Option.isNone(counted) || counted.value._tag !== "Group") return
      const { commit: { connector, doc_id, removed }, lines } = counted.value
      const session = documentKey(connector, doc_id)
      if (removed === true) return takeOut(session)
      for (const { position, record } of lines) {
        if (record.kind === "record") places.set(keyOf(connector, record.body.key), { session, position })
      }
    },
    positionOf: (connector, key) => places.get(keyOf(connector, key))?.position,
    tookOut: (connector, doc_id) => gone.has(documentKey(connector, doc_id))
  }
}

/**
 * The index of archived Records as a fold of the whole log, made when it is first asked.
 *
 * @since 0.1.0
 * @category constructors
 */
export const index: Effect.Effect<RecordIndex["Type"], never, LogReader> = Effect.gen(function*() {
  const places = make()
  const catchUp = yield* follow(yield* LogReader, Option.none(), places.take)
  return {
    positions: (connector, keys) =>
      Effect.map(catchUp, () =>
        new Map(keys.flatMap((key) => {
          const position = places.positionOf(connector, key)
          return position === undefined ? [] : [[key, position] as const]
        })))
  }
})
