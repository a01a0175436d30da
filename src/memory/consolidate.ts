/**
 * L2: one memory a profile, made of the session memories of that profile and of nothing else. Each sentence cites the
 * session memories that it rests on, and with them their evidence; no text of evidence, of a reference or of an earlier
 * L2 is ever shown.
 *
 * It is made anew, from all of them, when one of them has changed. It is stored as a whole or not at all: a run that is
 * cut short makes its calls again.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { LanguageModel } from "../../services/LanguageModel.ts"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { type AppendError, LogWriter } from "../../services/LogWriter.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { initial, step as chunkStep } from "../chunk/Step.ts"
import type { ChunkPolicy } from "../domain/ChunkPolicy.ts"
import { MemoryId, RecordKey, type Sha256 } from "../domain/Ids.ts"
import type { LanguageModelError } from "../domain/LanguageModelErrors.ts"
import type { LogEntry } from "../domain/LogRecord.ts"
import { ConsolidatedMemory, MemoryMark } from "../domain/Memory.ts"
import { Record } from "../domain/Record.ts"
import { Signal } from "../stream/Fold.ts"
import { timestamp } from "../sync/Pipeline.ts"
import { apart, type BudgetSpent } from "./Budget.ts"
import { cite, type Cited, groundOf, idOf } from "./Cite.ts"
import type { LiveConsolidated, LiveSessionMemory } from "./LiveEntries.ts"
import type { LiveMemory } from "./LiveMemory.ts"
import { type How, readingOf } from "./Reading.ts"
import { artifactsOf } from "./StepGroup.ts"
import { readingSha256 } from "./StepKey.ts"
import { take } from "./Turn.ts"
import { ModelUnreadable } from "./Unreadable.ts"
import type { Window } from "./Windows.ts"

/**
 * What became of a profile's consolidated memory: `made`, `unchanged`, `retired` where no session memory is left, or
 * why it could not be made. The one before stays then, marked as stale.
 *
 * @since 0.1.0
 * @category models
 */
export interface Consolidated {
  readonly profile: string
  readonly status: "made" | "unchanged" | "retired" | "nothing" | "partial" | "failed"
  readonly calls: number
  readonly error?: string
  readonly message?: string
}

/**
 * A session memory, and where it stands.
 *
 * @since 0.1.0
 * @category models
 */
export type Input = Pick<LiveSessionMemory, "id" | "position">

const sameIds = (a: ReadonlyArray<MemoryId>, b: ReadonlyArray<MemoryId>): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i])

/** The session memories in an order of their own, whatever session was read first. */
const inputsOf = (live: LiveMemory, profile: string): ReadonlyArray<LiveSessionMemory> =>
  live.memories().filter((memory) => memory.profile === profile && !memory.stale)
    .sort((a, b) => a.id < b.id ? -1 : 1)

/** A session memory as it is shown: a Record, named by the memory's id. */
const shownOf = ({ id, position }: Input) =>
  Effect.flatMap(
    LogReader,
    ({ at }) =>
      Effect.map(at(position), (line) =>
        line.kind === "memory" && line.body.entry === "memory"
          ? [new Record({ key: RecordKey.make(id), role: "assistant", kind: "summary", text: line.body.text })]
          : [])
  )

/**
 * The windows in which session memories are shown, a call each.
 *
 * @since 0.1.0
 * @category windows
 */
export const sectionsOf = (
  inputs: ReadonlyArray<Input>,
  policy: ChunkPolicy
): Effect.Effect<ReadonlyArray<Window>, LogReadError, LogReader | TokenCounter> =>
  Effect.gen(function*() {
    const { count } = yield* TokenCounter
    const records = (yield* Effect.forEach(inputs, shownOf)).flat()
    const cut = chunkStep(policy, count)
    const [open, closed] = cut(initial, Signal.Batch({ items: records }))
    return [...closed, ...cut(open, Signal.Flush())[1]].map((section) =>
      section.records.map((record) => ({ record, start: 0, end: record.text.length }))
    )
  })

