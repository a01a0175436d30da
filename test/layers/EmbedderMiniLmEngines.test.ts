/** The embedder minilm with the real model, on the engines of this machine. */
import { assert, describe, it } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as TestServices from "effect/TestServices"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Engines from "../../layers/Embedder/Local/Engines.ts"
import * as MiniLm from "../../layers/Embedder/MiniLm.ts"
import * as ModelFiles from "../../layers/Embedder/MiniLm/ModelFiles.ts"
import { Embedder } from "../../services/Embedder.ts"
import { contract, difference, vectors } from "../contracts/Embedder.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"
import { isRunning, watched } from "../fixtures/WatchedEngine.ts"

const native = MiniLm.layer({ engines: [Engines.onnx()] })

contract("MiniLm", native, { numRuns: 3, tolerance: 1e-6 })

const Pairs = Schema.parseJson(Schema.Struct({
  pairs: Schema.Array(Schema.Struct({ id: Schema.String, query: Schema.String, passage: Schema.String })),
  distractors: Schema.Array(Schema.Struct({ id: Schema.String, text: Schema.String }))
}))

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

const asked = (text: string) => Effect.flatMap(Embedder, ({ embed }) => embed([text]))

it.layer(native)("Embedder/MiniLm", (it) => {
  it.effect("finds what is meant, where hardly a word is shared", () =>
    Effect.gen(function*() {
      const file = fs.readFileSync(new URL("../fixtures/paraphrase-pairs.json", import.meta.url), "utf8")
      const { distractors, pairs } = yield* Schema.decode(Pairs)(file)
      const passages = yield* vectors([...pairs.map(({ passage }) => passage), ...distractors.map(({ text }) => text)])
      const queries = yield* vectors(pairs.map(({ query }) => query))
      assert.strictEqual(passages.length, 40)
      const ranks = queries.map((query, right) => {
        const scores = passages.map((passage) => cosine(query, passage))
        return 1 + scores.filter((score) => score > (scores[right] ?? 0)).length
      })
      const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
      const mrr = mean(ranks.map((rank) => rank <= 10 ? 1 / rank : 0))
      const recall = mean(ranks.map((rank) => rank <= 5 ? 1 : 0))
      yield* Console.log(`minilm on 20 paraphrases: MRR@10 ${mrr.toFixed(3)}, recall@5 ${recall.toFixed(2)}`)
      assert.isAtLeast(mrr, 0.85)
      assert.strictEqual(recall, 1)
    }))

  it.effect("has the vectors of the model", () =>
    Effect.map(
      vectors(["hello world"]),
      ([vector = new Float32Array()]) =>
        [-0.034489, 0.03111, 0.006719].forEach((value, i) => assert.approximately(vector[i] ?? 0, value, 1e-5))
    ))

  it.effect("reads a text to its end, however long it is", () =>
    Effect.gen(function*() {
      const filler = "The minutes of the meeting were approved without a change. ".repeat(60)
      const [without, long, fact] = yield* vectors([
        filler,
        `${filler}The cat is called Ada.`,
        "What is the cat's name?"
      ])
      if (without === undefined || long === undefined || fact === undefined) return assert.fail("three vectors")
      assert.approximately(Math.hypot(...long), 1, 1e-5)
      assert.isAbove(cosine(long, fact), cosine(without, fact) + 0.02)
    }))

  it.effect("leaves the event loop to others while it computes", () =>
    Effect.gen(function*() {
      yield* vectors(["the engine is there"])
      let ticks = 0
      const ticking = yield* Effect.fork(
        Effect.forever(Effect.zipRight(
          Effect.sync(() => ticks += 1),
          TestServices.provideLive(Effect.sleep("1 millis"))
        ))
      )
      // Five batches, each of them a call that blocks.
      yield* vectors(Array.from({ length: 10 }, (_, i) => `${i} ${"word ".repeat(250)}`))
      yield* Fiber.interrupt(ticking)
      assert.isAbove(ticks, 50)
    }))
})

