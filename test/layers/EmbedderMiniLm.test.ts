/** The embedder minilm around engines that are not there: what it asks of one, and when. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { batches, maxTokens } from "../../layers/Embedder/Local/Batches.ts"
import type { EngineProcess } from "../../layers/Embedder/Local/EngineProcess.ts"
import type * as Engines from "../../layers/Embedder/Local/Engines.ts"
import { brokenEngine, EngineUnusable } from "../../layers/Embedder/Local/Failure.ts"
import { mean, overlapOf, widthOf, windows } from "../../layers/Embedder/Local/Windows.ts"
import * as MiniLm from "../../layers/Embedder/MiniLm.ts"
import { unusableFile } from "../../layers/Embedder/MiniLm/Failure.ts"
import * as Model from "../../layers/Embedder/MiniLm/Model.ts"
import { onnxGraph } from "../../layers/Embedder/MiniLm/OnnxGraph.ts"
import * as Protobuf from "../../layers/Embedder/MiniLm/Protobuf.ts"
import * as Safetensors from "../../layers/Embedder/MiniLm/Safetensors.ts"
import { Embedder } from "../../services/Embedder.ts"
import { contract, vectors } from "../contracts/Embedder.ts"

type Sequences = ReadonlyArray<ReadonlyArray<number>>

/** Of length 1, and another one for each sequence. */
const vectorOf = (sequence: ReadonlyArray<number>): Float32Array => {
  const values = new Float64Array(384)
  sequence.forEach((id, i) => values[(id + 31 * i) % 384] = (values[(id + 31 * i) % 384] ?? 0) + 1 + id % 7)
  const length = Math.hypot(...values)
  return Float32Array.from(values, (value) => value / length)
}

interface Fake {
  readonly name?: string
  readonly remark?: string
  readonly start?: Effect.Effect<void, EngineUnusable | ReturnType<typeof unusableFile>>
  readonly run?: (sequences: Sequences) => ReturnType<EngineProcess["run"]>
}

/** An engine without a process, and what reached it. */
const fake = (
  { name = "fake", remark, run = (sequences) => Effect.succeed(sequences.map(vectorOf)), start = Effect.void }: Fake =
    {}
) => {
  const seen = { starts: 0, ended: 0, dead: false, batches: new Array<Sequences>() }
  const engine: Engines.Engine = {
    name,
    ...(remark === undefined ? {} : { remark }),
    probe: Effect.die("nobody asked for a probe"),
    start: () =>
      Effect.gen(function*() {
        seen.starts += 1
        seen.dead = false
        yield* Effect.acquireRelease(Effect.void, () => Effect.sync(() => seen.ended += 1))
        yield* start
        return {
          pid: undefined,
          isAlive: Effect.sync(() => !seen.dead),
          run: (sequences) => {
            seen.batches.push(sequences)
            return run(sequences)
          }
        }
      })
  }
  return { engine, seen }
}

const layer = (...engines: ReadonlyArray<Engines.Engine>) => MiniLm.layer({ engines })

const embed = (...texts: ReadonlyArray<string>) => Effect.flatMap(Embedder, ({ embed }) => embed(texts))

const messages = () => {
  const found: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void found.push(`${logLevel.label} ${String(message)}`))
  return { found, layer: Logger.replace(Logger.defaultLogger, logger) }
}

contract("MiniLm around a fake engine", layer(fake().engine))

