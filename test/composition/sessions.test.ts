/** Sessions through the built program: one home, one sync, whatever the agents do meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { askedIn, replyText } from "../../src/memory/Asked.ts"
import * as ModelServer from "../fixtures/ModelServer.ts"
import { folder, mem, startMem } from "./Mem.ts"

const at = (minute: number): string => `2026-05-01T09:${String(minute).padStart(2, "0")}:00.000Z`

const claudeLine = (uuid: string, text: string, minute = 0): string =>
  `${
    JSON.stringify({
      type: "user",
      uuid,
      cwd: "/w/demo",
      sessionId: "s1",
      timestamp: at(minute),
      message: { role: "user", content: text }
    })
  }\n`

const toolLine = (uuid: string, output: string): string =>
  `${
    JSON.stringify({
      type: "user",
      uuid,
      sessionId: "s1",
      timestamp: at(30),
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: output }] }
    })
  }\n`

const pi = [
  { type: "session", version: 3, id: "p1", timestamp: at(1), cwd: "/w/demo" },
  {
    type: "message",
    id: "b2c3d4e5",
    parentId: null,
    timestamp: at(2),
    message: { role: "assistant", content: [{ type: "text", text: "The collector took the port." }] }
  }
].map((line) => `${JSON.stringify(line)}\n`).join("")

const codex = [
  { timestamp: at(3), type: "session_meta", payload: { id: "c1", cwd: "/w/demo" } },
  {
    timestamp: at(4),
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Free the port, please." }] }
  }
].map((line) => `${JSON.stringify(line)}\n`).join("")

const home = folder({
  "connectors.yaml": `connectors:
  notes: { kind: folder, path: ./vault }
  claude: { kind: claude-code, path: ./claude }
  pi: { kind: pi, path: ./pi }
  codex: { kind: codex, path: ./codex }
embedder: { kind: hashed }
`,
  "vault/ports.md": "# Ports\n\nThe demo server listens on port 4400 since the collector took 4317 for itself.\n",
  "claude/-w-demo/s1.jsonl": claudeLine("u1", "Which port does the demo server use?"),
  "pi/--w-demo--/2026-05-01T09-01-00-000Z_p1.jsonl": pi,
  "codex/sessions/2026/05/01/rollout-2026-05-01T09-03-00-c1.jsonl": codex
})

const decodeBody = Schema.decodeUnknownSync(Schema.Struct({
  messages: Schema.Array(Schema.Struct({ role: Schema.Literal("system", "user", "assistant"), content: Schema.String }))
}))

const messagesOf = (body: unknown) => decodeBody(body).messages

const json = (cwd: string, ...args: ReadonlyArray<string>) =>
  Effect.map(mem(["--json", ...args], { cwd }), ({ stdout }) => JSON.parse(stdout))

describe("sessions in a home", () => {
  it.scopedLive("three agents and a folder: one sync, one report, found with its filters, kept when they are deleted", () =>
    Effect.gen(function*() {
      const cwd = yield* home
      const report = yield* json(cwd, "sync")
      assert.deepStrictEqual(
        report.connectors.map(({ name, new: added, records }: { name: string; new: number; records?: number }) => [
          name,
          added,
          records
        ]),
        [["notes", 1, undefined], ["claude", 1, 1], ["pi", 1, 1], ["codex", 1, 1]]
      )
      for (const agent of ["claude", "pi", "codex"]) rmSync(join(cwd, agent), { recursive: true })
      const found = yield* json(cwd, "search", "port", "--mode", "keyword")
      assert.deepStrictEqual(
        found.records.map(({ connector }: { connector: string }) => connector).sort(),
        ["claude", "codex", "pi"]
      )
      assert.lengthOf(found.hits, 1)
      const asked = yield* json(
        cwd,
        "search",
        "port",
        "--role",
        "assistant",
        "--since",
        "2026-05-01",
        "--project",
        "/w/*"
      )
      assert.deepStrictEqual([asked.hits.length, asked.records.length, asked.records[0].connector], [0, 1, "pi"])
      const shown = yield* mem(["get", "claude:s1"], { cwd })
      assert.include(shown.stdout, "> 1  user, 2026-05-01 09:00\n  Which port does the demo server use?\n")
      const state = yield* json(cwd, "dump", "--digest")
      const rebuilt = yield* json(cwd, "rebuild", "--from-log")
      assert.strictEqual(rebuilt.state_sha256, state.state_sha256)
      // The agents' folders are gone as a whole: that is said, and nothing is taken out.
      const again = yield* mem(["sync"], { cwd })
      assert.strictEqual(again.code, 3)
      assert.lengthOf((yield* json(cwd, "search", "port", "--mode", "keyword")).records, 3)
    }))

  it.scopedLive("what mem printed into a transcript is no evidence, in whichever form it was asked", () =>
    Effect.gen(function*() {
      const cwd = yield* home
      yield* mem(["sync"], { cwd })
      const outputs = yield* Effect.forEach([
        ["search", "port"],
        ["search", "port", "--json"],
        ["get", "notes:ports.md"],
        ["get", "claude:s1"],
        ["get", "claude:s1:1", "--json"],
        ["dump"],
        ["log", "cat"]
      ], (args) => Effect.map(mem(args, { cwd }), ({ stdout }) => stdout))
      const before = (yield* json(cwd, "sync", "claude")).connectors[0]
      assert.strictEqual(before.records, 0)
      for (const [i, output] of outputs.entries()) {
        assert.isAbove(output.length, 50)
        appendFileSync(join(cwd, "claude/-w-demo/s1.jsonl"), toolLine(`t${i}`, output))
      }
      yield* mem(["sync"], { cwd })
      const dumped = yield* mem(["dump"], { cwd })
      const records: ReadonlyArray<{ kind: string; key: string; derived: unknown; text: string }> = dumped.stdout
        .split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
      const echoed = records.filter(({ key, kind }) => kind === "record" && key.startsWith("claude:t"))
      // A heading is too short to be told from anybody's words.
      const evidence = echoed.filter(({ derived, text }) => derived === false && !/^(?:# Ports)?\s*$/.test(text))
      assert.deepStrictEqual(evidence.map(({ text }) => text), [])
      assert.isAtLeast(echoed.length, outputs.length)
    }))

  it.scopedLive("takes secrets out before anything is written, unless it is told not to", () =>
    Effect.gen(function*() {
      const cwd = yield* home
      const token = `ghp_${"Ab3".repeat(12)}`
      const password = "hunter2-canary-7391"
      const file = join(cwd, "claude/-w-demo/s1.jsonl")
      appendFileSync(file, claudeLine("u2", `My token is ${token}, use it.\n\nDB_PASSWORD=${password}\n`, 1))
      appendFileSync(file, toolLine("u3", `export GITHUB_TOKEN=${token}`))
      const report = yield* json(cwd, "sync", "claude")
      assert.deepInclude(report.connectors[0], { records: 3, secrets: { "github-token": 2, assignment: 1 } })
      const printed = yield* Effect.forEach(
        [["sync"], ["search", "token"], ["get", "claude:s1"], ["dump"], ["log", "cat"], ["status", "--json"]],
        (args) => Effect.map(mem(args, { cwd }), ({ stderr, stdout }) => stdout + stderr)
      )
      const stored = readdirSync(cwd, { recursive: true, encoding: "utf8" }).filter((name) =>
        !name.startsWith("claude") && statSync(join(cwd, name)).isFile()
      ).map((name) => readFileSync(join(cwd, name), "latin1"))
      assert.isAbove(stored.length, 2)
      for (const text of [...printed, ...stored]) {
        assert.notInclude(text, token)
        assert.notInclude(text, password)
      }
      assert.match(printed.join(), /use it\.|\[secret github-token [0-9a-f]{8}\]/)
      // Nothing more is to be done when it is read again.
      appendFileSync(file, claudeLine("u4", "thanks", 2))
      const again = (yield* json(cwd, "sync", "claude")).connectors[0]
      assert.deepStrictEqual([again.records, again.secrets], [1, undefined])
      const plain = yield* home
      writeFileSync(join(plain, "claude/-w-demo/s1.jsonl"), claudeLine("u2", `token ${token}`, 1))
      writeFileSync(
        join(plain, "connectors.yaml"),
        "connectors:\n  claude: { kind: claude-code, path: ./claude, scrub: off }\nembedder: { kind: hashed }\n"
      )
      const kept = (yield* json(plain, "sync")).connectors[0]
      assert.deepStrictEqual([kept.records, kept.secrets], [1, undefined])
      assert.include((yield* mem(["get", "claude:s1"], { cwd: plain })).stdout, token)
      writeFileSync(join(plain, "connectors.yaml"), "connectors:\n  notes: { kind: folder, path: ., scrub: off }\n")
      const refused = yield* mem(["sync"], { cwd: plain })
      assert.deepStrictEqual([refused.code, refused.stdout], [2, ""])
      assert.include(refused.stderr, "connectors.notes.scrub: secrets are taken out of sessions only")
    }))

  it.scopedLive(
    "reads what is archived into memory where there is a model, within its limits, and pays for a step once",
    () =>
      Effect.gen(function*() {
        const cwd = yield* home
        const server = yield* ModelServer.make
        server.behave(({ body, path }) => {
          if (path.endsWith("/models")) return { body: { data: [{ id: "small" }] } }
          const asked = askedIn(messagesOf(body))
          const [record] = asked.records
          return ModelServer.completion(replyText({
            check: "yes",
            update: `${asked.memory} Somebody asked about a port.`.trim(),
            cite: record?.name ?? "",
            next: "continue"
          }, asked.suffix))
        })
        const config = (model: string) =>
          writeFileSync(
            join(cwd, "connectors.yaml"),
            `connectors:
  claude: { kind: claude-code, path: ./claude }
  pi: { kind: pi, path: ./pi }
embedder: { kind: hashed }
model: ${model}
`
          )
        config("{ kind: openai-compatible, model: small }")
        const mistaken = yield* mem(["sync"], { cwd })
        assert.deepStrictEqual([mistaken.code, mistaken.stdout, existsSync(join(cwd, "log"))], [2, "", false])
        assert.include(mistaken.stderr, "model.base_url")
        config(`{ kind: openai-compatible, base_url: "${server.url}/v1", model: small, context_tokens: 2500 }`)
        for (const args of [["drift", "--estimate"], ["ask", "what?"], ["sync"]]) {
          const { code, stderr } = yield* mem(args, { cwd })
          assert.deepStrictEqual([code, existsSync(join(cwd, "log"))], [2, false], stderr)
          const [, kept, least] =
            /model\.context_tokens: 2,500 tokens leave no room: ([\d,]+) .* takes (\d+) at least/s.exec(stderr) ?? []
          assert.strictEqual(kept, args[0] === "ask" ? "2,048" : "4,096", stderr)
          assert.isAbove(Number(least), args[0] === "ask" ? 2500 : 4096 + 1024)
        }
        config(`{ kind: openai-compatible, base_url: "${server.url}/v1", model: small }`)
        for (const other of ["--drift", "--follow"]) {
          const { code, stderr } = yield* mem(["sync", other, "--max-calls", "1"], { cwd })
          assert.deepStrictEqual([code, stderr.startsWith(`mem: ${other} `)], [2, true], stderr)
        }
        // What it will cost is told beforehand, with a key that is not there, and nobody is asked.
        config(`{ kind: openai-compatible, base_url: "${server.url}/v1", model: small, api_key: "\${NO_SUCH_KEY}" }`)
        const told = (report: { connectors: ReadonlyArray<{ estimate: { model_calls?: number } }> }) =>
          report.connectors.map(({ estimate }) => estimate.model_calls)
        const keyless = yield* json(cwd, "drift", "--estimate")
        // A session each, and the memory over both.
        assert.deepStrictEqual(told(keyless), [2, 1])
        assert.match((yield* mem(["drift", "--estimate"], { cwd })).stdout, /would take up to 2 calls of the language/)
        assert.deepInclude(yield* mem(["sync"], { cwd }), { code: 2, stdout: "" })
        config(`{ kind: openai-compatible, base_url: "${server.url}/v1", model: small }`)
        assert.deepStrictEqual(yield* json(cwd, "drift", "--estimate"), keyless)
        assert.lengthOf(server.requests, 0)
        assert.isFalse(existsSync(join(cwd, "log")))
        const first = yield* json(cwd, "sync", "--max-calls", "1")
        const calls = (report: { connectors: ReadonlyArray<{ model_calls: number }> }) =>
          report.connectors.map(({ model_calls }) => model_calls)
        assert.deepStrictEqual([first.ok, calls(first).reduce((sum, n) => sum + n, 0)], [false, 1])
        assert.lengthOf(server.requests, 1)
        assert.isTrue(
          first.connectors.some(({ error }: { error?: { code: string } }) => error?.code === "MemoryPartial")
        )
        const second = yield* mem(["sync"], { cwd })
        assert.strictEqual(second.code, 0, second.stdout + second.stderr)
        assert.match(
          second.stdout,
          /sessions? read\s+into\s+memory, memory over all sessions made anew \([12]\s+calls?\s+of\s+the/
        )
        const paid = server.requests.length
        // Two sessions of one chunk each, and the memory that is made of both.
        assert.strictEqual(paid, 3)
        const written = (yield* json(cwd, "status")).log.bytes
        const unchanged = yield* json(cwd, "sync")
        assert.deepStrictEqual(calls(unchanged), [0, 0])
        assert.deepStrictEqual(unchanged.connectors.map(({ embed_texts }: { embed_texts: number }) => embed_texts), [
          0,
          0
        ])
        assert.strictEqual((yield* json(cwd, "status")).log.bytes, written)
        assert.deepStrictEqual(told(yield* json(cwd, "drift", "--estimate")), [0, 0])
        assert.lengthOf(server.requests, paid)
        const lines = (yield* mem(["log", "cat", "--kind", "memory"], { cwd })).stdout
        assert.match(lines, /"level":"L0"/)
        assert.match(lines, /"level":"L1".*Somebody asked about a port/)
        assert.match(lines, /"level":"L2"/)
        // One ranking for what was said and what is remembered of it, and each leads to where it came from.
        type Found = { level: string; id: string; key?: string; connector?: string; text: string }
        const found = (yield* json(cwd, "search", "somebody", "asked", "about", "a", "port")).hits
        assert.sameMembers([...new Set(found.map(({ level }: Found) => level))], ["L0", "L1", "L2"])
        const only = (yield* json(cwd, "search", "port", "--level", "l1, L2", "--mode", "vector")).hits
        assert.sameMembers([...new Set(only.map(({ level }: Found) => level))], ["L1", "L2"])
        for (const level of ["L1", "L2"]) {
          const { id } = found.find((hit: Found) => hit.level === level)
          assert.strictEqual((yield* json(cwd, "blame", id)).ok, true)
        }
        const [said] = (yield* json(cwd, "search", "which", "port", "--level", "L0", "--connector", "claude")).hits
        assert.deepInclude(said, { text: "Which port does the demo server use?", lines: [1, 1], stale: false })
        assert.include((yield* mem(["get", `claude:${said.doc_id}:1`], { cwd })).stdout, said.text)
        const { records = [] } = yield* json(cwd, "search", "which", "port")
        assert.notInclude(records.map(({ key }: Found) => key), said.key)
        const shown = (yield* mem(["search", "port", "--level", "L1", "-k", "1"], { cwd })).stdout
        assert.match(shown, /\(L1 session memory\)\n {2}L1:[0-9a-f]{32}, profile \S+\n/)
        for (const wrong of [["--level", "L3"], ["--level", "L0", "--role", "user"]]) {
          assert.strictEqual((yield* mem(["search", "port", ...wrong], { cwd })).code, 2)
        }
        assert.strictEqual((yield* json(cwd, "doctor")).ok, true)
        const { connectors } = yield* json(cwd, "status")
        for (const { memory } of connectors) {
          assert.deepInclude(memory, { sessions: 1, stale: 0, evidence: 1 })
          assert.lengthOf(memory.gates, 1)
          assert.deepInclude(memory.gates[0], {
            profile: "work",
            model: `small@${server.url}`,
            current: true,
            steps: 1,
            updates: 1,
            malformed: 0,
            exits: 0
          })
        }
        // The server is gone: all is archived, and said.
        server.behave(() => ModelServer.complaint(500, "out of order"))
        appendFileSync(join(cwd, "claude/-w-demo/s1.jsonl"), claudeLine("u9", "One more thing.", 9))
        const failed = yield* json(cwd, "sync")
        assert.deepStrictEqual([failed.ok, failed.connectors[0].records, failed.connectors[0].status], [
          false,
          1,
          "partial"
        ])
        assert.include(failed.connectors[0].error.message, "All Records are archived")
      }),
    90_000
  )

  it.scopedLive("follows sessions while they grow, until it is stopped", () =>
    Effect.gen(function*() {
      const cwd = yield* home
      const run = yield* startMem(["sync", "--follow"], { cwd })
      const until = (text: string) =>
        Effect.repeat(run.line, { until: (line) => line === undefined || line.includes(text) })
      assert.isDefined(yield* until("done in"))
      yield* Effect.repeat(run.errorLine, { until: (line) => line === undefined || line.includes("following") })
      appendFileSync(join(cwd, "claude/-w-demo/s1.jsonl"), claudeLine("u2", "And the collector?", 1))
      assert.strictEqual(yield* until("archived"), "  1 Record archived")
      writeFileSync(join(cwd, "claude/-w-demo/s2.jsonl"), claudeLine("v1", "A new session", 2))
      assert.strictEqual(yield* until("1 new"), "claude (claude-code): 1 new; 1 unchanged")
      yield* run.kill("SIGINT")
      const { code, stderr } = yield* run.ended
      assert.strictEqual(code, 130)
      assert.include(stderr, "the next sync goes on")
      assert.isFalse(existsSync(join(cwd, "log/LOCK")))
      assert.strictEqual((yield* mem(["log", "verify"], { cwd })).code, 0)
      assert.include((yield* mem(["search", "collector", "--role", "user"], { cwd })).stdout, "And the «collector»?")
    }))
})
