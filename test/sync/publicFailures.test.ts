/**
 * What other tools were reported to do wrong when an embedder fails, a source does not answer or the run is cut short,
 * and what mem does instead. Each test that is named by a report replays it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ConnectorError } from "../../src/domain/ConnectorErrors.ts"
import { ConnectorName, DocId } from "../../src/domain/Ids.ts"
import { defaults as defaultPolicy } from "../../src/sync/DocumentPolicy.ts"
import type { SyncOptions } from "../../src/sync/sync.ts"
import {
  type Around,
  document,
  documentsOf,
  failedOf,
  faulty,
  first,
  idsOf,
  inTime,
  linesOf,
  many,
  notes,
  notesOf,
  otherModel,
  paragraph,
  passages,
  powerCutAt,
  synced,
  text,
  withEmbedder,
  withoutDisk
} from "./Given.ts"
import { vec, type World } from "./Harness.ts"

/** How many documents were committed, by the log. */
const commits = (world: World) => Effect.map(linesOf(world, "commit"), ({ length }) => length)

describe("an embedder that fails", () => {
  it.scoped("run-llama/llama_index#22639: the old version stays live until the new one is embedded", () =>
    Effect.gen(function*() {
      const { embedder, inject } = yield* faulty
      const { control, run, world } = yield* notesOf([document("a"), document("b")], { embedder })
      yield* run()
      yield* control.put(document("a", "second"))
      yield* inject({ fail: { calls: () => true, retryable: true } })
      const report = yield* inTime(run())
      assert.deepInclude(report, { status: "partial", changed: 0, unchanged: 1, chunks_tombstoned: 0 })
      assert.deepInclude(first(report.failed), { doc_id: DocId.make("a"), error: "embed", retryable: true })
      assert.strictEqual((yield* documentsOf(world)).get("a"), text("a"))
      yield* inject({})
      assert.deepInclude(yield* run(), { status: "ok", changed: 1, unchanged: 1 })
      assert.strictEqual((yield* documentsOf(world)).get("a"), text("second"))
      assert.strictEqual((yield* failedOf(world)).size, 0)
    }))

  it.scoped("run-llama/llama_index#22816: a new document that failed once is embedded by the next sync", () =>
    Effect.gen(function*() {
      const { embedder, inject } = yield* faulty
      const { run, world } = yield* notesOf([document("a")], { embedder })
      yield* inject({ fail: { calls: () => true, retryable: true } })
      assert.deepInclude(yield* inTime(run()), { status: "partial", new: 0 })
      assert.lengthOf(yield* linesOf(world, "commit"), 0)
      yield* inject({})
      assert.deepInclude(yield* run(), { status: "ok", new: 1, embed_texts: 3 })
      assert.lengthOf(yield* passages(world), 3)
    }))

  it.scoped("tobi/qmd#637: a document is done when all of its passages are, not when the first one is", () =>
    Effect.gen(function*() {
      const { embedder, inject } = yield* faulty
      const { run, world } = yield* notesOf([document("book", "book", 10), document("b")], { embedder })
      yield* inject({ refuse: { texts: [paragraph("book", 4)], retryable: true } })
      const report = yield* run()
      assert.deepInclude(report, { status: "partial", new: 1, chunks_added: 3 })
      assert.deepStrictEqual(report.failed.map(({ doc_id }) => doc_id), [DocId.make("book")])
      assert.deepStrictEqual(yield* idsOf(world), ["b"])
      yield* inject({})
      assert.deepInclude(yield* run(), { status: "ok", new: 1, unchanged: 1 })
      assert.strictEqual((yield* documentsOf(world)).get("book"), text("book", 10))
    }))

  it.scoped("openclaw/openclaw#59137: a batch that fails once is tried again alone", () =>
    Effect.gen(function*() {
      const { embedder, inject } = yield* faulty
      const { run, world } = yield* notesOf([document("a", "a", 150)], { embedder })
      yield* inject({ fail: { calls: (n) => n === 3, retryable: true } })
      const report = yield* inTime(run())
      assert.deepInclude(report, { status: "ok", new: 1, chunks_added: 150 })
      assert.deepStrictEqual(yield* world.counts, { calls: 4, texts: 150 + 22 })
      // What reached the real embedder, the second try of it too.
      assert.deepInclude(report, { embed_calls: 4, embed_texts: 150 + 22 })
    }))

  it.scoped("langchain-ai/langchain#40226: a text that is refused fails its document by name, and no other", () =>
    Effect.gen(function*() {
      const { embedder, inject } = yield* faulty
      const { run, world } = yield* notesOf([document("a"), document("b"), document("c")], { embedder })
      yield* inject({ refuse: { texts: [paragraph("b", 2)], retryable: true } })
      const report = yield* run()
      assert.deepInclude(report, { status: "partial", new: 2, embed_texts: 9 })
      assert.deepInclude(first(report.failed), { doc_id: DocId.make("b"), error: "embed", retryable: true })
      assert.deepStrictEqual(yield* idsOf(world), ["a", "c"])
      assert.deepInclude(first((yield* failedOf(world)).values()), {
        doc_id: DocId.make("b"),
        outcome: "failed",
        attempts: 1
      })
      yield* inject({})
      assert.deepInclude(yield* run(), { status: "ok", new: 1, unchanged: 2, embed_texts: 3 })
    }))

  const refusing = Effect.gen(function*() {
    const { embedder, inject } = yield* faulty
    yield* inject({ refuse: { texts: [paragraph("b", 2)], retryable: false } })
    const given = yield* notesOf([document("a"), document("b"), document("c")], { embedder })
    const report = yield* given.run()
    assert.deepInclude(report, { status: "partial", new: 2, fetched: 3 })
    assert.deepInclude(first(report.failed), { doc_id: DocId.make("b"), error: "embed", retryable: false })
    yield* given.control.resetCounts
    return { ...given, inject }
  })

  it.scoped(
    "AperturePlus/augmented-codebase-indexer#3, 54yyyu/zotero-mcp#134, tobi/qmd#303, oguzbilgic/kern-ai#315: "
      + "a text over the model's limit costs its own document, once",
    () =>
      Effect.gen(function*() {
        const { control, run, world } = yield* refusing
        const again = yield* run()
        assert.deepInclude(again, { status: "partial", unchanged: 2, fetched: 0, embed_calls: 0 })
        assert.deepStrictEqual(again.failed.map(({ doc_id, retryable }) => [doc_id, retryable]), [["b", false]])
        assert.strictEqual((yield* control.counts).fetches, 0)
        assert.deepStrictEqual(yield* idsOf(world), ["a", "c"])
        yield* control.put(document("b", "shorter"))
        assert.deepInclude(yield* run(), { status: "ok", new: 1, unchanged: 2 })
      })
  )

  it.scoped("a text that one model refused is tried with another model", () =>
    Effect.gen(function*() {
      const { run, world } = yield* refusing
      const report = yield* run({}, withEmbedder(otherModel))
      assert.deepInclude(report, { status: "ok", new: 1, stale: 2 })
      assert.deepStrictEqual(yield* idsOf(world), ["a", "b", "c"])
    }))

  it.scoped("a text that was refused is tried again once documents are cut smaller, as the error advises", () =>
    Effect.gen(function*() {
      const { run, world } = yield* refusing
      const report = yield* run({ policyOf: () => ({ ...defaultPolicy, max_tokens: 20 }) })
      assert.deepInclude(report, { status: "ok", new: 1, stale: 2 })
      assert.deepStrictEqual(yield* idsOf(world), ["a", "b", "c"])
    }))

  it.scoped("volcengine/OpenViking#2132: an answer that is final is not asked for again within the run", () =>
    Effect.gen(function*() {
      const { embedder, inject } = yield* faulty
      const { run, world } = yield* notesOf([document("a")], { embedder })
      yield* inject({ fail: { calls: () => true, retryable: false } })
      assert.deepInclude(yield* run(), { status: "partial", new: 0 })
      assert.strictEqual((yield* world.counts).calls, 1)
    }))

  it.scoped("an embedder that could not be used (a wrong key) condemns no document", () =>
    Effect.gen(function*() {
      const { embedder, inject } = yield* faulty
      const { run, world } = yield* notesOf([document("a"), document("b")], { embedder })
      yield* inject({ fail: { calls: () => true, retryable: false } })
      assert.deepInclude(yield* run(), { status: "partial", new: 0 })
      yield* inject({})
      assert.deepInclude(yield* run(), { status: "ok", new: 2 })
      assert.deepStrictEqual(yield* idsOf(world), ["a", "b"])
    }))

  it.scoped("vectors of another length than declared are stored nowhere; those of a failed document are kept", () =>
    Effect.gen(function*() {
      const { embedder, inject } = yield* faulty
      const { run, world } = yield* notesOf([document("a")], { embedder, cached: true })
      yield* inject({ answerDims: 8 })
      const report = yield* run()
      assert.deepInclude(report, { status: "partial", new: 0 })
      assert.include(first(report.failed).message, "8 values")
      assert.lengthOf(yield* linesOf(world, "vector"), 0)
      yield* inject({ refuse: { texts: [paragraph("a", 2)], retryable: true } })
      assert.deepInclude(yield* run(), { status: "partial", new: 0, embed_texts: 3 })
      assert.deepStrictEqual((yield* world.lines).map(({ record }) => record.kind), ["segment", "vector", "vector"])
      yield* inject({})
      assert.deepInclude(yield* run(), { status: "ok", new: 1, embed_texts: 1, reused: 2 })
      assert.lengthOf(yield* linesOf(world, "vector"), 3)
    }))

  for (const content_hash of [true, false]) {
    it.scoped(
      `a move whose new place cannot be embedded leaves the old one live (${content_hash ? "a hash" : "a revision"})`,
      () =>
        Effect.gen(function*() {
          const { embedder, inject } = yield* faulty
          const { control, run, world } = yield* notesOf([document("a"), document("z")], {
            embedder,
            listing: { content_hash, revision: !content_hash }
          })
          yield* run()
          yield* control.rename("a", "b")
          yield* inject({ fail: { calls: () => true, retryable: true } })
          assert.deepInclude(yield* inTime(run()), { status: "partial", moved: 0, removed: 0 })
          assert.deepStrictEqual(yield* idsOf(world), ["a", "z"])
          yield* inject({})
          assert.deepInclude(yield* run(), { status: "ok", moved: 1, removed: 0 })
          assert.deepStrictEqual(yield* idsOf(world), ["b", "z"])
        })
    )
  }
})