describe("Embedder/MiniLm", () => {
  it.effect("starts nothing until a text is embedded, and then once", () => {
    const { engine, seen } = fake()
    return Effect.gen(function*() {
      const { counter, missing } = yield* Embedder
      assert.strictEqual(counter.count("unaffable"), 3)
      assert.deepStrictEqual(yield* missing(["a", "b"]), ["a", "b"])
      assert.deepStrictEqual(yield* embed(), [])
      assert.strictEqual(seen.starts, 0)
      yield* embed("a")
      yield* embed("b")
      assert.strictEqual(seen.starts, 1)
      assert.strictEqual(seen.ended, 0)
    }).pipe(Effect.provide(layer(engine)), Effect.tap(() => assert.strictEqual(seen.ended, 1)))
  })

  it.effect("is started once by callers that come together, though the first of them goes away", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { engine, seen } = fake({ start: Deferred.await(gate) })
      yield* Effect.gen(function*() {
        const first = yield* Effect.fork(embed("a"))
        const others = yield* Effect.fork(Effect.all([embed("b"), embed("c")], { concurrency: 2 }))
        while (seen.starts === 0) yield* Effect.yieldNow()
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed(gate, undefined)
        const answers = yield* Fiber.join(others)
        assert.strictEqual(answers.flat().filter(Either.isRight).length, 2)
        assert.strictEqual(seen.starts, 1)
      }).pipe(Effect.provide(layer(engine)))
    }))

  it.effect("takes the first engine that works here, and says so when it is not the first of all", () => {
    const { found, layer: logger } = messages()
    const unusable = fake({
      name: "native",
      start: Effect.fail(new EngineUnusable({ engine: "native", detail: "no such library" }))
    })
    const [second, third] = [fake({ name: "wasm", remark: "it is slow" }), fake()]
    return Effect.gen(function*() {
      yield* embed("a")
      yield* embed("b")
      assert.deepStrictEqual([unusable, second, third].map(({ seen }) => seen.starts), [1, 1, 0])
      assert.deepStrictEqual(found, [
        "WARN native cannot be used here: no such library; wasm is used instead: it is slow"
      ])
    }).pipe(Effect.provide(layer(unusable.engine, second.engine, third.engine)), Effect.provide(logger))
  })

  it.effect("is not there where no engine works, and tries none a second time", () => {
    const engines = ["native", "wasm"].map((name) =>
      fake({ name, start: Effect.fail(new EngineUnusable({ engine: name, detail: `no ${name}` })) })
    )
    return Effect.gen(function*() {
      for (const text of ["a", "b"]) {
        const error = yield* Effect.flip(embed(text))
        assert.strictEqual(error._tag, "EmbedderUnavailable")
        assert.include(
          error.message,
          "embedder minilm cannot be loaded here: native cannot be used here: no native; wasm cannot be used here: no wasm;"
        )
      }
      assert.deepStrictEqual(engines.map(({ seen }) => seen.starts), [1, 1])
      const none = yield* Effect.flip(embed("a")).pipe(Effect.provide(layer()))
      assert.include(none.message, "it was given no engine")
    }).pipe(Effect.provide(layer(...engines.map(({ engine }) => engine))))
  })

  it.effect("does not try another engine with weights that are damaged", () => {
    const [first, second] = [fake({ start: Effect.fail(unusableFile("the weights are damaged")) }), fake()]
    return Effect.gen(function*() {
      const error = yield* Effect.flip(embed("a"))
      assert.strictEqual(error._tag, "EmbedderError")
      assert.strictEqual(second.seen.starts, 0)
    }).pipe(Effect.provide(layer(first.engine, second.engine)))
  })

  it.effect("passes a failure of the engine on, and starts another one where it has ended", () => {
    let failing = true
    const { engine, seen } = fake({
      run: (sequences) =>
        failing ? brokenEngine("minilm", "fake", "out of memory") : Effect.succeed(sequences.map(vectorOf))
    })
    return Effect.gen(function*() {
      const error = yield* Effect.flip(embed("a"))
      assert.isTrue(error._tag === "EmbedderError" && error.retryable)
      assert.include(error.message, "fake failed: out of memory")
      failing = false
      yield* embed("a")
      assert.strictEqual(seen.starts, 1)
      seen.dead = true
      yield* Effect.all([embed("a"), embed("b")], { concurrency: 2 })
      assert.strictEqual(seen.starts, 2)
    }).pipe(Effect.provide(layer(engine)))
  })

  it.effect("refuses a text for which the model finds no vector, aloud, and no other text with it", () => {
    const { engine } = fake({
      run: (sequences) =>
        Effect.succeed(
          sequences.map((sequence) =>
            sequence.length === 3 ? new Float32Array(384).fill(Number.NaN) : vectorOf(sequence)
          )
        )
    })
    return Effect.gen(function*() {
      const [two, one, three] = yield* embed("a b", "a", "a b c")
      assert.isTrue(two !== undefined && Either.isRight(two) && three !== undefined && Either.isRight(three))
      assert.isTrue(one !== undefined && Either.isLeft(one))
      assert.match(one !== undefined && Either.isLeft(one) ? one.left.message : "", /refused a text/)
    }).pipe(Effect.provide(layer(engine)))
  })

  it.effect("asks for texts of like length together, never for more than fits, and for each once", () => {
    const { engine, seen } = fake()
    return Effect.gen(function*() {
      const texts = Array.from({ length: 60 }, (_, i) => "word ".repeat((i * 37) % 300))
      yield* embed(...texts, ...texts)
      const asked = seen.batches.flat()
      assert.deepStrictEqual(asked.map(({ length }) => length), asked.map(({ length }) => length).sort((a, b) => a - b))
      for (const batch of seen.batches) {
        const longest = Math.max(...batch.map(({ length }) => length))
        assert.isAtMost(longest, 256)
        assert.isAtMost(batch.length * longest, maxTokens)
      }
      const cut = new Set(texts).size + new Set(texts.filter((text) => text.split(" ").length > 255)).size
      assert.strictEqual(asked.length, cut)
    }).pipe(Effect.provide(layer(engine)))
  })

  it.effect("gives a text that is too long the mean of its windows", () => {
    const { engine } = fake()
    return Effect.gen(function*() {
      const words = Array.from({ length: 700 }, (_, i) => ["sea", "land", "sky", "fire"][i % 4] ?? "")
      const [whole = new Float32Array()] = yield* vectors([words.join(" ")])
      const parts = yield* vectors([words.slice(0, 254), words.slice(222, 476), words.slice(444, 698), words.slice(666)]
        .map((part) => part.join(" ")))
      const sum = Array.from(whole, (_, i) => parts.reduce((sum, part) => sum + (part[i] ?? 0), 0))
      const length = Math.hypot(...sum)
      whole.forEach((value, i) => assert.approximately(value, (sum[i] ?? 0) / length, 1e-6))
    }).pipe(Effect.provide(layer(engine)))
  })
})

