import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Ref from "effect/Ref"
import * as TestClock from "effect/TestClock"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import * as Memory from "../../layers/Projection/Memory.ts"
import { Projection } from "../../services/Projection.ts"
import { ProjectionError } from "../../src/domain/StoreErrors.ts"
import { catchUp } from "../../src/sync/CatchUp.ts"
import { keepUp } from "../../src/sync/KeepUp.ts"
import { dumped } from "../contracts/Projection.ts"
import { append, group } from "../fixtures/LogGroups.ts"

const damaged = new ProjectionError({ path: "index", detail: "malformed", damaged: true })
const full = new ProjectionError({ path: "index", detail: "the disk is full", advice: "free some space" })

/** A projection whose `apply` fails as often as it is told to, and that counts how often it is cleared. */
const failing = Effect.gen(function*() {
  const inner = yield* Memory.make
  const failures = yield* Ref.make<ReadonlyArray<ProjectionError>>([])
  const cleared = yield* Ref.make(0)
  const projection = Projection.of({
    ...inner,
    clear: Effect.zipRight(Ref.update(cleared, (n) => n + 1), inner.clear),
    apply: (lines) =>
      Effect.flatMap(
        Ref.modify(failures, ([first, ...rest]) => [first, rest]),
        (error) => error === undefined ? inner.apply(lines) : Effect.fail(error)
      )
  })
  return { projection, failures, cleared: Ref.get(cleared) }
})

const size = Effect.map(dumped(), ({ length }) => length)

describe("catchUp", () => {
  it.effect("folds anew what turns out damaged, once, and nothing that is not", () =>
    Effect.gen(function*() {
      const { cleared, failures, projection } = yield* failing
      yield* Effect.gen(function*() {
        yield* append(group("a"))
        yield* catchUp
        yield* append(group("b"))
        yield* Ref.set(failures, [damaged])
        assert.strictEqual(yield* catchUp, 11)
        assert.deepStrictEqual([yield* size, yield* cleared], [4, 2])
        yield* append(group("c"))
        yield* Ref.set(failures, [full])
        assert.strictEqual(yield* Effect.flip(catchUp), full)
        assert.deepStrictEqual([yield* size, yield* cleared], [4, 2])
        yield* Ref.set(failures, [damaged, damaged])
        assert.strictEqual(yield* Effect.flip(catchUp), damaged)
        assert.strictEqual(yield* catchUp, 16)
        assert.strictEqual(yield* size, 6)
      }).pipe(Effect.provideService(Projection, projection))
    }).pipe(Effect.provide(MemoryLog.layer)))
})

describe("keepUp", () => {
  it.effect("shows what is committed while it is still at work, and all of it at the end", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const work = Effect.gen(function*() {
        yield* append(group("a"))
        yield* Deferred.await(gate)
        yield* append(group("b"))
        return "done"
      })
      const fiber = yield* Effect.fork(keepUp(work))
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* size, 0)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* size, 2)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(fiber), "done")
      assert.strictEqual(yield* size, 4)
    }).pipe(Effect.provide(Layer.merge(Memory.layer, MemoryLog.layer))))

  it.effect("says that what was stored is not in the index, and fails with what it does itself alone", () =>
    Effect.gen(function*() {
      const { failures, projection } = yield* failing
      const messages: Array<unknown> = []
      const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void messages.push(message)))
      yield* Effect.gen(function*() {
        yield* append(group("a"))
        yield* Ref.set(failures, [full, full])
        yield* keepUp(TestClock.adjust("11 seconds"))
        assert.strictEqual(yield* size, 2)
        yield* append(group("b"))
        yield* Ref.set(failures, [full])
        assert.strictEqual(yield* Effect.provide(keepUp(Effect.succeed("done")), logger), "done")
        assert.include(String(messages), `${full.message}. What was stored is safe`)
        assert.strictEqual(yield* Effect.flip(keepUp(Effect.fail("itself"))), "itself")
      }).pipe(Effect.provideService(Projection, projection))
    }).pipe(Effect.provide(MemoryLog.layer)))
})