describe("a run that is cut short", () => {
  it.effect("Kilo-Org/kilocode#14083: what a run had committed is not done again", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf(many(5))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(run({}, powerCutAt(4)))))
      assert.strictEqual(yield* commits(world), 3)
      const { texts } = yield* world.counts
      yield* control.resetCounts
      assert.deepInclude(yield* run(), { status: "ok", resumed: 3, new: 2, unchanged: 3, fetched: 2, embed_texts: 6 })
      assert.strictEqual((yield* control.counts).fetches, 2)
      assert.strictEqual((yield* world.counts).texts - texts, 6)
      assert.lengthOf(yield* passages(world), 15)
      assert.deepInclude(yield* run(), { resumed: 0, unchanged: 5, fetched: 0 })
    }))

  it.effect("asks the log for no more than was written since it began", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf(many(20))
      yield* run()
      const before = (yield* world.lines).length
      for (const n of [0, 1, 2]) yield* control.put(document(`d${n}.txt`, "other"))
      yield* control.remove("d3.txt")
      yield* Effect.exit(run({}, powerCutAt(3)))
      const read = yield* Ref.make(0)
      const counting: Around = (program) =>
        Effect.updateService(program, LogReader, (reader) => ({
          ...reader,
          records: (from) => Stream.tap(reader.records(from), () => Ref.update(read, (n) => n + 1))
        }))
      assert.deepInclude(yield* run({}, counting), { resumed: 2, changed: 1, removed: 1, unchanged: 18, fetched: 1 })
      // Once for the manifest, and to its end for the projection.
      const since = (yield* world.lines).length - before
      assert.isAtLeast(yield* Ref.get(read), since)
      assert.isBelow(yield* Ref.get(read), 2 * since)
      assert.lengthOf(yield* passages(world), 19 * 3)
      assert.deepInclude(yield* run(), { resumed: 0, unchanged: 19, fetched: 0 })
    }))

  it.effect("zilliztech/claude-context#425: however early a run dies, the next ones end in the same state", () =>
    Effect.gen(function*() {
      const whole = yield* notesOf(many(40))
      yield* whole.run()
      const expected = yield* passages(whole.world)
      for (const write of [1, 2, 20, 40]) {
        const { run, world } = yield* notesOf(many(40))
        yield* Effect.exit(run({}, powerCutAt(write)))
        assert.strictEqual((yield* world.manifest(notes).pipe(Effect.orElseSucceed(() => new Map()))).size, 0)
        const report = yield* run()
        assert.deepInclude(report, { status: "ok", resumed: write - 1, unchanged: write - 1, new: 41 - write })
        assert.deepStrictEqual(yield* passages(world), expected)
        assert.strictEqual((yield* world.manifest(notes)).size, 40)
      }
    }))

  it.effect("tobi/qmd#724, tobi/qmd#935: a run that is stopped half way goes on where it was", () =>
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
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.strictEqual((yield* control.counts).in_flight, 0)
      yield* control.healFetch("hung")
      yield* control.resetCounts
      assert.deepInclude(yield* run(), { status: "ok", resumed: 4, new: 1, unchanged: 4, fetched: 1, embed_texts: 3 })
      assert.lengthOf(yield* passages(world), 15)
    }))

  it.effect("a full disk stops the run, and costs nothing that was stored", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.put(document("a", "second"))
      const exit = yield* Effect.exit(run({}, (program) =>
        Effect.updateService(program, ManifestStore, (store) => ({
          ...store,
          save: () => Effect.dieMessage("the disk is full")
        }))))
      assert.isTrue(Exit.isFailure(exit))
      assert.deepInclude(yield* run(), { status: "ok", resumed: 1, changed: 0, unchanged: 2, fetched: 0 })
      assert.strictEqual((yield* documentsOf(world)).get("a"), text("second"))
    }))
})

