import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { createHash } from "node:crypto"
import * as Cached from "../../layers/Embedder/Cached.ts"
import * as Counting from "../../layers/Embedder/Counting.ts"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import * as Sqlite from "../../layers/Projection/Sqlite.ts"
import { Embedder } from "../../services/Embedder.ts"
import type { LogReader } from "../../services/LogReader.ts"
import type { Projection } from "../../services/Projection.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { EmbedderFingerprint, Seq, Sha256, Timestamp } from "../../src/domain/Ids.ts"
import { LogDamaged, LogFsError } from "../../src/domain/LogErrors.ts"
import { Vector } from "../../src/domain/Reference.ts"
import * as Float32 from "../../src/log/Float32.ts"
import { catchUp } from "../../src/sync/CatchUp.ts"
import { contract, vectors } from "../contracts/Embedder.ts"
import * as Faulty from "../fixtures/FaultyEmbedder.ts"
import * as MemoryLogReader from "../fixtures/MemoryLogReader.ts"

const counted = Counting.layer.pipe(Layer.provide(Hashed.layer()))

interface Cache {
  readonly name: string
  readonly layer: Layer.Layer<Embedder, never, Embedder | LogReader>
  /** Whether nobody but the cache reads the log. */
  readonly alone: boolean
}

/** The search index in memory, its tables caught up with the log before each question, or never. */
const searchIndex = (caughtUp: boolean): Layer.Layer<VectorIndex, never, LogReader> =>
  Layer.effect(
    VectorIndex,
    Effect.gen(function*() {
      const { positions } = yield* VectorIndex
      const services = yield* Effect.context<Projection | LogReader>()
      const before = caughtUp ? Effect.ignore(Effect.provide(catchUp, services)) : Effect.void
      return VectorIndex.of({ positions: (kind, texts) => Effect.zipRight(before, positions(kind, texts)) })
    })
  ).pipe(Layer.provide(Layer.orDie(Sqlite.memory())))

const caches: ReadonlyArray<Cache> = [
  { name: "Cached", layer: Cached.layer, alone: true },
  {
    name: "Cached, over an empty search index",
    layer: Cached.layerIndexed.pipe(Layer.provide(searchIndex(false))),
    alone: true
  },
  {
    name: "Cached, over a search index",
    layer: Cached.layerIndexed.pipe(Layer.provide(searchIndex(true))),
    alone: false
  }
]

const cachedBy = (cache: Cache["layer"]) => (log: MemoryLogReader.MemoryLog, faults: Faulty.Faults = {}) =>
  cache.pipe(
    Layer.provideMerge(Counting.layer),
    Layer.provideMerge(Faulty.layer(faults)),
    Layer.provide([Hashed.layer(), log.layer])
  )

const sha256 = (text: string) => Sha256.make(createHash("sha256").update(text).digest("hex"))

interface Line {
  readonly values?: Float32Array
  readonly model?: string
  readonly dims?: number
  readonly segment?: number
}

/** Writes a text's vector to the log, as a sync would, at the next place. */
const write = (log: MemoryLogReader.MemoryLog, text: string, line: Line = {}) =>
  Effect.map(Hashed.make().embed([text]), ([answer = Either.right(new Float32Array())]) => {
    const { dims = 16, model = "hashed/1/16", segment = 1, values = Either.getOrThrow(answer) } = line
    const last = log.lines.at(-1)
    const offset = last === undefined || last.position.segment < segment ? 0 : last.position.offset + last.length
    log.lines.push({
      position: { segment, offset },
      length: 100,
      record: {
        v: 1,
        seq: Seq.make(log.lines.length + 1),
        at: Timestamp.make("2026-11-29T20:00:00.000Z"),
        kind: "vector",
        body: new Vector({
          embed_sha256: sha256(text),
          model: EmbedderFingerprint.make(model),
          dims,
          data: Float32.encode(values)
        })
      }
    })
  })

