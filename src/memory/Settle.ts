/**
 * What is left to do for a session whose reading is over. Pure.
 *
 * A session in which nothing is new is known by its steps alone: no text of it is read again. And where its reading came
 * to another memory or other evidence than what the log holds for live, as when a profile is changed and changed back,
 * the log is told so.
 *
 * @since 0.1.0
 */
import type { MemoryId } from "../domain/Ids.ts"
import { type Evidence, MemoryMark } from "../domain/Memory.ts"
import type { Rules } from "./Gate.ts"
import type { LiveMemory } from "./LiveMemory.ts"
import { type Read, reuse, unread } from "./Reading.ts"
import type { Session, Turn } from "./Sessions.ts"
import { type Reading, readingSha256 } from "./StepKey.ts"

/** The next Records of the session, all of them archived before the step that showed them. */
const goesOn = (entries: ReadonlyArray<readonly [string, number]>, at: number, { record_keys, seq }: Turn): boolean =>
  record_keys.every((key, i) => {
    const [known, archived] = entries[at + i] ?? ["", Number.POSITIVE_INFINITY]
    return known === key && archived < seq
  })

/**
 * The reading of a session in which each Record was shown, as the log has it; none where it cannot tell.
 *
 * @since 0.1.0
 * @category folding
 */
export const wholeReading = (
  session: Session,
  reading: Reading,
  rules: Rules,
  supersedes: MemoryId | undefined
): Read | undefined => {
  const entries = [...session.records].map(([key, { seq }]) => [key, seq] as const)
  const turns = session.turns.get(readingSha256(reading))
  let read = unread(supersedes)
  let at = 0
  for (let t = 1; at < entries.length; t++) {
    const windows = turns?.get(t) ?? []
    const [first] = windows
    // Only one that is shown at once is known to have been shown whole.
    if (first === undefined || first.window !== undefined) return undefined
    if (first.before !== read.memory.sha256 || !goesOn(entries, at, first)) return undefined
    read = reuse(read, first, { rules })
    if (read.ended !== undefined) return read
    at += first.record_keys.length
  }
  return read
}

/**
 * What the log must be told, so that what it holds for live is what the reading came to.
 *
 * @since 0.1.0
 * @category models
 */
export interface Due {
  readonly marks: ReadonlyArray<MemoryMark>
  readonly evidence: ReadonlyArray<Evidence>
  /** The log's memory is to be said again, from where it stands. */
  readonly memory: Turn["memory"]
}

/**
 * The difference between what is live of a session and its reading.
 *
 * @since 0.1.0
 * @category comparing
 */
export const due = (live: LiveMemory, { connector, session_key }: Session, profile: string, read: Read): Due => {
  const current = live.memoryOf(connector, session_key, profile)
  const holds = live.evidenceOf(connector, session_key, profile)
  const retire = (level: MemoryMark["level"], id: MemoryId): MemoryMark =>
    new MemoryMark({ level, entry: "mark", id, mark: "retired" })
  return {
    marks: [
      ...[...holds].filter((id) => !read.evidence.has(id)).map((id) => retire("L0", id)),
      ...current !== undefined && read.memory.id === undefined ? [retire("L1", current.id)] : []
    ],
    evidence: [...read.evidence].flatMap((id) => {
      const evidence = holds.has(id) ? undefined : live.everAccepted(id)
      return evidence === undefined ? [] : [evidence]
    }),
    memory: read.memory.id === current?.id ? undefined : read.memory.stored
  }
}
