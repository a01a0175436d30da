/** The connectors of pi and Codex on a real disk, and what all connectors of sessions keep. */
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import * as CodexSource from "../../layers/RecordSource/Codex.ts"
import * as PiSource from "../../layers/RecordSource/Pi.ts"
import { Files } from "../../layers/RecordSource/Transcript/File.ts"
import * as ClaudeCode from "../../layers/SourceConnector/ClaudeCode.ts"
import * as Codex from "../../layers/SourceConnector/Codex.ts"
import { rootUri } from "../../layers/SourceConnector/Folder/Names.ts"
import * as Pi from "../../layers/SourceConnector/Pi.ts"
import { globsOf, momentOf } from "../../layers/SourceConnector/Transcripts/Config.ts"
import type { SessionConnector } from "../../services/SourceConnector.ts"
import { DocumentRef } from "../../src/domain/Document.ts"
import { ConnectorName } from "../../src/domain/Ids.ts"
import { ListingSkip } from "../../src/domain/Listing.ts"
import { connectorKind } from "../../src/sync/connectorKind.ts"
import { contract, type Language } from "../contracts/SessionConnector.ts"
import { collect, counted, isCursor, isRecord, line, lines, transcripts } from "../fixtures/Transcripts.ts"

const name = ConnectorName.make("sessions")

const time = (n: number) => new Date(Date.parse("2026-05-01T09:00:00.000Z") + n * 1000).toISOString()

const soupOf = (kinds: ReadonlyArray<FastCheck.Arbitrary<object>>): Language["soup"] =>
  FastCheck.array(
    FastCheck.oneof(
      ...kinds.map((arbitrary) => ({ weight: 3, arbitrary: arbitrary.map(line) })),
      FastCheck.constantFrom(
        "42\n",
        "\n",
        "\0\0{\"type\":\"mode\"}\n",
        "{\"type\":\"dream\"}\r\n",
        "{\"type\":\"mess\n"
      ),
      FastCheck.oneof(...kinds).map((json) => `{"type":"user","mess${line(json)}`),
      FastCheck.oneof(...kinds).map((json) => `${line(json).trimEnd()}${line(json)}`),
      FastCheck.uint8Array({ maxLength: 20 }).map((bytes) => `${Buffer.from(bytes).toString("latin1")}\n`)
    ),
    { maxLength: 20 }
  ).map((all) => all.join(""))

const few = FastCheck.nat(5)
const text = FastCheck.constantFrom("a", "ab", "abc", "<memory>x</memory> y", "\ud83d", "z\0")

const claude: Language = {
  said: (n, text) =>
    line({ type: "user", uuid: `u${n}`, timestamp: time(n), message: { role: "user", content: text } }),
  soup: soupOf([
    FastCheck.record({ n: few, text }).map(({ n, text }) => ({
      type: "user",
      uuid: `u${n}`,
      message: { content: text }
    })),
    FastCheck.record({ n: few, m: few, text }).map(({ m, n, text }) => ({
      type: "assistant",
      uuid: `a${n}`,
      message: {
        id: `m${m}`,
        content: [{ type: "text", text }, { type: "tool_use", id: `t${m}`, name: "Bash", input: {} }]
      }
    })),
    few.map((n) => ({
      type: "user",
      uuid: `r${n}`,
      message: { content: [{ type: "tool_result", tool_use_id: `t${n}`, content: "out" }] }
    }))
  ])
}

const pi: Language = {
  said: (n, text) => line({ type: "message", timestamp: time(n), message: { role: "user", content: text } }),
  soup: soupOf([
    FastCheck.constant({ type: "session", version: 3, id: "s1", cwd: "/w/demo" }),
    FastCheck.record({ n: few, text }).map(({ n, text }) => ({
      type: "message",
      timestamp: time(n),
      message: { role: "user", content: text }
    })),
    FastCheck.record({ n: few, p: few, text }).map(({ n, p, text }) => ({
      type: "message",
      id: `i${n}`,
      parentId: `i${p}`,
      timestamp: time(n),
      message: { role: "assistant", content: [{ type: "text", text }] }
    }))
  ])
}

const item = (payload: object) => ({ timestamp: time(0), type: "response_item", payload })
const event = (payload: object) => ({ timestamp: time(0), type: "event_msg", payload })

const codexUser = (text: string) => item({ type: "message", role: "user", content: [{ type: "input_text", text }] })

