/** What is remembered, asked for through the built program, with a server of models on this machine. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
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

  it.scopedLive(
    "tells of sessions that wait to be read: in drift, in its exit code, and in the status",
    () =>
      Effect.gen(function*() {
        const server = yield* ModelServer.make
        server.behave(({ body, path }) => {
          if (path.endsWith("/models")) return { body: { data: [{ id: "some-model" }] } }
          const [, suffix] = /<check-([0-9a-f]+)>/.exec(JSON.stringify(body)) ?? []
          const said = [["check", "no"], ["update", ""], ["cite", ""], ["next", "continue"]]
          return ModelServer.completion(
            said.map(([tag, text]) => `<${tag}-${suffix}>${text}</${tag}-${suffix}>`).join("\n")
          )
        })
        const claude = "connectors:\n  claude: { kind: claude-code, path: ./claude }\nembedder: { kind: hashed }\n"
        const model =
          `model: { kind: openai-compatible, base_url: "${server.url}/v1", model: some-model, api_key: "\${MODEL_KEY}" }\n`
        const said = (n: number) =>
          `${
            JSON.stringify({
              type: "user",
              uuid: `u${n}`,
              sessionId: `s${n}`,
              timestamp: `2026-05-01T09:0${n}:00.000Z`,
              message: { role: "user", content: `Port ${n} is open.` }
            })
          }\n`
        const cwd = yield* folder({
          "connectors.yaml": claude,
          "claude/-w/s1.jsonl": said(1),
          "claude/-w/s2.jsonl": said(2)
        })
        assert.strictEqual((yield* mem(["sync"], { cwd })).code, 0)
        fs.writeFileSync(path.join(cwd, "connectors.yaml"), `${claude}${model}`)
        const before = yield* mem(["drift", "--exit-code"], { cwd })
        assert.deepStrictEqual([before.code, before.stderr], [10, ""])
        assert.match(before.stdout, /^claude: 2 sessions to be read into memory; 2 unchanged\n/)
        const estimated = yield* mem(["drift", "--estimate", "--json", "--exit-code"], { cwd })
        assert.strictEqual(estimated.code, 10)
        assert.deepInclude(JSON.parse(estimated.stdout), { drift: true })
        assert.include((yield* mem(["status"], { cwd })).stdout, "  2 sessions wait to be read into memory")

        const env = { MODEL_KEY: "some-key" }
        assert.strictEqual((yield* mem(["sync", "--max-calls", "1"], { cwd, env })).code, 3)
        const status = yield* mem(["status", "--json"], { cwd })
        assert.strictEqual(JSON.parse(status.stdout).connectors[0].memory.waiting, 1)
        assert.strictEqual((yield* mem(["sync"], { cwd, env })).code, 0)
        const after = yield* mem(["drift", "--exit-code"], { cwd })
        assert.deepStrictEqual([after.code, after.stdout], [0, "claude: nothing to do, 2 unchanged\n"])

        const asked = server.requests.length
        const keyless = yield* mem(["doctor"], { cwd })
        assert.strictEqual(keyless.code, 1)
        assert.match(keyless.stdout, /\nPROBLEM model: (.*\n)+?.*MODEL_KEY/)
        const well = yield* mem(["doctor"], { cwd, env })
        assert.strictEqual(well.code, 0)
        assert.match(well.stdout, /\nok +model of some-model: http.* has it\n/)
        assert.match(well.stdout, /\nok +index: 0 passages and 2 Records of sessions, as the log has them\n/)
        assert.deepStrictEqual(server.requests.slice(asked).map(({ path }) => path), ["/v1/models"])
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
