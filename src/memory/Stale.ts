/**
 * What of memory rests on something that is there no more, or is another now. Pure.
 *
 * Evidence whose Record was taken out or superseded is retired. A session memory that cites such evidence is stale; one of
 * a session of which nothing is left is retired, and so is a consolidated memory that was made of it: what was taken out
 * must not live on in it. Else a consolidated memory is stale where one of its session memories is, or was replaced.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import type { MemoryId } from "../domain/Ids.ts"
import { MemoryMark } from "../domain/Memory.ts"
import type { LiveSessionMemory } from "./LiveEntries.ts"
import type { LiveMemory } from "./LiveMemory.ts"

const mark = (level: MemoryMark["level"], id: MemoryId, word: MemoryMark["mark"]): MemoryMark =>
  new MemoryMark({ level, entry: "mark", id, mark: word })

/**
 * The marks that the log has not yet.
 *
 * @since 0.1.0
 * @category marking
 */
export const marksDue = (live: LiveMemory): ReadonlyArray<MemoryMark> => {
  const gone = (id: MemoryId): boolean => {
    const evidence = live.everAccepted(id)
    return evidence === undefined || live.placeOf(evidence) === undefined
  }
  const left = ({ connector, session_key }: LiveSessionMemory): boolean =>
    (live.session(connector, session_key)?.records.size ?? 0) > 0
  const memories = live.memories()
  const retired = live.allEvidence().filter(({ id }) => gone(id)).map(({ id }) => mark("L0", id, "retired"))
  const ended = memories.filter((memory) => !left(memory))
  const shaken = memories.filter((memory) => left(memory) && (memory.stale || memory.evidence.some(gone)))
  const good = new Set(memories.map(({ id }) => id))
  for (const { id } of [...ended, ...shaken]) good.delete(id)
  const over = new Set(ended.map(({ id }) => id))
  const [rest, undone] = Arr.partition(live.allConsolidated(), ({ inputs }) => inputs.some((id) => over.has(id)))
  return [
    ...retired,
    ...ended.map(({ id }) => mark("L1", id, "retired")),
    ...shaken.filter(({ stale }) => !stale).map(({ id }) => mark("L1", id, "stale")),
    ...undone.map(({ id }) => mark("L2", id, "retired")),
    ...rest.filter(({ evidence, inputs, stale }) =>
      !stale && (inputs.some((id) => !good.has(id)) || evidence.some(gone))
    ).map(({ id }) => mark("L2", id, "stale"))
  ]
}