describe("Embedder/Local/Windows", () => {
  const [overlap, width] = [overlapOf(Model.frame), widthOf(Model.frame)]

  it.prop("hold every piece, in order, and overlap", [FastCheck.nat({ max: 2000 })], ([length]) => {
    const pieces = Array.from({ length }, (_, i) => 1000 + i)
    const found = windows(Model.frame)(pieces)
    for (const window of found) {
      assert.strictEqual(window[0], 101)
      assert.strictEqual(window.at(-1), 102)
      assert.isAtMost(window.length, 256)
    }
    const joined = found.flatMap((window, i) => window.slice(i === 0 ? 1 : 1 + overlap, -1))
    assert.deepStrictEqual(joined, pieces)
    // None repeats only what the one before it holds.
    if (length > width) { for (const window of found) assert.isAbove(window.length - 2, overlap) }
  })

  it("have a mean of length 1, unless they cancel each other out", () => {
    const [x, y, minus, none] = [[1, 0], [0, 1], [-1, 0], [0, Number.NaN]].map((values) => Float32Array.from(values))
    const of = (...vectors: ReadonlyArray<Float32Array | undefined>) =>
      mean(vectors.filter((vector) => vector !== undefined))
    assert.strictEqual(of(x), x)
    assert.deepStrictEqual(of(x, y), Float32Array.of(Math.SQRT1_2, Math.SQRT1_2))
    assert.deepStrictEqual(of(x, y, minus), y)
    assert.deepStrictEqual([of(x, minus), of(x, none), of(none), of()], [undefined, undefined, undefined, undefined])
  })
})

describe("Embedder/Local/Batches", () => {
  it.prop(
    "hold every sequence once, and never more than fits, unless one is too long by itself",
    [FastCheck.array(FastCheck.nat({ max: 80 })), FastCheck.integer({ min: 1, max: 100 })],
    ([lengths, max]) => {
      const items = lengths.map((length, place) => ({ place, sequence: new Array<number>(length).fill(0) }))
      const found = batches(items, max)
      assert.deepStrictEqual(
        found.flat().map(({ place }) => place).sort((a, b) => a - b),
        items.map(({ place }) => place)
      )
      for (const batch of found) {
        const longest = Math.max(...batch.map(({ sequence }) => sequence.length))
        assert.isTrue(batch.length === 1 || batch.length * longest <= max)
      }
    }
  )
})