const codex: Language = {
  said: (_, text) => line(codexUser(text)),
  soup: soupOf([
    text.map(codexUser),
    text.map((message) => event({ type: "user_message", message })),
    FastCheck.record({ n: few, text }).map(({ n }) =>
      item({ type: "function_call", name: `f${n}`, arguments: "{}", call_id: `c${n}` })
    ),
    few.map((n) => item({ type: "function_call_output", call_id: `c${n}`, output: "out" })),
    few.map((n) => event({ type: "thread_rolled_back", num_turns: n }))
  ])
}

const subject = (
  make: (options: { readonly path: string }) => Effect.Effect<SessionConnector>,
  pathOf: (id: string) => string
) =>
  Effect.gen(function*() {
    const { at, put, root } = yield* transcripts
    fs.mkdirSync(join(root, "agent"))
    const path = (id: string) => join("agent", pathOf(id))
    return {
      connector: yield* make({ path: join(root, "agent") }),
      ids: ["s-1", "s-2"] as const,
      put: (id: string, content: string | Uint8Array) => Effect.sync(() => void put(path(id), content)),
      remove: (id: string) => Effect.sync(() => fs.rmSync(at(path(id)))),
      unplug: Effect.sync(() => fs.renameSync(join(root, "agent"), join(root, "elsewhere")))
    }
  })

contract("ClaudeCode", subject((options) => ClaudeCode.make(name, options), (id) => `-w-demo/${id}.jsonl`), claude)

contract(
  "Pi",
  subject((options) => Pi.make(name, options), (id) => `--w-demo--/2026-05-01T10-00-00-000Z_${id}.jsonl`),
  pi
)

contract(
  "Codex",
  subject(
    (options) => Codex.make(name, options),
    (id) => `sessions/2026/05/01/rollout-2026-05-01T12-00-00-${id}.jsonl`
  ),
  codex
)

const listed = (connector: SessionConnector) =>
  Effect.gen(function*() {
    const { documents, roots } = yield* connector.list(new Map())
    const items = yield* collect(documents)
    const refs = items.filter((item) => item instanceof DocumentRef)
    return {
      roots: roots.map(({ uri }) => String(uri)),
      refs,
      ids: refs.map(({ doc_id }) => String(doc_id)).sort(),
      skipped: items.flatMap((item) => item instanceof ListingSkip ? [`${item.doc_id}: ${item.reason}`] : [])
    }
  })

const withVariable = (variable: string, value: string) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map([[variable, value]])))

const noVariables = Effect.withConfigProvider(ConfigProvider.fromMap(new Map()))

describe("SourceConnector/Pi", () => {
  const header = { type: "session", version: 3, id: "x", timestamp: time(0), cwd: "/w/demo" }

  it.scopedLive("lists sessions in folders of their projects and beside them, by the id in their names", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      put("--w-demo--/2026-05-01T10-00-00-000Z_s1.jsonl", line(header))
      put("--w-x--/2026-05-01T10-00-00-000Z_s2.jsonl", line({ ...header, cwd: "/w/x" }))
      put("flat.jsonl", line(header))
      put("--w-demo--/deep/no.jsonl", line(header))
      put("settings.json", "{}")
      const ids = (project?: string) =>
        Effect.gen(function*() {
          const options = { path: root, ...(project === undefined ? {} : { project }) }
          return (yield* listed(yield* Pi.make(name, options))).ids
        })
      assert.deepStrictEqual(yield* ids(), ["flat", "s1", "s2"])
      assert.deepStrictEqual(yield* ids("/w/demo"), ["flat", "s1"])
    }))

  it.scopedLive("is found by its variable, and else in the home folder", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      put("sessions/a.jsonl", line(header))
      const found = Effect.flatMap(Pi.make(name, {}), listed)
      assert.deepStrictEqual((yield* withVariable("PI_CODING_AGENT_DIR", root)(found)).ids, ["a"])
      assert.deepStrictEqual((yield* noVariables(found)).roots, [rootUri(join(homedir(), ".pi/agent/sessions"))])
    }))

  it.scopedLive("says the working folder also of what is read far behind the header, and which branch was left", () =>
    Effect.gen(function*() {
      const { put } = yield* transcripts
      const entry = (id: string, parentId: string | null, content: string) =>
        line({ type: "message", id, parentId, timestamp: time(0), message: { role: "user", content } })
      const filler = Array.from(
        { length: 300 },
        (_, i) => entry(`f${i}`, i === 0 ? null : `f${i - 1}`, `${"word ".repeat(1500)}${i}`)
      ).join("")
      const path = put("a.jsonl", line(header) + filler)
      const cursor = (yield* collect(PiSource.read({ path }, undefined))).findLast(isCursor)
      fs.appendFileSync(path, entry("x", "f299", "left") + entry("y", "f299", "kept"))
      const added = (yield* collect(PiSource.read({ path }, cursor))).filter(isRecord)
      assert.deepStrictEqual(added.map(({ branch, meta: { cwd }, text }) => [text, cwd, branch.on_leaf]), [
        ["left", "/w/demo", false],
        ["kept", "/w/demo", true]
      ])
      const whole = yield* collect(PiSource.make({ path }).records)
      assert.deepStrictEqual(whole.slice(-2).map(({ key }) => key), added.map(({ key }) => key))
      assert.deepStrictEqual(whole.filter(({ branch }) => !branch.on_leaf).map(({ text }) => text), ["left"])
    }))
})

