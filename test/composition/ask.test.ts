/** What is remembered, asked for through the built program, with a server of models on this machine. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ModelServer from "../fixtures/ModelServer.ts"
import { folder, mem } from "./Mem.ts"

const home = (model: string, more: Readonly<Record<string, string>> = {}) =>
  folder({
    ...more,
    "connectors.yaml": `connectors:\n  notes: { kind: folder, path: ./vault }\nembedder: { kind: hashed }\n${model}`,
    "vault/ports.md": "# Ports\n\nThe demo server listens on port 4400.\n"
  })

describe("asking memory", () => {
  it.scopedLive("answers from what the model is shown, with places that mem get takes", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make
      server.behave(() => ModelServer.completion("It listens on port 4400 [r1]. Or on 80 [r7]."))
      const cwd = yield* home(`model: { kind: openai-compatible, base_url: "${server.url}/v1", model: some-model }\n`)
      assert.strictEqual((yield* mem(["sync"], { cwd })).code, 0)
      const before = server.requests.length
      const json = yield* mem(["ask", "which", "port", "is", "it", "--json"], { cwd })
      const report = JSON.parse(json.stdout)
      assert.deepStrictEqual([json.code, report.command, report.ok, report.known], [0, "ask", true, true], json.stderr)
      assert.deepStrictEqual([report.answer, report.dropped], [
        "It listens on port 4400 [1]. Or on 80.",
        1
      ])
      assert.strictEqual(server.requests.length, before + 1)
      const sent = JSON.stringify(server.requests.at(-1)?.body)
      assert.include(sent, "The demo server listens on port 4400.")
      const got = yield* mem(["get", report.citations[0].place], { cwd })
      assert.include(got.stdout, "The demo server listens on port 4400.")
      const { stdout } = yield* mem(["ask", "which port is it"], { cwd })
      assert.match(stdout, /^<mem-artifact id="ask" sha="[0-9a-f]{16}">\nIt listens on port 4400 \[1\]\./)
      server.behave(() => ModelServer.completion("80, as everybody knows."))
      const unknown = yield* mem(["ask", "which port is it"], { cwd })
      assert.deepStrictEqual([unknown.code, unknown.stdout.split("\n")[1]], [0, "I don't know"])
      // Nothing has been remembered of sessions.
      assert.include((yield* mem(["memory"], { cwd })).stdout, "nothing is remembered yet")
      assert.strictEqual((yield* mem(["blame", "L1:0"], { cwd })).code, 1)
    }), 60_000)

  it.scopedLive(
    "reads on where one prompt does not hold what was found, within --max-calls",
    () =>
      Effect.gen(function*() {
        const server = yield* ModelServer.make
        const cwd = yield* home(
          `model: { kind: openai-compatible, base_url: "${server.url}/v1", model: some-model }\n`,
          Object.fromEntries(
            Array.from(
              { length: 40 },
              (_, i) => [`vault/${i}.md`, `Port ${i} is open. ${`Words of ${i}. `.repeat(50)}\n`]
            )
          )
        )
        assert.strictEqual((yield* mem(["sync"], { cwd })).code, 0)
        server.behave(({ body }) => {
          const [, suffix] = /<check-([0-9a-f]+)>/.exec(JSON.stringify(body)) ?? []
          const said = [["check", "yes"], ["update", "It is open."], ["cite", "r2"], ["next", "end"]]
          return ModelServer.completion(
            suffix === undefined
              ? "It is open [r1]."
              : said.map(([tag, text]) => `<${tag}-${suffix}>${text}</${tag}-${suffix}>`).join("\n")
          )
        })
        const before = server.requests.length
        const json = yield* mem(["ask", "which port is open", "--json"], { cwd })
        const { citations, model_calls, reading } = JSON.parse(json.stdout)
        assert.deepInclude(reading, { read: 1, stopped: "exit", accepted: 1, left_out: 0 }, json.stderr)
        assert.isAbove(reading.sections, 1)
        assert.deepStrictEqual([model_calls, server.requests.length - before], [2, 2])
        const got = yield* mem(["get", citations[0].place], { cwd })
        assert.match(got.stdout, /Port \d+ is open\./)
        const once = yield* mem(["ask", "which port is open", "--max-calls", "1"], { cwd })
        assert.match(once.stdout, /\nread: 0 of \d+ sections; --max-calls allows no more;/)
        assert.strictEqual(server.requests.length - before, 3)
        assert.strictEqual((yield* mem(["ask", "which", "--max-calls", "0"], { cwd })).code, 2)
      }),
    60_000
  )

  it.scopedLive("says how to configure a model where there is none", () =>
    Effect.gen(function*() {
      const cwd = yield* home("")
      assert.strictEqual((yield* mem(["sync"], { cwd })).code, 0)
      const ended = yield* mem(["ask", "which port is it"], { cwd })
      assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
      assert.match(
        ended.stderr,
        /^mem: mem ask asks a language model, and .*connectors\.yaml names none: write "model: /
      )
      assert.include((yield* mem(["memory"], { cwd })).stdout, "  kind: openai-compatible\n")
      assert.match((yield* mem(["memory", "notes"], { cwd })).stdout, /^notes is a connector of documents: /)
      assert.strictEqual((yield* mem(["memory", "nots"], { cwd })).code, 2)
    }))
})
