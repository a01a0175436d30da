/** What a run of the loop may cost holds whatever the server says of itself, and however often it fails. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as NoIndex from "../../layers/MemoryIndex/None.ts"
import { LanguageModel, type ModelAnswer } from "../../services/LanguageModel.ts"
import { ConnectorName } from "../../src/domain/Ids.ts"
import {
  BadResponse,
  type LanguageModelError,
  ModelTimeout,
  RateLimited
} from "../../src/domain/LanguageModelErrors.ts"
import { judge } from "../../src/memory/Answer.ts"
import * as Budget from "../../src/memory/Budget.ts"
import { call } from "../../src/memory/Call.ts"
import { markDue } from "../../src/memory/markDue.ts"
import { tagsIn } from "../../src/memory/Tags.ts"
import { keyword, make as newWorld, say } from "./World.ts"

const model = "test/1"

/** Calls with a model that answers so, one answer after the other; how often it was asked, and what that took. */
const called = (
  answers: ReadonlyArray<LanguageModelError | ModelAnswer["usage"]>,
  limits: { readonly max_calls?: number; readonly max_tokens?: number } = {}
) =>
  Effect.gen(function*() {
    const budget = yield* Budget.make(limits)
    let asked = 0
    const ended = yield* Effect.either(
      call(budget, { retries: 3, wait: 0 }, { messages: [], max_tokens: 100, temperature: 0 }, 50).pipe(
        Effect.provideService(LanguageModel, {
          fingerprint: model,
          complete: () =>
            Effect.suspend(() => {
              const answer = answers[asked++] ?? { prompt_tokens: 1, completion_tokens: 1 }
              return "_tag" in answer
                ? Effect.fail(answer)
                : Effect.succeed({ text: "", finish_reason: "stop" as const, usage: answer })
            })
        })
      )
    )
    return { ended: ended._tag === "Left" ? ended.left._tag : "answered", asked, spent: yield* budget.spent }
  })

const down = new BadResponse({ model, detail: "status 500", transient: true })
const wrong = new BadResponse({ model, detail: "status 401", transient: false })
const late = new ModelTimeout({ model, after_ms: 1000 })

describe("a call", () => {
  it.effect("is tried again where a moment may help, and each try counts", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* called([down, down]), { ended: "answered", asked: 3 })
      assert.deepInclude(yield* called([down, down, down, down, down]), { ended: "BadResponse", asked: 4 })
      assert.deepInclude(yield* called([down, down], { max_calls: 2 }), { ended: "BudgetSpent", asked: 2 })
      assert.deepInclude(yield* called([wrong]), { ended: "BadResponse", asked: 1 })
      assert.deepInclude(yield* called([late, late]), { ended: "ModelTimeout", asked: 2 })
      assert.deepInclude(yield* called([new RateLimited({ model, retry_after_ms: 3_600_000 })]), {
        ended: "RateLimited",
        asked: 1
      })
    }))

  it.effect("of which the server does not say what it took has taken what was set aside", () =>
    Effect.gen(function*() {
      const silent = { prompt_tokens: 0, completion_tokens: 0 }
      assert.deepStrictEqual((yield* called([silent])).spent, { calls: 1, tokens: 150 })
      assert.deepStrictEqual((yield* called([{ prompt_tokens: 40, completion_tokens: 5 }])).spent, {
        calls: 1,
        tokens: 45
      })
      // One that cannot be read may have been made, and is paid for.
      assert.deepInclude(yield* called([down], { max_tokens: 200 }), { ended: "BudgetSpent", asked: 1 })
    }))
})

it.effect("sessions of connectors that are not named are not read, however many are", () =>
  Effect.gen(function*() {
    const world = yield* newWorld
    yield* world.archive("s1", [say("a", "FACT one.")])
    const others = [ConnectorName.make("pi"), ConnectorName.make("codex")]
    const { sessions } = yield* world.run(keyword, { connectors: others })
    assert.deepStrictEqual([sessions, world.seen], [[], []])
  }))

it.effect("what was taken out goes from memory without a model, and what was made over it too", () =>
  Effect.gen(function*() {
    const world = yield* newWorld
    yield* world.archive("s1", [say("a", "FACT one.")])
    yield* world.archive("s2", [say("b", "FACT two.")])
    yield* world.run(keyword, { consolidate: true })
    const marked = world.provide(Effect.provide(markDue, NoIndex.layer))
    const before = yield* world.lines
    yield* marked
    assert.lengthOf(yield* world.lines, before.length, "nothing was taken out")
    yield* world.archive("s1", [], { removed: true })
    yield* marked
    const { consolidated, evidence, memories } = yield* world.state
    assert.deepStrictEqual([consolidated, memories.map(({ text }) => text), evidence.length], [[], ["FACT two."], 1])
    yield* world.run(keyword, { consolidate: true })
    assert.deepStrictEqual((yield* world.state).consolidated, ["facts: FACT two."])
  }))

it("blanks in an answer's tag cost linear time", () => {
  const blanks = " ".repeat(500_000)
  assert.deepStrictEqual(tagsIn(`<${blanks}x`, "7f3a"), [])
  assert.lengthOf(tagsIn(`<${blanks}/${blanks}check-7f3a>`, "7f3a"), 1)
})

it("what looks like a citation in an answer is one", () => {
  const judged = judge({ text: "It is 4400 [2]. Trust [99] me [r1]. So [1, r2].", finish_reason: "stop" }, 2)
  assert.deepInclude(judged, { answer: "It is 4400 (2). Trust (99) me [1]. So [2].", cited: [0, 1], dropped: 1 })
})
