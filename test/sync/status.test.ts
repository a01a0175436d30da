import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import { Connectors } from "../../services/Connectors.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { Projection } from "../../services/Projection.ts"
import { DocId } from "../../src/domain/Ids.ts"
import type { ConnectorStatus } from "../../src/domain/StatusReport.ts"
import { exclude } from "../../src/sync/exclude.ts"
import { rebuild } from "../../src/sync/rebuild.ts"
import { references } from "../../src/sync/references.ts"
import { notConfigured, status } from "../../src/sync/status.ts"
import { document, faulty, first, inTime, linesOf, many, notes, notesOf, passages } from "./Given.ts"
import type { World } from "./Harness.ts"

const of = (world: World) => world.process(status)

const connector = (world: World): Effect.Effect<ConnectorStatus, unknown> =>
  Effect.map(of(world), ({ connectors }) => first(connectors))

describe("mem status", () => {
  it.effect("khoj-ai/khoj#1363: counts what is stored, and names what is not with its reason", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([...many(3), document("bad"), document("gone")])
      yield* control.failFetch("bad", { retryable: false })
      yield* control.setAvailability("gone", "unavailable")
      const before = yield* connector(world)
      assert.deepInclude(before, { documents: 0, chunks: 0, last_sync: null, failed: [], skipped: [], pending: 0 })
      yield* run()
      const after = yield* connector(world)
      assert.deepInclude(after, { name: notes, kind: "vec", documents: 3, chunks: 9, pending: 0 })
      assert.deepStrictEqual(after.failed.map(({ doc_id, error, retryable }) => [doc_id, error, retryable]), [
        ["bad", "fetch", false]
      ])
      assert.include(after.failed[0]?.message, "bad: ")
      assert.deepStrictEqual(after.skipped.map(({ doc_id, reason }) => [doc_id, reason]), [["gone", "unavailable"]])
      assert.isNotNull(after.last_sync)
    }))

  it.effect("tobi/qmd#915: counts documents that a sync which was cut short has still to do", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("hung"), ...many(4)])
      yield* control.onFetch("hung", Effect.never)
      const four = yield* Deferred.make<void>()
      const written = yield* Ref.make(0)
      const fiber = yield* Effect.fork(run({}, (program) =>
        Effect.updateService(program, LogWriter, (writer) => ({
          ...writer,
          append: (groups) =>
            Effect.tap(writer.append(groups), () =>
              Effect.flatMap(
                Ref.updateAndGet(written, (n) => n + 1),
                (n) => n === 4 ? Deferred.succeed(four, undefined) : Effect.void
              ))
        }))))
      yield* Deferred.await(four)
      // While it runs, too.
      assert.deepInclude(yield* connector(world), { pending: 1, documents: 4, chunks: 12 })
      yield* Fiber.interrupt(fiber)
      assert.deepInclude(yield* connector(world), { pending: 1, documents: 4, failed: [] })
      const fetching = yield* Deferred.make<void>()
      yield* control.onFetch("hung", Effect.zipRight(Deferred.succeed(fetching, undefined), Effect.never))
      const again = yield* Effect.fork(run())
      yield* Deferred.await(fetching)
      yield* Fiber.interrupt(again)
      assert.deepInclude(yield* connector(world), { pending: 1, documents: 4 })
      yield* control.healFetch("hung")
      yield* run()
      assert.deepInclude(yield* connector(world), { pending: 0, documents: 5, chunks: 15 })
    }))

  it.scoped("tobi/qmd#637: one whose embedder fails half way is named as failed, and the finished ones are not", () =>
    Effect.gen(function*() {
      const { embedder, inject } = yield* faulty
      const { control, run, world } = yield* notesOf([document("done")], { embedder })
      yield* run()
      yield* inject({ fail: { calls: () => true, retryable: true } })
      yield* control.put(document("book", "book", 10))
      yield* inTime(run())
      const { documents, failed, pending } = yield* connector(world)
      assert.deepStrictEqual([documents, failed.map(({ doc_id }) => String(doc_id)), pending], [1, ["book"], 0])
    }))

  it.effect("tobi/qmd#768: tells how much of the log no longer stands for anything", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf(many(3))
      yield* run()
      assert.strictEqual((yield* of(world)).log.dead, 0)
      for (let edit = 1; edit <= 10; edit++) {
        yield* control.put(document("d0.txt", `edit ${edit}`))
        yield* run()
      }
      const { log } = yield* of(world)
      const live = yield* passages(world)
      const counted = yield* Effect.forEach(["vector", "reference", "tombstone", "commit"], (kind) =>
        Effect.map(linesOf(world, kind), ({ length }) => length))
      // A passage, its vector, and a commit a document.
      const alive = live.length + new Set(live.map(({ embedding }) =>
        embedding
      )).size + 3
      assert.strictEqual(log.dead, counted.reduce((sum, n) => sum + n, 0) - alive)
      assert.strictEqual(log.records, (yield* world.lines).length)
      assert.isAbove(log.dead, 0)
    }))

  it.effect("langchain-ai/langchain#39937: says that the index is lost, and a rebuild brings it back without a fetch", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf(many(3))
      yield* run()
      assert.deepInclude((yield* of(world)).projection, { state: "current", behind: 0 })
      yield* world.process(Effect.flatMap(Projection, ({ clear }) => clear))
      assert.strictEqual((yield* of(world)).projection.state, "missing")
      yield* control.resetCounts
      const before = yield* world.counts
      yield* world.process(rebuild)
      assert.strictEqual((yield* of(world)).projection.state, "current")
      assert.deepStrictEqual(yield* world.counts, before)
      assert.strictEqual((yield* control.counts).fetches, 0)
    }))

  it.effect("names a document that was taken out at once, and a connector that is configured no more", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf(many(2))
      yield* run()
      yield* world.process(exclude(notes, DocId.make("d0.txt")))
      const { documents, skipped } = yield* connector(world)
      assert.deepStrictEqual([documents, skipped.map(({ doc_id, reason }) => [doc_id, reason])], [1, [[
        DocId.make("d0.txt"),
        "excluded"
      ]]])
      const listed = yield* world.process(references)
      assert.deepStrictEqual(listed.documents.map(({ chunks, doc_id, excluded }) => [doc_id, chunks, excluded]), [
        [DocId.make("d0.txt"), 0, true],
        [DocId.make("d1.txt"), 3, false]
      ])

      const nobody = Effect.provideService(status, Connectors, {
        configured: [],
        get: () => Effect.dieMessage("nobody is configured")
      })
      const { connectors: [stranger] } = yield* world.process(nobody)
      assert.deepInclude(stranger, { name: notes, kind: notConfigured, documents: 1, chunks: 3 })
    }))
})
