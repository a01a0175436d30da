/**
 * The reading of one session: a fold over its windows, whose state is the memory. A step that is in the log is taken from
 * there; any other is a turn with the model, stored as soon as it is over, so that a reading that is cut short goes on
 * behind the last of them.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { LanguageModel } from "../../services/LanguageModel.ts"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { type AppendError, LogWriter } from "../../services/LogWriter.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import type { Chunk } from "../domain/Chunk.ts"
import type { ChunkPolicy } from "../domain/ChunkPolicy.ts"
import { MemoryId } from "../domain/Ids.ts"
import type { LanguageModelError } from "../domain/LanguageModelErrors.ts"
import { SessionMemory, Step } from "../domain/Memory.ts"
import { timestamp } from "../sync/Pipeline.ts"
import { plural } from "../text/Amounts.ts"
import { apart, type BudgetSpent } from "./Budget.ts"
import { cite, type Cited, evidenceOf, idOf } from "./Cite.ts"
import { endsWith, stops } from "./Gate.ts"
import type { LiveMemory } from "./LiveMemory.ts"
import { type Profile, profileSha256 } from "./Profile.ts"
import { promptSha256, type Subject } from "./Prompt.ts"
import { sessionChunks } from "./sessionChunks.ts"
import type { Session, Turn } from "./Sessions.ts"
import { artifactsOf, groupOf, linesOf } from "./StepGroup.ts"
import { memorySha256, type Reading, readingSha256, stepKey } from "./StepKey.ts"
import { type Asking, take, type Taken } from "./Turn.ts"
import { ModelUnreadable } from "./Unreadable.ts"
import { halves, narrowed, type Window, windowSha256, windowsOf } from "./Windows.ts"

/**
 * What a session is read for, and how.
 *
 * @since 0.1.0
 * @category models
 */
export interface How extends Asking {
  readonly profile: Profile
  readonly policy: ChunkPolicy
}

/**
 * What a reading counts. `reused` steps were in the log; the others are those of this run. `calls` are all that were made,
 * also for a step that came to no end. `unknown_citations` are names that no Record had.
 *
 * @since 0.1.0
 * @category models
 */
export interface Counts {
  readonly steps: number
  readonly reused: number
  readonly calls: number
  readonly updates: number
  readonly malformed: number
  readonly overlong: number
  readonly refused: number
  readonly unknown_citations: number
}

/**
 * @since 0.1.0
 * @category constants
 */
export const noCounts: Counts = {
  steps: 0,
  reused: 0,
  calls: 0,
  updates: 0,
  malformed: 0,
  overlong: 0,
  refused: 0,
  unknown_citations: 0
}

/** A memory: at hand, or where the log has it. */
interface Held {
  readonly id: MemoryId | undefined
  readonly sha256: Turn["after"]
  readonly cited: Cited | undefined
  readonly stored: Turn["memory"]
}

/**
 * How far a session was read: the memory, what it was made of, and why the reading ended, where it did before the
 * session did, or came to nothing. `readable` says that a step of it was answered readably.
 *
 * @since 0.1.0
 * @category models
 */
export interface Read {
  readonly memory: Held
  readonly supersedes: MemoryId | undefined
  readonly ends: number
  readonly evidence: ReadonlySet<MemoryId>
  readonly counts: Counts
  readonly readable: boolean
  readonly ended: "stopped" | BudgetSpent | LanguageModelError | ModelUnreadable | undefined
}

const empty: Held = {
  id: undefined,
  sha256: memorySha256(""),
  cited: { text: "", citations: [] },
  stored: undefined
}

/**
 * A step that the log has and that goes on from this memory.
 *
 * @since 0.1.0
 * @category folding
 */
export const reuse = (read: Read, turn: Turn, how: Pick<How, "rules">): Read => {
  const ends = endsWith(read.ends, turn.exit)
  const { memory } = turn
  return {
    memory: memory === undefined ? read.memory : {
      id: memory.id,
      sha256: turn.after,
      cited: undefined,
      stored: memory
    },
    supersedes: read.supersedes,
    ends,
    evidence: new Set([...read.evidence, ...turn.evidence]),
    counts: { ...read.counts, steps: read.counts.steps + 1, reused: read.counts.reused + 1 },
    readable: true,
    ended: stops(how.rules, ends) ? "stopped" : undefined
  }
}