describe("SourceConnector/Codex", () => {
  const meta = (id: string, more: object = {}) => ({
    timestamp: time(0),
    type: "session_meta",
    payload: { id, cwd: "/w/demo", ...more }
  })
  const at = (n: number, text: string) => ({ ...codexUser(text), timestamp: time(n) })
  const path = (id: string, day = "sessions/2026/05/01") => `${day}/rollout-2026-05-01T12-00-00-${id}.jsonl`

  it.scopedLive("lists the rollouts of each day and the archived ones, and names those that are compressed", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      put(path("s1"), line(meta("s1")))
      put(path("s2", "sessions/2025/12/31"), line(meta("s2", { cwd: "/w/x" })))
      put(path("s3", "archived_sessions"), line(meta("s3")))
      put(`${path("s4")}.zst`, "x")
      put(`${path("s1")}.zst`, "x")
      put("history.jsonl", "{}")
      put("sessions/2026/05/01/notes.jsonl", "{}")
      const of = (options: Parameters<typeof Codex.make>[1]) =>
        Effect.flatMap(Codex.make(name, { path: root, ...options }), listed)
      assert.deepStrictEqual((yield* of({})).ids, ["s1", "s2", "s3"])
      assert.deepStrictEqual((yield* of({})).skipped, ["s4: compressed"])
      assert.deepStrictEqual((yield* of({ archived: false })).ids, ["s1", "s2"])
      assert.deepStrictEqual((yield* of({ project: "/w/x" })).ids, ["s2"])
      assert.deepStrictEqual((yield* of({ path: join(root, "sessions") })).ids, ["s1", "s2"])
    }))

  it.scopedLive("is found by its variable, and else in the home folder", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      put(path("s1"), line(meta("s1")))
      const found = Effect.flatMap(Codex.make(name, {}), listed)
      assert.deepStrictEqual((yield* withVariable("CODEX_HOME", root)(found)).ids, ["s1"])
      assert.deepStrictEqual((yield* noVariables(found)).roots, [rootUri(join(homedir(), ".codex"))])
    }))

  it.scopedLive("gives the same keys for a rollout that was archived meanwhile", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      const content = lines(meta("s1"), at(1, "a"))
      put(path("s1"), content)
      put(path("s1", "archived_sessions"), content)
      const connector = yield* Codex.make(name, { path: root })
      const { ids, refs } = yield* listed(connector)
      assert.deepStrictEqual(ids, ["s1", "sessions/2026/05/01/s1"])
      const keys = yield* Effect.forEach(refs, (ref) =>
        Effect.map(collect(connector.records(ref, undefined)), (items) =>
          items.filter(isRecord).map(({ key }) => key)))
      assert.deepStrictEqual(keys[0], keys[1])
    }))

  it.scopedLive("leaves out of a fork what its parent holds, and goes on from its cursor", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      const common = Array.from({ length: 700 }, (_, i) => at(i, `${"word ".repeat(600)}${i}`))
      put(path("s1"), lines(meta("s1"), ...common, at(1000, "parent's own")))
      const fork = put(path("s2"), lines(meta("s2", { forked_from_id: "s1" }), meta("s1"), ...common, at(1001, "mine")))
      const connector = yield* Codex.make(name, { path: root, archived: false })
      const ref = (yield* listed(connector)).refs.find(({ doc_id }) => doc_id === "s2") ?? assert.fail()
      const items = yield* collect(connector.records(ref, undefined))
      assert.deepStrictEqual(items.filter(isRecord).map(({ seq, text }) => [seq, text]), [[0, "mine"]])
      for (const { offset } of items.filter(isCursor)) assert.isAbove(offset, 2_000_000)
      fs.appendFileSync(fork, line(at(1002, "more")))
      const count = counted()
      const more = yield* Effect.provideService(
        collect(connector.records(ref, items.findLast(isCursor))),
        Files,
        count.files
      )
      assert.deepStrictEqual(more.filter(isRecord).map(({ seq, text }) => [seq, text]), [[1, "more"]])
      assert.isBelow(count.bytes, 1.5 * 1024 * 1024)
    }))

  it.scopedLive("reads a fork whole whose parent is gone, or is said to be itself", () =>
    Effect.gen(function*() {
      const { put } = yield* transcripts
      const file = put(path("s2"), lines(meta("s2", { forked_from_id: "s2" }), at(1, "a"), at(2, "b")))
      const read = (parentOf: (session: string) => Effect.Effect<string | undefined>) =>
        Effect.map(collect(CodexSource.make({ path: file, parentOf }).records), (records) =>
          records.map(({ text }) => text))
      assert.deepStrictEqual(
        yield* read(() =>
          Effect.succeed(file)
        ),
        ["a", "b"]
      )
      put(path("s2"), lines(meta("s2", { forked_from_id: "s1" }), at(1, "a"), at(2, "b")))
      assert.deepStrictEqual(yield* read(() => Effect.succeed(undefined)), ["a", "b"])
      assert.deepStrictEqual(yield* read(() => Effect.succeed(`${file}.gone`)), ["a", "b"])
      const other = put(path("s1"), lines(meta("s1"), at(1, "a"), { ...at(2, "b"), timestamp: time(3) }))
      assert.deepStrictEqual(yield* read(() => Effect.succeed(other)), ["b"])
    }))
})

