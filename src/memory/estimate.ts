/**
 * What the next run of the loop would cost, by readers alone: the model is named, never called. Once a step is not in the
 * log, what the memory will be is not known, so each window behind it counts as a call, or as those that it takes where the
 * model says what its context holds. Calls that have to be made again do not count: only the model knows.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { LanguageModel } from "../../services/LanguageModel.ts"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import type { Chunk } from "../domain/Chunk.ts"
import { type ConnectorName, RecordKey } from "../domain/Ids.ts"
import { Record } from "../domain/Record.ts"
import { type Ahead, make } from "./Ahead.ts"
import type { Spent } from "./Budget.ts"
import { type Input, isCurrent, sectionsOf } from "./consolidate.ts"
import * as Fitting from "./Fitting.ts"
import type { LoopOptions } from "./loop.ts"
import type { Profile } from "./Profile.ts"
import { type Read, readingOf, reuse, unread } from "./Reading.ts"
import type { Session } from "./Sessions.ts"
import { wholeReading } from "./Settle.ts"
import { marksDue } from "./Stale.ts"
import { readingSha256, stepKey } from "./StepKey.ts"
import { narrowed, type Window, windowSha256, windowsOf } from "./Windows.ts"

/**
 * Of which sessions, and how they would be read.
 *
 * @since 0.1.0
 * @category models
 */
export type EstimateOptions = Pick<LoopOptions, "connectors" | "consolidate" | "policy" | "profiles" | "rules">

/**
 * Calls and tokens in all; those for the sessions of each connector; and those for the memories over all sessions.
 *
 * @since 0.1.0
 * @category models
 */
export interface Estimated extends Spent {
  readonly connectors: ReadonlyMap<ConnectorName, Spent>
  readonly consolidated: Spent
}

const nothing: Spent = { calls: 0, tokens: 0 }

const plus = (a: Spent, b: Spent): Spent => ({ calls: a.calls + b.calls, tokens: a.tokens + b.tokens })

const sum = (each: ReadonlyArray<Spent>): Spent => each.reduce(plus, nothing)

/** What reading a session costs, and what it comes to, where the log knows that. */
interface Foreseen {
  readonly session: Session
  readonly cost: Spent
  readonly read: Read | undefined
}

const ofSession = (
  ahead: Ahead,
  session: Session,
  profile: Profile,
  options: EstimateOptions
): Effect.Effect<Foreseen, LogReadError, LanguageModel | TokenCounter> =>
  Effect.gen(function*() {
    const { count } = yield* TokenCounter
    const { policy, rules } = options
    const reading = yield* readingOf({ policy, profile, rules })
    const current = ahead.live.memoryOf(session.connector, session.session_key, profile.name)
    const whole = wholeReading(session, reading, rules, current?.id)
    if (whole !== undefined) return { session, cost: nothing, read: whole }

    const { calls, frame, weigh } = yield* Fitting.make
    const empty = frame(rules, "session", profile)
    const asked = (pieces: ReadonlyArray<Fitting.Weight>) => calls(empty, rules, pieces)

    const archived = (before: Foreseen, windows: ReadonlyArray<Window>): Foreseen => {
      let { cost, read } = before
      const queue = [...windows]
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const now = read
        if (now === undefined) {
          cost = plus(cost, asked(next.map(weigh)))
          continue
        }
        if (now.ended !== undefined) break
        const stepOf = (window: Window) =>
          session.steps.get(
            stepKey({ ...reading, chunk_sha256: windowSha256(window), memory_before_sha256: now.memory.sha256 })
          )
        const [window = next, ...parts] = narrowed(next, (some) => stepOf(some) !== undefined)
        const known = stepOf(window)
        queue.unshift(...known === undefined ? [next] : parts)
        read = known === undefined ? undefined : reuse(now, known, { rules })
      }
      return { session, cost, read }
    }

    return yield* Stream.runFold(
      ahead.chunks(session, readingSha256(reading)),
      { session, cost: nothing, read: unread(current?.id) },
      (before: Foreseen, chunk: Chunk): Foreseen =>
        before.read?.ended !== undefined
          ? before
          : Option.match(ahead.shown(chunk), {
            onNone: () => archived(before, windowsOf(chunk, policy.max_tokens, count)),
            onSome: (shown) => ({
              session,
              cost: sum([before.cost, ...shown.map(asked)]),
              read: undefined
            })
          })
    )
  })