/**
 * A session before its first window.
 *
 * @since 0.1.0
 * @category folding
 */
export const unread = (supersedes: MemoryId | undefined): Read => ({
  memory: empty,
  supersedes,
  ends: 0,
  evidence: new Set(),
  counts: noCounts,
  readable: false,
  ended: undefined
})

/** Where no answer could be read, the session was not read. */
const judged = (model: string) => (read: Read): Read =>
  read.ended === undefined && read.counts.steps > 0 && !read.readable
    ? { ...read, ended: new ModelUnreadable({ model }) }
    : read

const textOf = ({ cited, stored }: Held): Effect.Effect<Cited, LogReadError, LogReader> =>
  cited !== undefined || stored === undefined
    ? Effect.succeed(cited ?? { text: "", citations: [] })
    : Effect.flatMap(
      LogReader,
      ({ at }) =>
        Effect.flatMap(at(stored.position), (line) =>
          line.kind === "memory" && line.body.entry === "memory"
            ? Effect.succeed({ text: line.body.text, citations: line.body.citations })
            : Effect.dieMessage("the log has another line where a memory stood"))
    )

/**
 * How a profile is read with the model and the counter that are there.
 *
 * @since 0.1.0
 * @category keys
 */
export const readingOf = (
  { policy, profile, rules }: Pick<How, "policy" | "profile" | "rules">,
  subject: Subject = "session"
): Effect.Effect<Reading, never, LanguageModel | TokenCounter> =>
  Effect.gen(function*() {
    const { fingerprint: model } = yield* LanguageModel
    const { fingerprint: counter } = yield* TokenCounter
    return {
      profile_sha256: profileSha256(profile),
      prompt_sha256: promptSha256(rules, subject, `${counter} ${policy.max_tokens}`),
      model
    }
  })

/**
 * Reads a session on, from its first window; what the log knows costs nothing.
 *
 * @since 0.1.0
 * @category programs
 */
