/**
 * What each memory rests on, by the log alone: every L1 and L2 that was ever stored, each part of it with the L0 evidence
 * that its citations come down to. Nothing but places is held; a text is read when it is asked for.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type LocatedRecord, type LogPosition, LogReader, type LogReadError } from "../../services/LogReader.ts"
import { DocId, type MemoryId } from "../domain/Ids.ts"
import type { Citation, ConsolidatedMemory, SessionMemory } from "../domain/Memory.ts"
import { MemoryPart } from "../domain/MemoryReport.ts"
import { gather, type Open } from "../log/Gather.ts"
import { type LiveMemory, make as makeLive } from "./LiveMemory.ts"
import type { RecordPlace } from "./Sessions.ts"
import { marksDue } from "./Stale.ts"

/**
 * `stale`: what it rests on has changed since. `retired`: it was replaced, or its ground is gone.
 *
 * @since 0.1.0
 * @category models
 */
export type State = "live" | "stale" | "retired"

/**
 * A memory with its text, in parts.
 *
 * @since 0.1.0
 * @category models
 */
export interface Whole {
  readonly body: SessionMemory | ConsolidatedMemory
  readonly state: State
  readonly parts: ReadonlyArray<MemoryPart>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Lineage {
  readonly live: LiveMemory
  /** Also of one that is only about to be marked, by the next sync. */
  readonly stateOf: (id: MemoryId) => State
  /** L1 or L2 of that id, live or not; undefined where there never was one. */
  readonly whole: (id: MemoryId) => Effect.Effect<Whole | undefined, LogReadError>
  /** L2 that is live or stale, by profile, and then L1, the newest session first. */
  readonly current: Effect.Effect<ReadonlyArray<Whole>, LogReadError>
}

/**
 * The session, as `mem get` takes it, that a Record was archived with.
 *
 * @since 0.1.0
 * @category getters
 */
export const documentOf = ({ document }: Pick<RecordPlace, "document">): DocId =>
  DocId.make(document.slice(document.indexOf(" ") + 1))

const stateIn = (live: LiveMemory): (id: MemoryId) => State => {
  const entries = new Map([...live.memories(), ...live.allConsolidated()].map((entry) => [entry.id, entry]))
  const due = new Set(marksDue(live).map(({ id }) => id))
  return (id) => {
    const entry = entries.get(id)
    if (entry !== undefined) return entry.stale || due.has(id) ? "stale" : "live"
    return live.evidence(id) === undefined ? "retired" : due.has(id) ? "stale" : "live"
  }
}

/** The newest session first; of one moment, and of one session, in a fixed order. */
const byAge = (live: LiveMemory) => {
  const latest = ({ connector, session_key }: { readonly [K in "connector" | "session_key"]: SessionMemory[K] }) =>
    live.session(connector, session_key)?.latest ?? ""
  const nameOf = ({ connector, profile, session_key }: Pick<SessionMemory, "connector" | "profile" | "session_key">) =>
    JSON.stringify([connector, session_key, profile])
  return [...live.memories()].sort((a, b) =>
    latest(a) === latest(b) ? (nameOf(a) < nameOf(b) ? -1 : 1) : latest(a) < latest(b) ? 1 : -1
  )
}

/**
 * Reads the log once, from its first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const lineage: Effect.Effect<Lineage, LogReadError, LogReader> = Effect.gen(function*() {
  const { at, records } = yield* LogReader
  const live = makeLive()
  const places = new Map<MemoryId, LogPosition>()
  let open: Open = Option.none()

  const take = (line: LocatedRecord): void => {
    live.take(line)
    const [next, counted] = gather(open, line)
    open = next
    if (Option.isNone(counted) || counted.value._tag !== "Memory") return
    for (const { position, record } of counted.value.lines) {
      if (record.kind === "memory" && record.body.entry === "memory") places.set(record.body.id, position)
    }
  }
  yield* Stream.runForEachChunk(records(), (lines) => Effect.sync(() => [...lines].forEach(take)))
  const stateOf = stateIn(live)

  const bodyOf = (id: MemoryId) =>
    Effect.gen(function*() {
      const place = places.get(id)
      const line = place === undefined ? undefined : yield* at(place)
      return line?.kind === "memory" && line.body.entry === "memory" ? line.body : undefined
    })

  /** L1 cites evidence, L2 cites L1: what that one cites is what it comes down to. */
  const groundOf = (ids: ReadonlyArray<MemoryId>) =>
    Effect.map(
      Effect.forEach(ids, (id) =>
        live.everAccepted(id) === undefined
          ? Effect.map(bodyOf(id), (body) => body?.level === "L1" ? body.citations.flatMap(({ ids }) => ids) : [])
          : Effect.succeed([id])),
      (found) => [...new Set(found.flat())].filter((id) => live.everAccepted(id) !== undefined)
    )

  const partOf = (text: string) => ({ ids, span }: Citation) =>
    Effect.map(groundOf(ids), (evidence) => new MemoryPart({ span, text: text.slice(...span), ids, evidence }))

  const whole: Lineage["whole"] = (id) =>
    Effect.flatMap(bodyOf(id), (body) =>
      body === undefined
        ? Effect.succeed(undefined)
        : Effect.map(Effect.forEach(body.citations, partOf(body.text)), (parts) => ({
          body,
          state: stateOf(id),
          parts
        })))

  const consolidated = [...live.allConsolidated()].sort((a, b) => a.profile < b.profile ? -1 : 1)
  const ids = [...consolidated, ...byAge(live)].map(({ id }) => id)
  return {
    live,
    stateOf,
    whole,
    current: Effect.map(
      Effect.forEach(ids, whole),
      (found) => found.flatMap((each) => each === undefined ? [] : [each])
    )
  }
})