/** The session memories that will be there as they are now, in the order in which they are shown. */
const inputsOf = ({ live }: Ahead, profile: Profile, foreseen: ReadonlyArray<Foreseen>): ReadonlyArray<Input> => {
  const marked = new Set(marksDue(live).map(({ id }) => id))
  const memories = live.memories().filter((memory) => memory.profile === profile.name)
  const isGood = ({ id, stale }: { readonly id: Input["id"]; readonly stale: boolean }) => !stale && !marked.has(id)
  const shaken = new Set(memories.filter((memory) => !isGood(memory)).map(({ id }) => id))
  const readAgain = new Set(foreseen.map(({ session }) => JSON.stringify([session.connector, session.session_key])))
  return [
    ...memories.filter((memory) =>
      isGood(memory) && !readAgain.has(JSON.stringify([memory.connector, memory.session_key]))
    ),
    ...foreseen.flatMap(({ read }) => {
      const stored = read?.memory.stored
      return stored === undefined || shaken.has(stored.id) ? [] : [stored]
    })
  ].sort((a, b) => a.id < b.id ? -1 : 1)
}

const noMemory = new Record({ key: RecordKey.make("L1"), role: "assistant", kind: "summary", text: "" })

/**
 * One call a window of session memories. What those will be that are read on is not known: each counts as one that is as
 * long as it may be.
 */
const consolidation = (
  ahead: Ahead,
  profile: Profile,
  foreseen: ReadonlyArray<Foreseen>,
  options: EstimateOptions
): Effect.Effect<Spent, LogReadError, LanguageModel | LogReader | TokenCounter> =>
  Effect.gen(function*() {
    const { policy, rules } = options
    const { frame, weigh } = yield* Fitting.make
    const { tokens: empty } = frame(rules, "memories", profile)
    const reading = yield* readingOf({ policy, profile, rules }, "memories")
    const inputs = inputsOf(ahead, profile, foreseen)
    const open = foreseen.filter(({ read }) => read === undefined)
    if (open.length === 0) {
      const before = ahead.live.consolidated(profile.name)
      const isMarked = marksDue(ahead.live).some(({ id }) => id === before?.id)
      if (
        before !== undefined && !isMarked && isCurrent(before, readingSha256(reading), inputs.map(({ id }) => id))
      ) return nothing
      return sum((yield* sectionsOf(inputs, policy)).map((window) => ({
        calls: 1,
        tokens: window.reduce((sum, piece) => sum + weigh(piece).tokens, empty)
      })))
    }
    const cuts = [...new Set(open.map(({ session }) => session.connector))].reduce(
      (sum, connector) => sum + ahead.cuts(connector),
      0
    )
    const most = inputs.length + open.length + cuts
    const budget = policy.flush._tag === "Tokens" ? Math.min(policy.flush.n, policy.max_tokens) : policy.max_tokens
    const longest = rules.max_memory_tokens + weigh({ record: noMemory, start: 0, end: 0 }).tokens
    const calls = Math.ceil(most / Math.max(1, Math.floor(budget / rules.max_memory_tokens)))
    return {
      calls,
      tokens: calls * empty + most * longest
    }
  })

/**
 * Calls, and tokens that would be sent at most (a full memory in each call): of the sessions that are archived, and of
 * what a sync would archive before. What the model answers comes on top. Never fewer calls than the run makes, but for
 * those that it has to make again; exact for sessions of which nothing is ahead.
 *
 * @since 0.1.0
 * @category programs
 */
export const estimate = (
  options: EstimateOptions,
  foretold?: Ahead
): Effect.Effect<Estimated, LogReadError, LanguageModel | LogReader | TokenCounter> =>
  Effect.gen(function*() {
    const { connectors: among, consolidate, policy, profiles, rules } = options
    const { frame } = yield* Fitting.make
    const ahead = foretold ?? (yield* make(policy))
    const sessions = ahead.live.sessions().filter(({ connector }) => among?.includes(connector) !== false)
    const each = yield* Effect.forEach(profiles, (profile) =>
      Effect.gen(function*() {
        const foreseen = yield* Effect.forEach(sessions, (session) => ofSession(ahead, session, profile, options))
        const { tokens } = frame(rules, "session", profile)
        return {
          foreseen,
          cut: (name: ConnectorName): Spent => ({ calls: ahead.cuts(name), tokens: ahead.cuts(name) * tokens }),
          consolidated: consolidate ? yield* consolidation(ahead, profile, foreseen, options) : nothing
        }
      }))
    const names = [...new Set(sessions.map(({ connector }) => connector))]
    const connectors = new Map(names.map((name) => [
      name,
      sum(each.flatMap(({ cut, foreseen }) => [
        cut(name),
        ...foreseen.filter(({ session }) => session.connector === name).map(({ cost }) => cost)
      ]))
    ]))
    const consolidated = sum(each.map(({ consolidated }) => consolidated))
    return { ...sum([...connectors.values(), consolidated]), connectors, consolidated }
  })