export const read = (
  live: LiveMemory,
  session: Session,
  how: How
): Effect.Effect<Read, AppendError | LogReadError, LanguageModel | LogReader | LogWriter | TokenCounter> =>
  Effect.gen(function*() {
    const { count } = yield* TokenCounter
    const reading = yield* readingOf(how)
    const { connector, session_key } = session
    const { profile } = how
    const budget = yield* apart(how.budget)

    const keyOf = (window: Window, { memory }: Read) =>
      stepKey({ ...reading, chunk_sha256: windowSha256(window), memory_before_sha256: memory.sha256 })

    const store = (before: Read, cited: Cited, window: Window, place: Pick<Step, "t" | "window">, taken: Taken) =>
      Effect.gen(function*() {
        const { append } = yield* LogWriter
        const { decision } = taken
        const turn = { connector, session_key, profile: profile.name, t: place.t }
        const after = memorySha256(decision.memory)
        const { evidence, unknown } = decision.update
          ? evidenceOf(turn, window, decision.cited)
          : { evidence: [], unknown: 0 }
        const step = new Step({
          level: "L1",
          entry: "step",
          connector,
          session_key,
          profile: profile.name,
          ...reading,
          t: place.t,
          ...(place.window === undefined ? {} : { window: place.window }),
          record_keys: window.map(({ record }) => record.key),
          chunk_sha256: windowSha256(window),
          memory_before_sha256: before.memory.sha256,
          memory_after_sha256: after,
          update: decision.update,
          exit: decision.exit,
          malformed: decision.malformed,
          prompt_tokens: taken.prompt_tokens,
          completion_tokens: taken.completion_tokens,
          duration_ms: taken.duration_ms
        })
        const ids = evidence.map(({ id }) => id)
        const memory = decision.update
          ? new SessionMemory({
            level: "L1",
            entry: "memory",
            id: MemoryId.make(`L1:${idOf([connector, session_key, profile.name, stepKey(step)])}`),
            connector,
            session_key,
            profile: profile.name,
            t: place.t,
            text: decision.memory,
            citations: cite(cited, decision.memory, ids),
            ...(before.supersedes === undefined ? {} : { supersedes: before.supersedes })
          })
          : undefined
        const now = yield* timestamp
        const artifacts = memory === undefined
          ? []
          : artifactsOf({ ...memory, inputs: ids }, reading, live.registered, now)
        const about = { connector, session_key, profile: profile.name, reading, memory_sha256: after }
        yield* append([groupOf(about, linesOf({ step, evidence, memory }), artifacts, now)])
        for (const { text_sha256 } of artifacts) live.registered.add(text_sha256)
        const ends = endsWith(before.ends, decision.exit)
        const { counts } = before
        return {
          memory: memory === undefined
            ? { ...before.memory, cited }
            : { id: memory.id, sha256: after, cited: memory, stored: undefined },
          supersedes: memory?.id ?? before.supersedes,
          ends,
          evidence: new Set([...before.evidence, ...ids]),
          counts: {
            steps: counts.steps + 1,
            reused: counts.reused,
            calls: counts.calls,
            updates: counts.updates + (decision.update ? 1 : 0),
            malformed: counts.malformed + (decision.malformed ? 1 : 0),
            overlong: counts.overlong + (decision.overlong ? 1 : 0),
            refused: counts.refused + (taken.refused ? 1 : 0),
            unknown_citations: counts.unknown_citations + unknown
          },
          readable: before.readable || !decision.malformed,
          ended: stops(how.rules, ends) ? "stopped" : undefined
        } satisfies Read
      })

    /** The windows of a Chunk that are still to be shown; `n` were before them. */
    const walk = (
      before: Read,
      t: number,
      queue: ReadonlyArray<Window>,
      n: number
    ): Effect.Effect<Read, AppendError | LogReadError, LanguageModel | LogReader | LogWriter | TokenCounter> =>
      Effect.gen(function*() {
        const [next, ...others] = queue
        if (next === undefined || before.ended !== undefined) return before
        const [window = next, ...parts] = narrowed(next, (some) => session.steps.has(keyOf(some, before)))
        const rest = [...parts, ...others]
        const known = session.steps.get(keyOf(window, before))
        if (known !== undefined) return yield* walk(reuse(before, known, how), t, rest, n + 1)
        const cited = yield* textOf(before.memory)
        const place = n === 0 && rest.length === 0 ? { t } : { t, window: n + 1 }
        const taken = yield* Effect.either(
          take({ ...how, budget }, { subject: "session", profile, memory: cited.text, window })
        )
        if (taken._tag === "Right") {
          if (taken.right.decision.malformed) {
            yield* Effect.logDebug("gate.malformed: an answer of the model could not be read twice; memory stays")
              .pipe(
                Effect.annotateLogs({ connector, session_key, profile: profile.name, t })
              )
          }
          return yield* walk(yield* store(before, cited, window, place, taken.right), t, rest, n + 1)
        }
        const half = taken.left._tag === "ContextTooLong" ? halves(window) : Option.none()
        return Option.isNone(half)
          ? { ...before, ended: taken.left }
          : yield* walk(before, t, [...half.value, ...rest], n)
      })

    const result = yield* Stream.runFoldWhileEffect(
      sessionChunks(session, readingSha256(reading), how.policy),
      unread(live.memoryOf(connector, session_key, profile.name)?.id),
      ({ ended }) => ended === undefined,
      (before, chunk: Chunk) => walk(before, chunk.t, windowsOf(chunk, how.policy.max_tokens, count), 0)
    )
    const { calls } = yield* budget.spent
    const { malformed } = result.counts
    if (malformed > 0) {
      yield* Effect.logWarning(
        `${
          plural(malformed, "answer")
        } of the model about session ${session_key} of ${connector} could not be read, also `
          + "when it was asked again; there its memory stays as it was"
      )
    }
    return judged(reading.model)({ ...result, counts: { ...result.counts, calls } })
  })