/** One that no embedder made: whoever answers it has read the log. */
const marker = Float32Array.from({ length: 16 }, (_, i) => i === 3 ? -1 : 0)

const counts = Effect.flatMap(Counting.CountingEmbedder, ({ counts }) => counts)

const missing = (...texts: ReadonlyArray<string>) => Effect.flatMap(Embedder, ({ missing }) => missing(texts))

const embed = (...texts: ReadonlyArray<string>) => Effect.flatMap(Embedder, ({ embed }) => embed(texts))

const warnings = () => {
  const messages: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void messages.push(`${logLevel.label} ${String(message)}`))
  return { messages, layer: Logger.replace(Logger.defaultLogger, logger) }
}

contract("Hashed", Hashed.layer())
contract("Hashed of 3 dims", Hashed.layer({ dims: 3 }))
contract("Hashed of 384 dims", Hashed.layer({ dims: 384 }))
contract("Counting", counted)
const [first, , last] = caches
for (const { layer, name } of [first, last].flatMap((cache) => cache === undefined ? [] : [cache])) {
  contract(name, cachedBy(layer)(MemoryLogReader.make()))
}

describe("Embedder/Hashed", () => {
  it("names its dims", () => {
    assert.strictEqual(Hashed.make().fingerprint, "hashed/1/16")
    assert.strictEqual(Hashed.make({ dims: 4 }).fingerprint, "hashed/1/4")
  })

  it.effect("keeps its vectors from one version to the next: logs hold them", () =>
    Effect.map(
      vectors(["harbour"]).pipe(Effect.provide(Hashed.layer({ dims: 4 }))),
      ([vector = new Float32Array()]) => assert.strictEqual(Float32.encode(vector), "AAAAAKuqKr+rqio/q6qqvg==")
    ))

  it.effect("puts texts that share their spelling closer together", () =>
    Effect.gen(function*() {
      const [a = [], b = [], c = []] = yield* vectors(["the harbour lease", "the harbour leases", "zinc quota 17"])
      const dot = (x: Iterable<number>, y: ReadonlyArray<number> | Float32Array) =>
        Array.from(x).reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0)
      assert.isAbove(dot(a, b), dot(a, c) + 0.3)
    }).pipe(Effect.provide(Hashed.layer({ dims: 64 }))))
})

describe("Embedder/Counting", () => {
  it.effect("counts calls and texts that reach the embedder, failed calls too", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* counts, { calls: 0, texts: 0 })
      yield* embed("a", "b")
      yield* missing("a", "b", "c")
      yield* Effect.flip(embed("c"))
      assert.deepStrictEqual(yield* counts, { calls: 2, texts: 3 })
    }).pipe(
      Effect.provide(
        Counting.layer.pipe(
          Layer.provide(Faulty.layer({ fail: { calls: (n) => n === 2, retryable: true } })),
          Layer.provide(Hashed.layer())
        )
      )
    ))
})

