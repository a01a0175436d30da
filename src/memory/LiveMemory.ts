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
import { type LocatedRecord, LogReader, type LogReadError } from "../../services/LogReader.ts"
import type { MemoryId, Sha256 } from "../domain/Ids.ts"
import type { Step } from "../domain/Memory.ts"
import { follow } from "../log/Follow.ts"
import { gather, type Open } from "../log/Gather.ts"
import { documentKey } from "../log/Live.ts"
import * as Entries from "./LiveEntries.ts"
import * as Sessions from "./Sessions.ts"

/**
 * The fold. `sessions` are those with Records that are evidence, the newest first.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveMemory extends Omit<Entries.LiveEntries, "take"> {
  readonly take: (line: LocatedRecord) => void
  /** Takes in Records as a group of the log would bring them, for who asks what would be then. */
  readonly archive: Sessions.Sessions["takeRecords"]
  readonly sessions: Sessions.Sessions["all"]
  readonly session: Sessions.Sessions["get"]
  readonly placeOf: Sessions.Sessions["placeOf"]
  /** The sha256 of what is registered as mem's own. Whoever registers adds to it. */
  readonly registered: Set<Sha256>
}

const placed = ({ position, record }: LocatedRecord): ReadonlyArray<Sessions.PlacedRecord> =>
  record.kind === "record" ? [{ position, seq: record.seq, record: record.body }] : []

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): LiveMemory => {
  const sessions = Sessions.make()
  const { take: takeEntry, ...entries } = Entries.make()
  const registered = new Set<Sha256>()
  let open: Open = Option.none()

  /** A step's evidence and the memory that it made stand in its group. */
  const takeMemories = (lines: ReadonlyArray<LocatedRecord>): void => {
    const evidence: Array<MemoryId> = []
    const steps: Array<readonly [number, Step]> = []
    let memory: Sessions.Turn["memory"] = undefined
    for (const { position, record } of lines) {
      if (record.kind === "artifact") registered.add(record.body.text_sha256)
      if (record.kind !== "memory") continue
      const { body } = record
      takeEntry(body, position)
      if (body.entry === "evidence") evidence.push(body.id)
      if (body.entry === "step") steps.push([record.seq, body])
      if (body.entry === "memory" && body.level === "L1") memory = { id: body.id, position }
    }
    for (const [seq, step] of steps) sessions.takeStep(seq, step, evidence, step.update ? memory : undefined)
  }

  return {
    ...entries,
    take: (line) => {
      const [next, counted] = gather(open, line)
      open = next
      if (Option.isNone(counted)) return
      if (counted.value._tag === "Memory") takeMemories(counted.value.lines)
      if (counted.value._tag !== "Group") return
      const { commit: { connector, doc_id, removed }, lines } = counted.value
      const document = documentKey(connector, doc_id)
      if (removed === true) sessions.takeOut(connector, document)
      else sessions.takeRecords(connector, document, lines.flatMap(placed))
    },
    archive: sessions.takeRecords,
    sessions: sessions.all,
    session: sessions.get,
    placeOf: sessions.placeOf,
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