describe("the options of transcripts", () => {
  it.scopedLive("are those that are described, and no others", () =>
    Effect.gen(function*() {
      const open = (kind: string, options: object) =>
        Effect.gen(function*() {
          const kinds = {
            "claude-code": connectorKind(ClaudeCode.kind),
            pi: connectorKind(Pi.kind),
            codex: connectorKind(Codex.kind)
          }
          const registered = kind === "pi" ? kinds.pi : kind === "codex" ? kinds.codex : kinds["claude-code"]
          assert.deepStrictEqual([registered.kind, registered.source_type], [kind, "session"])
          return yield* registered.open(name, options)
        }).pipe(Effect.scoped, Effect.match({ onFailure: ({ message }) => message, onSuccess: ({ kind }) => kind }))
      const good = { path: "~/x", since: "30d", project: ["~/code/**"], memory_tags: ["notes"] }
      assert.strictEqual(yield* open("claude-code", {}), "claude-code")
      assert.strictEqual(yield* open("claude-code", good), "claude-code")
      assert.strictEqual(yield* open("pi", { ...good, project: "/w" }), "pi")
      assert.strictEqual(yield* open("codex", { ...good, archived: false }), "codex")
      const bad: ReadonlyArray<readonly [options: object, says: RegExp]> = [
        [{ path: " " }, /path: expected the path of a folder/],
        [{ since: "soon" }, /since: expected a date like "2026-05-01" or a time like "30d"/],
        [{ since: "2026-13-01" }, /since: expected a date/],
        [{ project: "" }, /project.*expected a glob/],
        [{ memory_tags: ["<memory>"] }, /memory_tags.*expected the name of a tag/],
        [{ archived: true }, /archived/],
        [{ include: [] }, /include/]
      ]
      for (const [options, says] of bad) assert.match(yield* open("claude-code", options), says)
    }))

  it("mean moments and folders", () => {
    const now = Date.parse("2026-05-21T00:00:00Z")
    assert.strictEqual(momentOf("2026-05-01", now), Date.parse("2026-05-01T00:00:00Z"))
    assert.strictEqual(momentOf("2026-05-01T10:00:00+02:00", now), Date.parse("2026-05-01T08:00:00Z"))
    assert.strictEqual(momentOf("20d", now), Date.parse("2026-05-01T00:00:00Z"))
    assert.deepStrictEqual(globsOf(["~/code/", "/w"]), [`${homedir()}/code`, "/w"])
    assert.isUndefined(globsOf(undefined))
  })

  it("are written as a file has them", () => {
    const { config } = Codex.kind
    assert.deepStrictEqual(Schema.decodeUnknownSync(config)({}), {
      memory_tags: ["relevant-memories", "memory"],
      archived: true
    })
  })
})