describe("a source that does not answer", () => {
  it.effect("a failure that may pass is tried again with growing pauses, and no other", () =>
    Effect.gen(function*() {
      const { control, run } = yield* notesOf([document("a"), document("b")])
      const times = yield* Ref.make<ReadonlyArray<number>>([])
      yield* control.failFetch("a", { retryable: true, times: 2 })
      const { connector, control: timed } = yield* vec("timed", [document("a")])
      yield* timed.failFetch("a", { retryable: true, times: 3 })
      const world = yield* withoutDisk({
        connectors: [{
          ...connector,
          fetch: (ref) =>
            Effect.zipRight(
              Effect.flatMap(Clock.currentTimeMillis, (now) => Ref.update(times, (all) => [...all, now])),
              connector.fetch(ref)
            )
        }]
      })
      assert.deepInclude(yield* inTime(run()), { status: "ok", new: 2, fetched: 2 })
      assert.deepStrictEqual((yield* control.counts).fetches_by_id, new Map([["a", 3], ["b", 1]]))
      assert.deepInclude((yield* inTime(synced(world)))("timed"), { status: "ok", new: 1 })
      const [first = 0, second = 0, third = 0, fourth = 0] = yield* Ref.get(times)
      assert.lengthOf(yield* Ref.get(times), 4)
      assert.isAtLeast(second - first, 400)
      assert.isAtLeast(third - second, 800)
      assert.isAtLeast(fourth - third, 1600)
      assert.isAtMost(fourth - first, 5000)
    }))

  it.effect("a failure that does not pass ends as a retryable one, and the next sync tries it anew", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* control.failFetch("a", { retryable: true })
      for (const attempts of [1, 2]) {
        yield* control.resetCounts
        const report = yield* inTime(run())
        assert.strictEqual(report.status, "partial")
        assert.deepInclude(first(report.failed), { doc_id: DocId.make("a"), error: "fetch", retryable: true })
        assert.strictEqual((yield* control.counts).fetches_by_id.get("a"), 4)
        assert.strictEqual((yield* failedOf(world)).get(DocId.make("a"))?.attempts, attempts)
      }
      yield* control.healFetch("a")
      assert.deepInclude(yield* run(), { status: "ok", new: 1, unchanged: 1 })
    }))

  for (const content_hash of [true, false]) {
    it.effect(`a failure that is final is not fetched again while the ${content_hash ? "hash" : "revision"} is equal`, () =>
      Effect.gen(function*() {
        const { control, run, world } = yield* notesOf([document("a"), document("b")], {
          listing: { content_hash, revision: !content_hash }
        })
        yield* control.failFetch("a", { reason: "refused" })
        assert.deepInclude(yield* run(), { status: "partial", new: 1 })
        assert.strictEqual((yield* control.counts).fetches_by_id.get("a"), 1)
        const failed = yield* failedOf(world)
        yield* control.resetCounts
        const again = yield* run()
        assert.deepInclude(again, { status: "partial", unchanged: 1, fetched: 0 })
        assert.deepInclude(first(again.failed), { doc_id: DocId.make("a"), error: "refused", retryable: false })
        assert.strictEqual((yield* control.counts).fetches, 0)
        assert.deepStrictEqual(yield* failedOf(world), failed)
        yield* control.healFetch("a")
        yield* control.put(document("a", "second"))
        assert.deepInclude(yield* run(), { status: "ok", new: 1, unchanged: 1 })
        assert.strictEqual((yield* failedOf(world)).size, 0)
      }))
  }

  it.effect("the fetch limit is reached and never exceeded", () =>
    Effect.gen(function*() {
      for (const max_concurrent_fetches of [1, 3, 8]) {
        const { control, run } = yield* notesOf(many(30), { limits: { max_concurrent_fetches } })
        for (const { doc_id } of many(30)) yield* control.onFetch(doc_id, Effect.sleep("1 second"))
        assert.deepInclude(yield* inTime(run()), { status: "ok", new: 30 })
        assert.strictEqual((yield* control.counts).peak_in_flight, max_concurrent_fetches)
      }
    }))

  it.effect("a fetch that hangs holds up no other, and fails when its time is up", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("hung"), ...many(40)], {
        limits: { max_concurrent_fetches: 4, fetch_timeout: Duration.seconds(30) }
      })
      yield* control.onFetch("hung", Effect.never)
      const all = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(run({}, (program) =>
        Effect.updateService(program, LogWriter, (writer) => ({
          ...writer,
          append: (groups) =>
            Effect.tap(writer.append(groups), () =>
              Effect.flatMap(
                commits(world).pipe(Effect.orDie),
                (n) => n === 40 ? Deferred.succeed(all, undefined) : Effect.void
              ))
        }))))
      yield* Deferred.await(all)
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual((yield* control.counts).in_flight, 1)
      yield* TestClock.adjust("2 seconds")
      const report = yield* Fiber.join(fiber)
      assert.deepInclude(report, { status: "partial", new: 40 })
      assert.deepInclude(first(report.failed), { doc_id: DocId.make("hung"), error: "timeout", retryable: true })
      assert.strictEqual((yield* control.counts).in_flight, 0)
    }))

  const starts = (starts_per_second: number, documents: number) =>
    Effect.gen(function*() {
      const times = yield* Ref.make<ReadonlyArray<number>>([])
      const { connector, control } = yield* vec(notes, many(documents), { limits: { starts_per_second } })
      const note = Effect.flatMap(Clock.currentTimeMillis, (now) => Ref.update(times, (all) => [...all, now]))
      const world = yield* withoutDisk({
        connectors: [{ ...connector, fetch: (ref) => Effect.zipRight(note, connector.fetch(ref)) }]
      })
      const run = (options?: Partial<SyncOptions>) => Effect.map(inTime(synced(world, options)), (of) => of(notes))
      return { control, run, times: Ref.get(times) }
    })

  /** The most of them within any one second. */
  const densest = (times: ReadonlyArray<number>) =>
    Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1000).length))

  it.effect("no more fetches begin in a second than the source allows", () =>
    Effect.gen(function*() {
      const { run, times } = yield* starts(4, 10)
      assert.deepInclude(yield* run(), { status: "ok", new: 10 })
      assert.lengthOf(yield* times, 10)
      assert.isAtMost(densest(yield* times), 4)
      assert.isAtMost(Math.max(...yield* times), 2500)
    }))

  it.effect("a fetch that is tried again keeps to the source's pace", () =>
    Effect.gen(function*() {
      const { control, run, times } = yield* starts(1, 4)
      yield* control.failFetch("d0.txt", { retryable: true, times: 2 })
      assert.deepInclude(yield* run(), { status: "ok", new: 4 })
      assert.lengthOf(yield* times, 6)
      assert.isAtMost(densest(yield* times), 1)
    }))

  it.effect("documents that are taken from the log do not wait for the source's pace", () =>
    Effect.gen(function*() {
      const { run } = yield* starts(1, 5)
      yield* run()
      const before = yield* Clock.currentTimeMillis
      const report = yield* run({ policyOf: () => ({ ...defaultPolicy, max_tokens: 20 }) })
      assert.deepInclude(report, { stale: 5, fetched: 0 })
      assert.isAtMost((yield* Clock.currentTimeMillis) - before, 1000)
    }))

  it.effect("a connector that cannot be opened fails alone", () =>
    Effect.gen(function*() {
      const good = yield* vec("good", [document("a")])
      const broken = new ConnectorError({
        connector: ConnectorName.make("broken"),
        operation: "open",
        detail: "no token",
        advice: "set one",
        retryable: false
      })
      const world = yield* withoutDisk({ connectors: [broken, good.connector] })
      const report = yield* synced(world)
      assert.deepInclude(report("good"), { status: "ok", new: 1 })
      assert.deepInclude(report("broken"), { status: "failed", listed: 0 })
      assert.strictEqual(report("broken").error?.code, "ConnectorError")
      assert.lengthOf(yield* passages(world), 3)
    }))
})
