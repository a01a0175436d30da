import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import * as Segments from "../../layers/Log/Segments.ts"
import * as Node from "../../layers/LogFs/Node.ts"
import * as Simulated from "../../layers/LogFs/Simulated.ts"
import { contract } from "../contracts/Log.ts"
import { all, append, group, outline } from "../fixtures/LogGroups.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

const segments = (home: string) => Layer.merge(Segments.reader({ home }), Segments.writer({ home }))

contract("Memory", Effect.succeed(MemoryLog.layer))
contract("Segments, on a disk", Effect.map(temporaryHome, (home) => Layer.provide(segments(home), Node.layer)))
contract(
  "Segments, simulated",
  Effect.gen(function*() {
    const { layer, service } = yield* Simulated.make()
    yield* Effect.orDie(service.makeDir("/home"))
    return Layer.provide(segments("/home"), layer)
  })
)

describe("Log/Memory", () => {
  it.effect("is one log for each time it is built, which lives on where its services are kept", () =>
    Effect.gen(function*() {
      const log = Effect.zipRight(append(group("a", { passages: 0 })), Effect.map(all(), outline))
      const lines = ["1 segment", "2 commit^2/0"]
      assert.deepStrictEqual(yield* Effect.provide(log, MemoryLog.layer), lines)
      assert.deepStrictEqual(yield* Effect.provide(log, MemoryLog.layer), lines)
    }))
})
