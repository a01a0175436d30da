/** What mem remembers comes back through the next transcript, again and again: it must not become evidence of itself. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as VecSessions from "../../layers/SourceConnector/VecSessions.ts"
import { LanguageModel } from "../../services/LanguageModel.ts"
import { LogReader } from "../../services/LogReader.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { SessionKey } from "../../src/domain/Ids.ts"
import { liveMemory } from "../../src/memory/LiveMemory.ts"
import { defaultOptions, remember } from "../../src/memory/loop.ts"
import { marked } from "../../src/memory/OwnOutput.ts"
import { quiet } from "../fixtures/Index.ts"
import { synced } from "../sync/Given.ts"
import { inMemory } from "../sync/Harness.ts"
import { characters, facts, keywordOf, say, seenOf, spoken } from "./World.ts"

const rounds = 50

describe("the echo", () => {
  it.scopedLive("of what was remembered does not grow evidence by one span", () =>
    Effect.gen(function*() {
      const first = say("a", "FACT the port of the local server is 4317, since 80 was taken by the proxy.", {
        session_key: SessionKey.make("s0")
      })
      const { connector, control } = yield* VecSessions.make("claude", [{ id: "s0", items: [first] }])
      const world = yield* inMemory({ connectors: [connector] })
      const loop = remember({ ...defaultOptions, profiles: [facts] }).pipe(
        Effect.provideService(TokenCounter, characters),
        Effect.provideService(LanguageModel, {
          fingerprint: "test/1",
          complete: (request) =>
            Effect.sync(() => {
              const seen = seenOf(request)
              return {
                text: spoken(keywordOf(1000)(seen), seen.suffix),
                finish_reason: "stop",
                usage: { prompt_tokens: 1, completion_tokens: 1 }
              }
            })
        })
      )
      const known = Effect.gen(function*() {
        const { catchUp, memory } = yield* liveMemory
        yield* catchUp
        const { at } = yield* LogReader
        const texts = yield* Effect.forEach(memory.memories(), ({ position }) => at(position))
        return {
          evidence: memory.allEvidence().map(({ id }) => `${id}`),
          text: texts.flatMap((line) => line.kind === "memory" && line.body.entry === "memory" ? [line.body.text] : [])
            .join("\n\n")
        }
      })
      yield* synced(world)
      yield* world.process(loop)
      const { evidence, text } = yield* world.process(known)
      assert.isAbove(evidence.length, 0)
      for (let round = 1; round <= rounds; round++) {
        const told = round % 3 === 0 ? marked("memory", [text]).join("\n") : round % 3 === 1 ? text : `> ${text}\n`
        const session = { session_key: SessionKey.make(`s${round}`) }
        const chatter = say(`c${round}`, `Round ${round}: what do you remember?`, session)
        const echo = say(`e${round}`, `So it is:\n\n${told}\n\nIs it?`, session)
        yield* control.put({ id: `s${round}`, items: [chatter, echo] })
        yield* synced(world)
        yield* world.process(loop)
      }
      const after = yield* world.process(known)
      assert.deepStrictEqual(after.evidence, evidence)
      assert.strictEqual(after.text, text)
    }).pipe(Effect.provide(quiet)), 60_000)
})