/**
 * Whether a consolidated memory is what these session memories, in the order of their ids, would be made into again.
 *
 * @since 0.1.0
 * @category comparing
 */
export const isCurrent = (
  before: Pick<LiveConsolidated, "inputs" | "reading" | "stale">,
  reading: Sha256,
  ids: ReadonlyArray<MemoryId>
): boolean => !before.stale && before.reading === reading && sameIds(before.inputs, ids)

const nothing: Cited = { text: "", citations: [] }

/**
 * Makes the consolidated memory of a profile, if it is not what it should be. `live` must have caught up.
 *
 * @since 0.1.0
 * @category programs
 */
export const consolidate = (
  live: LiveMemory,
  how: How
): Effect.Effect<
  Consolidated,
  AppendError | LogReadError,
  LanguageModel | LogReader | LogWriter | TokenCounter
> =>
  Effect.gen(function*() {
    const { appendAlone } = yield* LogWriter
    const { policy, profile: { name: profile } } = how
    const reading = yield* readingOf(how, "memories")
    const inputs = inputsOf(live, profile)
    const ids = inputs.map(({ id }) => id)
    const before = live.consolidated(profile)
    if (before === undefined && inputs.length === 0) return { profile, status: "nothing", calls: 0 }
    if (before !== undefined && isCurrent(before, readingSha256(reading), ids)) {
      return { profile, status: "unchanged", calls: 0 }
    }
    const retired: ReadonlyArray<LogEntry> = before === undefined
      ? []
      : [{
        kind: "memory",
        body: new MemoryMark({ level: "L2", entry: "mark", id: before.id, mark: "retired" })
      }]
    if (inputs.length === 0) {
      yield* appendAlone(retired)
      return { profile, status: "retired", calls: 0 }
    }

    const budget = yield* apart(how.budget)
    const endedBy = (error: BudgetSpent | LanguageModelError | ModelUnreadable) =>
      Effect.map(budget.spent, ({ calls }): Consolidated => ({
        profile,
        status: error._tag === "BudgetSpent" ? "partial" : "failed",
        calls,
        error: error._tag,
        message: error.message
      }))
    let memory = nothing
    let readable = true
    for (const window of yield* sectionsOf(inputs, policy)) {
      const taken = yield* Effect.either(
        take({ ...how, budget }, { subject: "memories", profile: how.profile, memory: memory.text, window })
      )
      if (taken._tag === "Left") return yield* endedBy(taken.left)
      const { cited, malformed, memory: text, update } = taken.right.decision
      readable &&= !malformed
      if (!update) continue
      const rests = groundOf(window, cited).pieces.map(({ record }) => MemoryId.make(record.key))
      memory = { text, citations: cite(memory, text, rests) }
    }
    // Nothing is what the model found worth keeping only where it has answered for all of it.
    if (memory.text === "" && !readable) return yield* endedBy(new ModelUnreadable({ model: reading.model }))

    const evidence = [...new Set(inputs.flatMap((input) => input.evidence))]
    const id = MemoryId.make(`L2:${idOf([profile, readingSha256(reading), ids, memory.text])}`)
    const same = before?.id === id
    const body = new ConsolidatedMemory({
      level: "L2",
      entry: "memory",
      id,
      profile,
      ...reading,
      inputs: ids,
      evidence,
      text: memory.text,
      citations: memory.citations,
      ...(before === undefined || same ? {} : { supersedes: before.id })
    })
    const artifacts = artifactsOf({ ...body, inputs: ids }, reading, live.registered, yield* timestamp)
    yield* appendAlone([
      { kind: "memory", body },
      ...artifacts.map((body): LogEntry => ({ kind: "artifact", body })),
      ...same ? [] : retired
    ])
    const { calls } = yield* budget.spent
    return { profile, status: "made", calls }
  })
