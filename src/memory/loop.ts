/**
 * The gated loop over the archive: each session is read for each profile, the newest first, some side by side. What the
 * log knows costs nothing; a session that fails does so alone, and a run that has used up what it may ends there and is
 * gone on with by the next.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { LanguageModel } from "../../services/LanguageModel.ts"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { type AppendError, LogWriter } from "../../services/LogWriter.ts"
import type { TokenCounter } from "../../services/TokenCounter.ts"
import { ChunkPolicy } from "../domain/ChunkPolicy.ts"
import type { ConnectorName, SessionKey } from "../domain/Ids.ts"
import { type Memory, SessionMemory } from "../domain/Memory.ts"
import { timestamp } from "../sync/Pipeline.ts"
import * as Budget from "./Budget.ts"
import { defaultPatience, type Patience } from "./Call.ts"
import { consolidate, type Consolidated } from "./consolidate.ts"
import { defaultRules, type Rules } from "./Gate.ts"
import { type LiveMemory, liveMemory } from "./LiveMemory.ts"
import { writeMarks } from "./markDue.ts"
import { type Profile, standard } from "./Profile.ts"
import { type Counts, type How, noCounts, type Read, read, readingOf } from "./Reading.ts"
import type { Session } from "./Sessions.ts"
import { due, wholeReading } from "./Settle.ts"
import { groupOf } from "./StepGroup.ts"

/**
 * What is read, and how. Without `connectors` the sessions of all; a limit that is absent is none.
 *
 * @since 0.1.0
 * @category models
 */
export interface LoopOptions {
  readonly profiles: ReadonlyArray<Profile>
  readonly connectors?: ReadonlyArray<ConnectorName> | undefined
  readonly policy: ChunkPolicy
  readonly rules: Rules
  readonly patience: Patience
  /** Whether the session memories are made into one a profile, where all sessions could be read. */
  readonly consolidate: boolean
  /** Sessions that are read side by side. */
  readonly concurrency: number
  readonly max_calls?: number | undefined
  readonly max_tokens?: number | undefined
}

/**
 * @since 0.1.0
 * @category constants
 */
export const defaultOptions: LoopOptions = {
  profiles: [standard],
  policy: ChunkPolicy.default,
  rules: defaultRules,
  patience: defaultPatience,
  consolidate: true,
  concurrency: 4
}

/**
 * What became of a session: `read` to its end, `stopped` by the exit gate, `partial` where the run may cost no more,
 * `failed` where the model did. What was stored before stays. `needs` is there where no run can go on within its limit of
 * tokens: so many the next call may take.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionOutcome extends Counts {
  readonly connector: ConnectorName
  readonly session_key: SessionKey
  readonly profile: string
  readonly status: "read" | "stopped" | "partial" | "failed"
  readonly error?: string
  readonly message?: string
  readonly needs?: number
}

/**
 * What a run has done, by session and in all. It is partial where a part of it is, or failed.
 *
 * @since 0.1.0
 * @category models
 */
export interface LoopReport {
  readonly status: "ok" | "partial"
  readonly sessions: ReadonlyArray<SessionOutcome>
  readonly consolidated: ReadonlyArray<Consolidated>
  readonly total: Counts
  readonly spent: Budget.Spent
}

const add = (a: Counts, b: Counts): Counts => ({
  steps: a.steps + b.steps,
  reused: a.reused + b.reused,
  calls: a.calls + b.calls,
  updates: a.updates + b.updates,
  malformed: a.malformed + b.malformed,
  overlong: a.overlong + b.overlong,
  refused: a.refused + b.refused,
  unknown_citations: a.unknown_citations + b.unknown_citations
})