describe("Embedder/Local/Engines", () => {
  it.effect("make the same vectors", () => {
    const texts = [
      "",
      "hello world",
      "Which port does the service use? [SEP] 8080 [CLS]",
      "Grüße aus Köln, 漢字 и 👩‍👩‍👧‍👦",
      "word ".repeat(254)
    ]
    return Effect.gen(function*() {
      const [one, other] = yield* Effect.forEach(
        [Engines.onnx({ threads: 2 }), Engines.wasm()],
        (engine) => Effect.provide(vectors(texts), MiniLm.layer({ engines: [engine] })),
        { concurrency: 2 }
      )
      assert.isAtMost(difference(one ?? [], other ?? []), 1e-5)
    })
  })

  it.effect("are passed over where their package is missing or is another one, aloud", () => {
    const said: Array<string> = []
    const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void said.push(String(message))))
    return Effect.gen(function*() {
      const missing = Engines.onnx({ module: "no-such-engine" })
      const other = Engines.onnx({ module: "yaml" })
      yield* asked("a").pipe(
        Effect.provide(MiniLm.layer({ engines: [missing, other, Engines.onnx()] })),
        Effect.provide(logger)
      )
      assert.deepStrictEqual(said, [
        "no-such-engine cannot be used here: Cannot find package 'no-such-engine'; "
        + "yaml cannot be used here: the package yaml is not what it should be; onnxruntime-node is used instead"
      ])
      const unavailable = yield* Effect.flip(asked("a")).pipe(
        Effect.provide(MiniLm.layer({ engines: [missing] }))
      )
      assert.strictEqual(unavailable._tag, "EmbedderUnavailable")
      assert.include(unavailable.message, "no-such-engine cannot be used here")
      const statuses = yield* Engines.probe([missing, Engines.onnx()])
      assert.deepStrictEqual(
        statuses.map(({ problem, used }) => [problem !== undefined, used]),
        [[true, false], [false, true]]
      )
    })
  })

  it.scoped("are given no weights but the right ones", () =>
    Effect.gen(function*() {
      const files = yield* ModelFiles.locate
      const damaged = path.join(yield* temporaryHome, "model.safetensors")
      fs.writeFileSync(damaged, "half of it")
      const layer = (weights: ModelFiles.ModelFiles["weights"]) =>
        MiniLm.layer({ engines: [Engines.onnx()], files: { ...files, weights } })
      const error = yield* Effect.flip(asked("a")).pipe(Effect.provide(layer({ ...files.weights, path: damaged })))
      assert.isTrue(error._tag === "EmbedderError" && !error.retryable)
      const found = createHash("sha256").update("half of it").digest("hex")
      assert.include(error.message, `its sha256 is ${found}, it should be ${files.weights.sha256}`)

      const gone = yield* Effect.flip(asked("a")).pipe(
        Effect.provide(layer({ ...files.weights, path: `${damaged}.gone` }))
      )
      assert.include(gone.message, "model.safetensors.gone cannot be read: ENOENT")

      const garbage = yield* Effect.flip(asked("a")).pipe(Effect.provide(layer({ path: damaged, sha256: found })))
      assert.strictEqual(garbage._tag, "EmbedderUnavailable")
      assert.include(garbage.message, "the graph cannot be made of the weights: it is shorter than its header says")
    }))

  it.effect("are started anew when their process is killed, and end with the scope", () => {
    const { engine, seen } = watched(Engines.onnx())
    const pids: Array<number> = []
    const kill = Effect.sync(() => {
      if (seen.pid !== undefined) process.kill(seen.pid, "SIGKILL")
      pids.push(seen.pid ?? 0)
    })
    return Effect.gen(function*() {
      const [before] = yield* vectors(["a"])

      // What a terminal sends to every process of the program is the program's own business.
      const pid = seen.pid
      if (pid !== undefined) process.kill(pid, "SIGINT")
      yield* asked("word ".repeat(254))
      assert.deepStrictEqual(yield* vectors(["a"]), [before])
      assert.strictEqual(seen.pid, pid)

      const batches = yield* Effect.fork(Effect.flip(asked("word ".repeat(20_000))))
      yield* Effect.zipRight(Effect.yieldNow(), kill)
      const error = yield* Fiber.join(batches)
      assert.isTrue(error._tag === "EmbedderError" && error.retryable)
      assert.include(error.message, "onnxruntime-node failed: its process ended with SIGKILL")
      const [after] = yield* vectors(["a"])
      assert.deepStrictEqual(after, before)
      assert.notStrictEqual(seen.pid, pids[0])

      // Whoever asked goes away; the next one is answered.
      yield* Effect.raceFirst(asked("word ".repeat(20_000)), Effect.yieldNow())
      assert.deepStrictEqual(yield* vectors(["a"]), [before])
      pids.push(seen.pid ?? 0)
    }).pipe(
      Effect.provide(MiniLm.layer({ engines: [engine] })),
      Effect.tap(() => assert.deepStrictEqual(pids.map(isRunning), [false, false]))
    )
  })

  it.effect("do not come up in vain: a scope that ends while one starts ends it", () => {
    const children = () => process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length
    const until = (n: number) => Effect.repeat(Effect.yieldNow(), { until: () => children() === n })
    return Effect.gen(function*() {
      // Those of other tests have ended, of which Node may not have told yet.
      yield* until(0)
      const first = yield* Effect.fork(asked("a"))
      yield* until(1)
      yield* Fiber.interrupt(first)
    }).pipe(
      Effect.provide(MiniLm.layer({ engines: [Engines.onnx()] })),
      Effect.zipRight(until(0))
    )
  })
})
