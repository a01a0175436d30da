/**
 * The embedder minilm: texts a second of 20 and of 200 tokens, one at a time and in batches, on each engine; and what
 * counting costs beside it.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Engines from "../../layers/Embedder/Local/Engines.ts"
import * as MiniLm from "../../layers/Embedder/MiniLm.ts"
import type { Embedder } from "../../services/Embedder.ts"
import { alternate, type Contestant } from "./alternate.ts"

const words = "the harbour office moved its opening hours from nine to half past eight after the storm in october"
  .split(" ")

/** Each text differs, and each of its words is one token. */
const texts = (n: number, tokens: number): ReadonlyArray<string> =>
  Array.from(
    { length: n },
    (_, i) => Array.from({ length: tokens }, (_, j) => words[(i * 7 + j * (1 + i % 5)) % words.length] ?? "").join(" ")
  )

const ask = (embedder: Embedder["Type"], batch: ReadonlyArray<string>) => () =>
  Effect.runPromise(Effect.map(embedder.embed(batch), (answers) => answers.forEach(Either.getOrThrow)))

const report = async (what: string, n: number, contestants: ReadonlyArray<Contestant>) => {
  for (const { median, name, ratio } of await alternate(contestants, { rounds: 5, warmUp: 1 })) {
    const speed = (n / median * 1000).toFixed(1)
    console.log(`${what.padEnd(12)} ${name.padEnd(34)} ${speed.padStart(9)} texts/s   ${ratio.toFixed(2)}x`)
  }
}

export const embed = (): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const onnx = yield* MiniLm.make({ engines: [Engines.onnx()] })
    const wasm = yield* MiniLm.make({ engines: [Engines.wasm()] })
    const started = performance.now()
    yield* onnx.embed(["first"])
    console.log(`onnxruntime-node is there after ${Math.round(performance.now() - started)} ms (from the sources)`)
    yield* wasm.embed(["first"])
    for (const [tokens, n] of [[20, 40], [200, 8]] as const) {
      const given = texts(n, tokens)
      yield* Effect.promise(() =>
        report(`${tokens} tokens`, n, [
          { name: "onnxruntime-node, in one call", run: ask(onnx, given) },
          {
            name: "onnxruntime-node, one at a time",
            run: async () => {
              for (const text of given) await ask(onnx, [text])()
            }
          },
          { name: "@lat.md/embed, in one call", run: ask(wasm, given) },
          { name: "counted only", run: async () => given.forEach((text) => onnx.counter.count(text)) }
        ])
      )
    }
  })))
