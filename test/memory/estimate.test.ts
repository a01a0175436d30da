/** What reading into memory will cost, told before a sync and held against what the sync and the loop then do. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { createHash } from "node:crypto"
import * as Keyword from "../../layers/LanguageModel/Keyword.ts"
import * as Scripted from "../../layers/LanguageModel/Scripted.ts"
import * as VecSessions from "../../layers/SourceConnector/VecSessions.ts"
import { LanguageModel } from "../../services/LanguageModel.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { ChunkPolicy } from "../../src/domain/ChunkPolicy.ts"
import { Tokens } from "../../src/domain/FlushTrigger.ts"
import { RecordKey, SessionKey } from "../../src/domain/Ids.ts"
import { ContextTooLong } from "../../src/domain/LanguageModelErrors.ts"
import { Derived, type Record } from "../../src/domain/Record.ts"
import * as Ahead from "../../src/memory/Ahead.ts"
import { estimate } from "../../src/memory/estimate.ts"
import * as Fitting from "../../src/memory/Fitting.ts"
import { remember } from "../../src/memory/loop.ts"
import { Profile } from "../../src/memory/Profile.ts"
import { foreseen } from "../../src/memory/route.ts"
import { drift } from "../../src/sync/drift.ts"
import { defaults, sync } from "../../src/sync/sync.ts"
import { quiet } from "../fixtures/Index.ts"
import { inMemory } from "../sync/Harness.ts"
import { characters, claude, facts, options as base, say } from "./World.ts"

const allOptions = {
  ...base,
  profiles: [facts, new Profile({ name: "ports", questions: ["Which ports?"] })],
  policy: new ChunkPolicy({ ...ChunkPolicy.default, max_tokens: 60, flush: new Tokens({ n: 60 }) }),
  rules: { exit: "off", max_memory_tokens: 30, max_answer_tokens: 500 },
  consolidate: true,
  concurrency: 3
} as const

/** A context in which a full memory leaves room for little; what is longer is refused, as by a server. */
const narrow = (model: Effect.Effect<LanguageModel["Type"]>): Effect.Effect<LanguageModel["Type"]> =>
  Effect.gen(function*() {
    const inner = yield* model
    const { frame } = yield* Fitting.make.pipe(
      Effect.provideService(LanguageModel, inner),
      Effect.provideService(TokenCounter, characters)
    )
    const frames = allOptions.profiles.map((profile) => frame(allOptions.rules, "session", profile).tokens)
    const prompt_tokens = Math.max(...frames) + roomOfNarrow
    const context = { tokens: prompt_tokens, prompt_tokens: () => prompt_tokens, count: characters.count }
    return LanguageModel.of({
      ...inner,
      context,
      complete: (request) =>
        request.messages.reduce((sum, { content }) => sum + content.length, 0)
            > prompt_tokens
          ? new ContextTooLong({ model: "narrow" })
          : inner.complete(request)
    })
  })

const roomOfNarrow = 110

const keyword = Keyword.make(["port", "fact"])

/** Answers at random, but always the same to the same, and never so that it is asked again. */
const random = (seed: number) =>
  Scripted.make(({ memory, records }) => {
    const said = JSON.stringify([seed, memory, records.map(({ text }) => text)])
    const [a = 0, b = 0] = createHash("sha256").update(said).digest()
    return { check: a % 3 === 0 ? "no" : "yes", update: `m${b}`, cite: "r1", next: "continue" }
  })

const worldOf = (model: Effect.Effect<LanguageModel["Type"]>, consolidate: boolean) =>
  Effect.gen(function*() {
    const options = { ...allOptions, consolidate }
    const { connector, control } = yield* VecSessions.make(claude, [], { cursorEach: 2 })
    const world = yield* inMemory({ connectors: [connector] })
    const inner = yield* model
    const made = { calls: 0, tokens: 0 }
    const counting = LanguageModel.of({
      ...inner,
      complete: (request) => {
        const tokens = request.messages.reduce((sum, { content }) => sum + content.length, 0)
        return Effect.tap(inner.complete(request), () => {
          made.calls += 1
          made.tokens += tokens
        })
      }
    })
    const silent = LanguageModel.of({ ...inner, complete: () => Effect.dieMessage("an estimate calls no model") })
    const told = Effect.gen(function*() {
      const ahead = yield* Ahead.make(options.policy)
      const report = yield* drift({ ...defaults, estimate: true, ahead })
      const spent = yield* estimate(options, ahead)
      return { ...foreseen(report, spent).connectors[0]?.estimate, spent }
    })
    return {
      control,
      made,
      archive: Effect.map(world.process(sync()), ({ connectors }) => connectors[0]?.records),
      lines: world.lines,
      ahead: world.process(
        told.pipe(Effect.provideService(LanguageModel, silent), Effect.provideService(TokenCounter, characters))
      ),
      remember: Effect.gen(function*() {
        const before = { ...made }
        const { consolidated, status, total } = yield* world.process(
          remember(options).pipe(
            Effect.provideService(LanguageModel, counting),
            Effect.provideService(TokenCounter, characters)
          )
        )
        assert.strictEqual(status, "ok")
        return {
          sessions: total.calls,
          consolidated: consolidated.reduce((sum, { calls }) => sum + calls, 0),
          calls: made.calls - before.calls,
          tokens: made.tokens - before.tokens
        }
      })
    }
  })

/** A Record of a session: its number, what it says and how often, what it is, and whether others hold it. */
const said = FastCheck.tuple(
  FastCheck.integer({ min: 0, max: 9 }),
  FastCheck.constantFrom("A fact. ", "chatter ", "The port is 4317. ", "📦 "),
  FastCheck.integer({ min: 1, max: 14 }),
  FastCheck.constantFrom("own", "own", "own", "own", "copied", "thought", "derived", "side", "longer", "supersedes")
)

