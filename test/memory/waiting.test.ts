/** Which sessions wait to be read, told by readers and held against what the loop then asks. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { LanguageModel } from "../../services/LanguageModel.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { liveMemory } from "../../src/memory/LiveMemory.ts"
import type { LoopOptions } from "../../src/memory/loop.ts"
import { Profile } from "../../src/memory/Profile.ts"
import { waiting } from "../../src/memory/waiting.ts"
import { characters, claude, facts, keyword, make, options, say, type World } from "./World.ts"

/** How many would be read by a model that nobody calls. */
const left = (world: World, more: Partial<LoopOptions> = {}, model = "test/1") =>
  Effect.gen(function*() {
    const { catchUp, memory } = yield* liveMemory
    yield* catchUp
    return (yield* waiting(memory, { ...options, ...more })).get(claude) ?? 0
  }).pipe(
    Effect.provideService(TokenCounter, characters),
    Effect.provideService(LanguageModel, {
      fingerprint: model,
      complete: () => Effect.dieMessage("nobody asks the model")
    }),
    world.provide
  )

describe("sessions that wait", () => {
  it.effect("are those of which the model has not been shown all, for the profiles and the model that there are", () =>
    Effect.gen(function*() {
      const world = yield* make
      yield* world.archive("s1", [say("a", "FACT one.")])
      yield* world.archive("s2", [say("b", `FACT two. ${"long ".repeat(40)}`), say("c", "FACT three.")])
      yield* world.archive("s3", [say("d", "nothing")])
      assert.strictEqual(yield* left(world), 3)
      yield* world.run(keyword, { max_calls: 1 })
      assert.strictEqual(yield* left(world), 2)
      yield* world.run(keyword)
      assert.strictEqual(yield* left(world), 0)
      const more = { profiles: [facts, new Profile({ name: "ports", questions: ["Which ports?"] })] }
      assert.strictEqual(yield* left(world, more), 3)
      assert.strictEqual(yield* left(world, {}, "another/1"), 3)
      yield* world.archive("s2", [say("e", "FACT four.")])
      assert.strictEqual(yield* left(world), 1)
    }))

  it.effect.prop(
    "are none exactly where a run asks nothing",
    {
      sessions: FastCheck.array(
        FastCheck.array(FastCheck.tuple(FastCheck.boolean(), FastCheck.nat(90)), { minLength: 1, maxLength: 4 }),
        { minLength: 1, maxLength: 4 }
      ),
      max_calls: FastCheck.nat(14),
      added: FastCheck.boolean()
    },
    ({ added, max_calls, sessions }) =>
      Effect.gen(function*() {
        const world = yield* make
        for (const [i, records] of sessions.entries()) {
          const said = records.map(([fact, long], j) =>
            say(`${i}.${j}`, `${fact ? `FACT ${i}${j}.` : ""}${"x".repeat(long)}`)
          )
          yield* world.archive(`s${i}`, said)
        }
        yield* world.run(keyword, { max_calls })
        if (added) yield* world.archive("s0", [say("late", "late")])
        const told = yield* left(world)
        const { sessions: outcomes } = yield* world.run(keyword)
        assert.strictEqual(told, outcomes.filter(({ calls }) => calls > 0).length)
        assert.strictEqual(yield* left(world), 0)
      }),
    { fastCheck: { numRuns: 25 } }
  )
})
