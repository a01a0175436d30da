/** The embedder minilm in the forms that users have: the library, and the bundled program. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, type Scope } from "effect"
import * as esbuild from "esbuild"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { isRunning } from "../fixtures/WatchedEngine.ts"
import { type Ended, folder, node, start } from "./Mem.ts"
import { tracedNode } from "./Traces.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Puts a program into a folder in one of the forms; answers its file. */
type Form = (folder: string, program: string) => Effect.Effect<string>

const program = (layers: string, body: string) => `
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as MiniLm from ${JSON.stringify(`${layers}/Embedder/MiniLm`)}
import * as Engines from ${JSON.stringify(`${layers}/Embedder/Local/Engines`)}
import { Embedder } from ${JSON.stringify(`${layers}/../services/Embedder`)}
${body}
`

const modules = (folder: string) => fs.symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"))

const withExtension = (extension: string, text: string) =>
  text.replaceAll(
    /(from "[^"]*\/[A-Z]\w*)"/g,
    (found, name: string) => found.startsWith("from \"effect/") ? found : `${name}.${extension}"`
  )

const library: Form = (folder, body) =>
  Effect.sync(() => {
    modules(folder)
    const file = path.join(folder, "program.mjs")
    fs.writeFileSync(file, withExtension("js", program(path.join(root, "dist/layers"), body)))
    return file
  })

/** As `npm run build:bin` makes it; the entry of the engine's process lies beside it. */
const bundle: Form = (folder, body) =>
  Effect.promise(async () => {
    modules(folder)
    const outfile = path.join(folder, "mem.mjs")
    await esbuild.build({
      stdin: {
        contents: withExtension("ts", program(path.join(root, "layers"), body)),
        resolveDir: root,
        loader: "ts"
      },
      outfile,
      bundle: true,
      platform: "node",
      target: "node20",
      format: "esm",
      minify: true,
      external: ["onnxruntime-node", "@lat.md/*"]
    })
    fs.copyFileSync(path.join(root, "dist/bin/EngineWorker.mjs"), path.join(folder, "EngineWorker.mjs"))
    return outfile
  })

/** Nothing ends the layer: an engine that is idle must not keep the program alive, one that is asked must. */
const embedding = `
const runtime = ManagedRuntime.make(MiniLm.layer())
const [answer] = await runtime.runPromise(Effect.flatMap(Embedder, ({ embed }) => embed(["hello world"])))
console.log(Either.getOrThrow(answer).slice(0, 3).join(" "))
`

const first = (stdout: string) => stdout.trim().split(" ").map((value) => Number(value).toFixed(6))

const ran = ({ code, stderr, stdout }: Ended) => {
  assert.strictEqual(stderr, "")
  assert.strictEqual(code, 0)
  return stdout
}

const inForm = (form: Form, body: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.flatMap(folder(), (folder) => form(folder, body))

for (const [name, form] of [["library", library], ["bundled program", bundle]] as const) {
  describe(`the embedder minilm in the ${name}`, () => {
    it.scopedLive("embeds, and lets the process end by itself", () =>
      Effect.gen(function*() {
        const file = yield* inForm(form, embedding)
        assert.deepStrictEqual(first(ran(yield* node([file]))), ["-0.034489", "0.031110", "0.006719"])
      }))

    it.scopedLive("embeds in WebAssembly where nothing native loads", () =>
      Effect.gen(function*() {
        const file = yield* inForm(form, embedding.replace("layer()", "layer({ engines: [Engines.wasm()] })"))
        assert.deepStrictEqual(first(ran(yield* node([file]))), ["-0.034489", "0.031110", "0.006719"])
      }))
  })
}

describe("the embedder minilm", () => {
  it.scopedLive("opens the tokenizer alone, loads nothing native and changes nothing, until a text is embedded", () =>
    Effect.gen(function*() {
      const counting = `
        const n = await Effect.runPromise(Effect.provide(Effect.gen(function*() {
          const { counter, missing } = yield* Embedder
          return counter.count("hello world") + (yield* missing(["a"])).length
        }), MiniLm.layer()))
        console.log(n)
      `
      const model = (read: ReadonlyArray<string>) =>
        read.filter((file) => file.includes("embed")).map((file) => path.basename(file))
      const counted = yield* tracedNode([yield* inForm(library, counting)])
      assert.strictEqual(ran(counted), "3\n")
      assert.deepStrictEqual(model(counted.trace.read).filter((file) => !/\.m?js$/.test(file)), ["tokenizer.json"])
      assert.deepStrictEqual(counted.trace.native, [])
      assert.deepStrictEqual(counted.trace.change, [])

      // The same trace sees what embedding opens, in the engine's process too.
      const embedded = yield* tracedNode([yield* inForm(library, embedding)])
      ran(embedded)
      assert.include(model(embedded.trace.read), "model.fp16.safetensors")
      assert.deepStrictEqual(embedded.trace.native.map((file) => path.basename(file)), ["onnxruntime_binding.node"])
      assert.deepStrictEqual(embedded.trace.change, [])
    }))

  it.scopedLive("leaves no process behind, though the program is killed", () =>
    Effect.gen(function*() {
      const file = yield* inForm(
        library,
        `
        const engine = Engines.onnx()
        const watched = {
          ...engine,
          start: (weights) => Effect.tap(engine.start(weights), ({ pid }) => Effect.sync(() => console.log(pid)))
        }
        await Effect.runPromise(
          Effect.flatMap(Embedder, ({ embed }) => embed(["word ".repeat(200_000)])).pipe(
            Effect.provide(MiniLm.layer({ engines: [watched] }))
          )
        )
      `
      )
      const running = yield* start([file])
      const pid = Number(yield* running.line)
      assert.isTrue(isRunning(pid))
      yield* running.kill("SIGKILL")
      yield* running.ended
      yield* Effect.suspend(() => isRunning(pid) ? Effect.fail("it still runs") : Effect.void).pipe(
        Effect.retry(Schedule.spaced("20 millis"))
      )
    }))

  it.scopedLive("is unavailable, and says why, where the entry of its engines was left out of a bundle", () =>
    Effect.gen(function*() {
      const file = yield* inForm(
        bundle,
        "console.log(String(await Effect.runPromise(Effect.flip(Effect.flatMap(Embedder, ({ embed }) => embed([\"a\"])).pipe(Effect.provide(MiniLm.layer()))))))"
      )
      fs.rmSync(path.join(path.dirname(file), "EngineWorker.mjs"))
      const stdout = ran(yield* node([file]))
      assert.match(stdout, /^EmbedderUnavailable: embedder minilm cannot be loaded here: /)
      assert.match(stdout, /EngineWorker\.mjs is missing; who bundles mem into a program/)
    }))
})