/** Tells the log what a reading came to, where it holds something else for live. */
const settle = (live: LiveMemory, session: Session, how: How, result: Read) =>
  Effect.gen(function*() {
    const { connector, session_key } = session
    const { evidence, marks, memory } = due(live, session, how.profile.name, result)
    const again: ReadonlyArray<Memory> = memory === undefined
      ? []
      : yield* Effect.flatMap(LogReader, ({ at }) =>
        Effect.map(at(memory.position), (line) => {
          if (line.kind !== "memory" || line.body.entry !== "memory" || line.body.level !== "L1") return []
          const current = live.memoryOf(connector, session_key, how.profile.name)
          const { supersedes: _, ...body } = line.body
          return [new SessionMemory({ ...body, ...current === undefined ? {} : { supersedes: current.id } })]
        }))
    const lines = [...evidence, ...again, ...marks]
    if (lines.length === 0) return
    const reading = yield* readingOf(how)
    const about = { connector, session_key, profile: how.profile.name, reading, memory_sha256: result.memory.sha256 }
    const now = yield* timestamp
    yield* Effect.flatMap(LogWriter, ({ append }) => append([groupOf(about, lines, [], now)]))
  })

const statusOf = ({ ended }: Read): SessionOutcome["status"] =>
  ended === undefined ? "read" : ended === "stopped" ? "stopped" : ended._tag === "BudgetSpent" ? "partial" : "failed"

/**
 * Reads one session under one profile.
 *
 * @since 0.1.0
 * @category programs
 */
export const readSession = (
  live: LiveMemory,
  catchUp: Effect.Effect<void, LogReadError>,
  session: Session,
  how: How
): Effect.Effect<
  SessionOutcome,
  AppendError | LogReadError,
  LanguageModel | LogReader | LogWriter | TokenCounter
> =>
  Effect.gen(function*() {
    const { connector, session_key } = session
    const { profile, rules } = how
    const current = live.memoryOf(connector, session_key, profile.name)
    const known = wholeReading(session, yield* readingOf(how), rules, current?.id)
    const result = known ?? (yield* read(live, session, how))
    const status = statusOf(result)
    yield* catchUp
    if (status === "read" || status === "stopped") yield* settle(live, session, how, result)
    const { ended } = result
    const needs = ended !== undefined && ended !== "stopped" && ended._tag === "BudgetSpent" ? ended.needs : undefined
    return {
      ...result.counts,
      connector,
      session_key,
      profile: profile.name,
      status,
      ...(ended === undefined || ended === "stopped" ? {} : { error: ended._tag, message: ended.message }),
      ...(needs === undefined ? {} : { needs })
    }
  })

/**
 * Reads all sessions that are archived, marks what rests on Records that are there no more, and makes the consolidated
 * memories anew that rest on something else now.
 *
 * @since 0.1.0
 * @category programs
 */
export const remember = (
  options: LoopOptions = defaultOptions
): Effect.Effect<LoopReport, AppendError | LogReadError, LanguageModel | LogReader | LogWriter | TokenCounter> =>
  Effect.gen(function*() {
    const { catchUp, memory: live } = yield* liveMemory
    const budget = yield* Budget.make(options)
    yield* catchUp
    const { connectors, patience, policy, profiles, rules } = options
    const sessions = live.sessions().filter(({ connector }) => connectors?.includes(connector) !== false)
    const outcomes = yield* Effect.forEach(
      sessions,
      (session) =>
        Effect.forEach(
          profiles,
          (profile) => readSession(live, catchUp, session, { profile, policy, rules, patience, budget })
        ),
      { concurrency: options.concurrency }
    )
    const all = outcomes.flat()
    yield* catchUp
    yield* writeMarks(live)
    yield* catchUp
    const complete = all.every(({ status }) => status !== "partial")
    const consolidated = options.consolidate && complete
      ? yield* Effect.forEach(profiles, (profile) => consolidate(live, { profile, policy, rules, patience, budget }))
      : []
    const good: ReadonlyArray<string> = ["read", "stopped", "made", "unchanged", "retired", "nothing"]
    return {
      status: [...all, ...consolidated].every(({ status }) => good.includes(status)) ? "ok" : "partial",
      sessions: all,
      consolidated,
      total: all.reduce<Counts>(add, noCounts),
      spent: yield* budget.spent
    }
  })
