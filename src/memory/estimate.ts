/**
 * What the next run of the loop would cost, by readers alone: the model is named, never called. Once a step is not in the
 * log, what the memory will be is not known, so each window behind it counts as a call; a call that has to be made again
 * does not.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LanguageModel } from "../../services/LanguageModel.ts"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import type { Sha256 } from "../domain/Ids.ts"
import type { Spent } from "./Budget.ts"
import { type LiveMemory, liveMemory } from "./LiveMemory.ts"
import type { LoopOptions } from "./loop.ts"
import type { Profile } from "./Profile.ts"
import { promptOf } from "./Prompt.ts"
import { readingOf } from "./Reading.ts"
import { sessionChunks } from "./sessionChunks.ts"
import type { Session } from "./Sessions.ts"
import { wholeReading } from "./Settle.ts"
import { memorySha256, readingSha256, stepKey } from "./StepKey.ts"
import { windowSha256, windowsOf } from "./Windows.ts"

interface State extends Spent {
  readonly memory: Sha256 | undefined
}

const ofSession = (
  live: LiveMemory,
  session: Session,
  profile: Profile,
  { policy, rules }: Pick<LoopOptions, "policy" | "rules">
): Effect.Effect<Spent, LogReadError, LanguageModel | LogReader | TokenCounter> =>
  Effect.gen(function*() {
    const { count } = yield* TokenCounter
    const reading = yield* readingOf({ policy, profile, rules })
    const current = live.memoryOf(session.connector, session.session_key, profile.name)
    const start: State = { calls: 0, tokens: 0, memory: memorySha256("") }
    if (wholeReading(session, reading, rules, current?.id) !== undefined) return start
    return yield* Stream.runFold(
      sessionChunks(session, readingSha256(reading), policy),
      start,
      (before, chunk) =>
        windowsOf(chunk, policy.max_tokens, count).reduce<State>(({ calls, memory, tokens }, window) => {
          const known = memory === undefined ? undefined : session.steps.get(
            stepKey({ ...reading, chunk_sha256: windowSha256(window), memory_before_sha256: memory })
          )
          if (known !== undefined) return { calls, tokens, memory: known.after }
          const { messages } = promptOf(rules, { subject: "session", profile, memory: "", window })
          const shown = messages.reduce((sum, { content }) => sum + count(content), rules.max_memory_tokens)
          return { calls: calls + 1, tokens: tokens + shown, memory: undefined }
        }, before)
    )
  })

/**
 * Calls, and tokens that would be sent at most (a full memory in each call), of the sessions that are archived. What the
 * model answers comes on top.
 *
 * @since 0.1.0
 * @category programs
 */
export const estimate = (
  options: Pick<LoopOptions, "connector" | "policy" | "profiles" | "rules">
): Effect.Effect<Spent, LogReadError, LanguageModel | LogReader | TokenCounter> =>
  Effect.gen(function*() {
    const { catchUp, memory: live } = yield* liveMemory
    yield* catchUp
    const { connector, profiles } = options
    const sessions = live.sessions().filter((session) => connector === undefined || session.connector === connector)
    const each = yield* Effect.forEach(
      sessions.flatMap((session) => profiles.map((profile) => [session, profile] as const)),
      ([session, profile]) => ofSession(live, session, profile, options)
    )
    return each.reduce((a, b) => ({ calls: a.calls + b.calls, tokens: a.tokens + b.tokens }), { calls: 0, tokens: 0 })
  })