describe("Embedder/MiniLm/Protobuf", () => {
  const hex = (message: Protobuf.Message) => Buffer.concat(message).toString("hex")

  it("writes fields as the format has them", () => {
    assert.strictEqual(hex(Protobuf.int(1, 150)), "089601")
    assert.strictEqual(hex(Protobuf.int(1, 0)), "0800")
    assert.strictEqual(hex(Protobuf.int(3, -1)), "18ffffffffffffffffff01")
    assert.strictEqual(hex(Protobuf.int(20, 2)), "a00102")
    assert.strictEqual(hex(Protobuf.text(2, "testing")), "120774657374696e67")
    assert.strictEqual(hex(Protobuf.nested(3, Protobuf.int(1, 150))), "1a03089601")
    assert.strictEqual(hex(Protobuf.float(2, 1.5)), "150000c03f")
    assert.strictEqual(Protobuf.size(Protobuf.text(1, "é".repeat(100))), 203)
  })
})

describe("Embedder/MiniLm/Safetensors", () => {
  const file = (header: unknown, values: Uint8Array = new Uint8Array(), length?: number) => {
    const json = Buffer.from(typeof header === "string" ? header : JSON.stringify(header))
    const size = Buffer.alloc(8)
    size.writeBigUInt64LE(BigInt(length ?? json.length))
    return new Uint8Array(Buffer.concat([size, json, values]))
  }

  it("finds the tensors in place", () => {
    const found = Either.getOrThrow(Safetensors.parse(file({
      __metadata__: { format: "pt" },
      a: { dtype: "F16", shape: [2, 1], data_offsets: [0, 4] },
      b: { dtype: "F32", shape: [], data_offsets: [4, 8] }
    }, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8))))
    assert.deepStrictEqual([...found.keys()], ["a", "b"])
    assert.deepStrictEqual(found.get("a"), { dtype: "F16", shape: [2, 1], bytes: Uint8Array.of(1, 2, 3, 4) })
    assert.deepStrictEqual(found.get("b")?.bytes, Uint8Array.of(5, 6, 7, 8))
  })

  it("says what is wrong with a file", () => {
    const tensor = (entry: object) =>
      file({ a: { dtype: "F16", shape: [2], data_offsets: [0, 4], ...entry } }, new Uint8Array(4))
    assert.isTrue(Either.isRight(Safetensors.parse(tensor({}))))
    for (
      const [bytes, problem] of [
        [new Uint8Array(7), "too short"],
        [file("{}", new Uint8Array(), 3), "shorter than its header says"],
        [file("{", new Uint8Array()), "no JSON"],
        [file("[]", new Uint8Array()), "no JSON object"],
        [tensor({ shape: [3] }), "tensor a"],
        [tensor({ data_offsets: [4, 8] }), "tensor a"],
        [tensor({ data_offsets: [0] }), "tensor a"],
        [tensor({ dtype: "F8" }), "tensor a"],
        [tensor({ dtype: 1 }), "tensor a"],
        [tensor({ shape: [-2] }), "tensor a"],
        [file({ a: null }), "tensor a"]
      ] as const
    ) {
      const found = Safetensors.parse(bytes)
      assert.include(Either.isLeft(found) ? found.left : "", problem)
    }
  })

  it.prop(
    "answers whatever bytes there are",
    [FastCheck.uint8Array({ maxLength: 60 })],
    ([bytes]) => void Safetensors.parse(bytes)
  )
})

it("Embedder/MiniLm/OnnxGraph names the weights that it lacks", () => {
  const graph = onnxGraph(
    new Map([["embeddings.LayerNorm.bias", { dtype: "F32", shape: [1], bytes: new Uint8Array(4) }]])
  )
  const lacking = Either.isLeft(graph) ? graph.left : ""
  for (const name of ["embeddings.LayerNorm.bias", "encoder.layer.5.output.dense.weight"]) assert.include(lacking, name)
})