for (const { alone, layer: cache, name } of caches) {
  describe(`Embedder/${name}`, () => {
    const cached = cachedBy(cache)

    it.effect("asks for nothing that the log has", () => {
      const log = MemoryLogReader.make()
      return Effect.gen(function*() {
        yield* write(log, "a", { values: marker })
        yield* write(log, "b", { segment: 2 })
        assert.deepStrictEqual(yield* missing("a", "b"), [])
        const [a, b, again] = yield* vectors(["a", "b", "a"])
        assert.deepStrictEqual(a, marker)
        assert.deepStrictEqual(again, marker)
        assert.deepStrictEqual([b], yield* Effect.provide(vectors(["b"]), Hashed.layer()))
        assert.deepStrictEqual(yield* counts, { calls: 0, texts: 0 })
        if (alone) assert.strictEqual(log.reads.at, 2)
      }).pipe(Effect.provide(cached(log)))
    })

    it.effect("hands on the rest in one call, each text once, and puts every answer at its place", () => {
      const log = MemoryLogReader.make()
      return Effect.gen(function*() {
        yield* write(log, "known", { values: marker })
        assert.deepStrictEqual(yield* missing("x", "known", "y", "x"), ["x", "y"])
        const answers = yield* vectors(["x", "known", "y", "x"])
        const [x, y] = yield* Effect.provide(vectors(["x", "y"]), Hashed.layer())
        assert.deepStrictEqual(answers, [x, marker, y, x])
        assert.deepStrictEqual(yield* counts, { calls: 1, texts: 2 })
      }).pipe(Effect.provide(cached(log)))
    })

    if (alone) {
      it.effect("reads the log when first asked, and then only what is new", () => {
        const log = MemoryLogReader.make()
        return Effect.gen(function*() {
          yield* write(log, "a")
          yield* write(log, "b")
          yield* embed()
          yield* missing()
          assert.deepStrictEqual(log.reads, { lines: 0, records: 0, at: 0 })
          yield* missing("a")
          assert.strictEqual(log.reads.lines, 2)
          yield* embed("c")
          assert.strictEqual(log.reads.lines, 2)
          yield* write(log, "c", { values: marker })
          yield* write(log, "d", { segment: 2 })
          assert.deepStrictEqual(yield* vectors(["c"]), [marker])
          assert.strictEqual(log.reads.lines, 4)
          assert.deepStrictEqual(yield* missing("a", "b", "c", "d", "e"), ["e"])
          assert.strictEqual(log.reads.lines, 4)
          assert.deepStrictEqual(yield* counts, { calls: 1, texts: 1 })
        }).pipe(Effect.provide(cached(log)))
      })
    }

    if (alone) {
      it.effect("is read once by callers that come together", () => {
        const log = MemoryLogReader.make()
        return Effect.gen(function*() {
          yield* write(log, "a")
          yield* Effect.forEach([1, 2, 3, 4], () => missing("a"), { concurrency: 4 })
          assert.strictEqual(log.reads.lines, 1)
        }).pipe(Effect.provide(cached(log)))
      })
    }

    it.effect("takes no vector of another model or length", () => {
      const log = MemoryLogReader.make()
      return Effect.gen(function*() {
        yield* write(log, "a", { model: "hashed/2/16" })
        yield* write(log, "b", { dims: 4, values: new Float32Array(4) })
        yield* write(log, "c", { values: new Float32Array(15) })
        assert.deepStrictEqual(yield* missing("a", "b"), ["a", "b"])
        const answers = yield* vectors(["a", "b", "c"])
        assert.deepStrictEqual(answers, yield* Effect.provide(vectors(["a", "b", "c"]), Hashed.layer()))
        assert.deepStrictEqual(yield* counts, { calls: 1, texts: 3 })
        assert.deepStrictEqual(yield* missing("c"), ["c"], "a bad line is missing once it was read")
      }).pipe(Effect.provide(cached(log)))
    })

    it.effect("takes the last of a text's lines", () => {
      const log = MemoryLogReader.make()
      return Effect.gen(function*() {
        yield* write(log, "a", { values: new Float32Array(15) })
        yield* write(log, "a", { values: marker })
        assert.deepStrictEqual(yield* vectors(["a"]), [marker])
      }).pipe(Effect.provide(cached(log)))
    })

    it.effect("takes no other record that stands at the place now", () => {
      const log = MemoryLogReader.make()
      return Effect.gen(function*() {
        yield* write(log, "a")
        yield* missing("a")
        log.lines.length = 0
        yield* write(log, "b", { values: marker })
        const answers = yield* vectors(["a"])
        assert.deepStrictEqual(answers, yield* Effect.provide(vectors(["a"]), Hashed.layer()))
      }).pipe(Effect.provide(cached(log)))
    })

    it.effect("embeds a text whose line is damaged or cannot be read, with a warning", () => {
      const log = MemoryLogReader.make()
      const { layer, messages } = warnings()
      return Effect.gen(function*() {
        yield* write(log, "a", { values: marker })
        log.failAt = new LogFsError({ operation: "read", path: "log/1", reason: "DeviceError" })
        const [a] = yield* Effect.provide(vectors(["a"]), Hashed.layer())
        assert.deepStrictEqual(yield* vectors(["a"]), [a])
        log.failAt = undefined
        assert.deepStrictEqual(yield* vectors(["a"]), [marker], "the disk answers again")
        log.failAt = new LogDamaged({ path: "log/1", offset: 0, detail: "bad checksum" })
        assert.deepStrictEqual(yield* vectors(["a"]), [a])
        assert.deepStrictEqual(yield* missing("a"), ["a"])
        assert.strictEqual(messages.length, 2)
        assert.match(messages[1] ?? "", /^WARN .*log\/1 is damaged at byte 0: bad checksum/)
      }).pipe(Effect.provide(Layer.merge(cached(log), layer)))
    })

    it.effect("goes on with what it has where the log cannot be read, and warns once", () => {
      const log = MemoryLogReader.make()
      const { layer, messages } = warnings()
      return Effect.gen(function*() {
        yield* write(log, "a", { values: marker })
        log.failRecords = new LogFsError({ operation: "read", path: "log/1", reason: "TooManyOpenFiles" })
        assert.deepStrictEqual(yield* missing("a", "b"), ["b"])
        const [a] = yield* vectors(["a", "b"])
        assert.deepStrictEqual(a, marker)
        assert.strictEqual(messages.length, 1)
        assert.match(messages[0] ?? "", /^WARN .*too many files are open/)
        yield* write(log, "b", { values: marker })
        log.failRecords = undefined
        assert.deepStrictEqual(yield* vectors(["b"]), [marker])
        if (alone) assert.strictEqual(log.reads.lines, 2)
        assert.strictEqual(messages.length, 1)
      }).pipe(Effect.provide(Layer.merge(cached(log), layer)))
    })

    it.effect("leaves a refusal at its place", () => {
      const log = MemoryLogReader.make()
      return Effect.gen(function*() {
        yield* write(log, "known", { values: marker })
        const answers = yield* embed("bad", "known", "good", "bad")
        assert.deepStrictEqual(answers.map((answer) => answer._tag), ["Left", "Right", "Right", "Left"])
      }).pipe(Effect.provide(cached(log, { refuse: { texts: ["bad"], retryable: false } })))
    })

    it.effect("fails with the embedder inside, and only where that is needed", () => {
      const log = MemoryLogReader.make()
      return Effect.gen(function*() {
        yield* write(log, "known", { values: marker })
        const error = yield* Effect.flip(embed("known", "new"))
        assert.deepInclude(error, { _tag: "EmbedderError", retryable: true })
        assert.deepStrictEqual(yield* vectors(["known"]), [marker])
        const { inject } = yield* Faulty.FaultyEmbedder
        yield* inject({ leaveOut: 1 })
        assert.match((yield* Effect.flip(embed("x", "y"))).message, /answered fewer texts/)
        yield* inject({ answerDims: 3 })
        assert.deepStrictEqual((yield* vectors(["new"])).map(({ length }) => length), [3], "not for a cache to judge")
      }).pipe(Effect.provide(cached(log, { fail: { calls: () => true, retryable: true } })))
    })

    it.effect("can be interrupted while the embedder hangs, and asked again", () => {
      const log = MemoryLogReader.make()
      return Effect.gen(function*() {
        const called = yield* Deferred.make<void>()
        const { inject } = yield* Faulty.FaultyEmbedder
        yield* inject({ hang: (n) => n === 1, gate: Effect.asVoid(Deferred.succeed(called, undefined)) })
        const fiber = yield* Effect.fork(vectors(["a"]))
        yield* Deferred.await(called)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual((yield* vectors(["a"])).length, 1)
      }).pipe(Effect.provide(cached(log)))
    })
  })
}