type Said = typeof said extends FastCheck.Arbitrary<infer A> ? A : never

/** Sessions as they grow, round by round. */
const roundsOf = FastCheck.array(
  FastCheck.array(FastCheck.array(said, { maxLength: 7 }), { minLength: 3, maxLength: 3 }),
  { minLength: 1, maxLength: 3 }
)

const recordOf =
  (session: number, round: number, apart: boolean) => ([n, text, times, kind]: Said, i: number): Record => {
    const words = `${text.repeat(times)}${n}`
    const session_key = SessionKey.make(`s${session}`)
    const own = `s${session} ${round}.${i}`
    if (kind === "thought") return say(own, words, { session_key, kind: "thinking" })
    if (kind === "derived") return say(own, words, { session_key, derived: new Derived({ by: "compaction" }) })
    if (apart) return say(own, words, { session_key })
    switch (kind) {
      case "copied":
        return say(`shared ${n}`, `shared ${n} `.repeat(1 + n % 7), { session_key })
      case "side":
        return say(own, words, { session_key: SessionKey.make("side") })
      case "longer":
        return say(`s${session} growing`, "growing ".repeat(1 + round * 8 + i), { session_key })
      case "supersedes":
        return say(own, words, { session_key, supersedes: RecordKey.make(`s${session} 0.${n}`) })
      default:
        return say(own, words, { session_key })
    }
  }

const runs = (
  numRuns: number,
  apart: boolean,
  property: (
    world: Effect.Effect.Success<ReturnType<typeof worldOf>>,
    grow: (round: number) => Effect.Effect<void>,
    rounds: number
  ) => Effect.Effect<void, unknown>
) =>
  Effect.promise(() =>
    FastCheck.assert(
      FastCheck.asyncProperty(roundsOf, FastCheck.integer({ min: 0, max: 99 }), (rounds, seed) =>
        Effect.runPromise(
          Effect.gen(function*() {
            // Memories over sessions are not halved, so they are not made where they would have to be.
            const world = yield* seed % 4 === 0 ?
              worldOf(keyword, true)
              : seed % 4 === 1 && !apart ?
              worldOf(narrow(random(seed)), false)
              : worldOf(random(seed), true)
            const held = new Map<number, Array<Record>>()
            const grow = (round: number) =>
              Effect.forEach(rounds[round] ?? [], (more, session) => {
                const all = [...held.get(session) ?? [], ...more.map(recordOf(session, round, apart))]
                held.set(session, all)
                return more.length === 0 ? Effect.void : world.control.put({ id: `s${session}`, items: all })
              }, { discard: true })
            yield* property(world, grow, rounds.length)
          }).pipe(Effect.scoped, Effect.provide(quiet))
        )),
      { numRuns }
    )
  )

const nothing = { model_calls: 0, model_tokens: 0 }

describe("an estimate of memory", () => {
  it.live("is never below what the sync and the loop then do, and nothing is left behind them", () =>
    runs(10, false, (world, grow, rounds) =>
      Effect.gen(function*() {
        for (let round = 0; round < rounds; round++) {
          yield* grow(round)
          const before = (yield* world.lines).length
          const { model_calls = -1, model_tokens = -1, records, spent } = yield* world.ahead
          assert.strictEqual((yield* world.lines).length, before)
          assert.strictEqual(records, yield* world.archive)
          const done = yield* world.remember
          assert.isAtLeast(model_calls, done.calls)
          assert.isAtLeast(model_tokens, done.tokens)
          assert.isAtLeast(spent.consolidated.calls, done.consolidated)
          assert.deepInclude(yield* world.ahead, { ...nothing, records: 0 })
        }
      })))

  it.live("is what they do, where sessions have nothing in common; and what the loop does, where all is archived", () =>
    runs(6, true, (world, grow, rounds) =>
      Effect.gen(function*() {
        for (let round = 0; round < rounds; round++) {
          yield* grow(round)
          const before = yield* world.ahead
          yield* world.archive
          const { records, spent } = yield* world.ahead
          const { consolidated, sessions } = yield* world.remember
          for (const each of [before.spent, spent]) {
            assert.strictEqual(each.calls - each.consolidated.calls, sessions)
            assert.isAtLeast(each.consolidated.calls, consolidated)
          }
          assert.strictEqual(records, 0)
        }
      })))

  it.live("holds in whichever order sessions that share something are stored", () =>
    Effect.gen(function*() {
      const world = yield* worldOf(keyword, false)
      const of = (id: string) => (key: string, length: number, more: Partial<Record> = {}) =>
        say(key, "x".repeat(length), { session_key: SessionKey.make(id), ...more })
      const [one, two] = [of("s1"), of("s2")]
      yield* world.control.put({ id: "s2", items: [two("shared", 30), two("b", 60)] })
      // It is listed first, and takes longer to read.
      const thoughts = Array.from({ length: 1000 }, (_, i) => one(`t${i}`, 5, { kind: "thinking" }))
      yield* world.control.put({ id: "s1", items: [one("shared", 30), one("a", 30), ...thoughts] })
      const { model_calls } = yield* world.ahead
      yield* world.archive
      const { calls } = yield* world.remember
      assert.strictEqual(calls, 3 * allOptions.profiles.length, "the shorter one brought what both hold")
      assert.isAtLeast(model_calls ?? 0, calls)
    }).pipe(Effect.scoped, Effect.provide(quiet)))
})
