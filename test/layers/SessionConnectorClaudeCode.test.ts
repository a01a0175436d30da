/** The connector of Claude Code on a real disk: what it lists, what it reads, and how little of it. */
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import * as Source from "../../layers/RecordSource/ClaudeCode.ts"
import { Files } from "../../layers/RecordSource/Transcript/File.ts"
import * as ClaudeCode from "../../layers/SourceConnector/ClaudeCode.ts"
import { Disk } from "../../layers/SourceConnector/Folder/Disk.ts"
import { rootUri } from "../../layers/SourceConnector/Folder/Names.ts"
import type { SessionConnector } from "../../services/SourceConnector.ts"
import { Cursor } from "../../src/domain/Cursor.ts"
import { DocumentRef } from "../../src/domain/Document.ts"
import { ConnectorName, type DocId, Fingerprint, Timestamp } from "../../src/domain/Ids.ts"
import { ListingSkip } from "../../src/domain/Listing.ts"
import { ManifestEntry } from "../../src/domain/Manifest.ts"
import { clockAt } from "../fixtures/ClockAt.ts"
import {
  collect,
  counted,
  isCursor,
  isRecord,
  keysAndTexts,
  line,
  lines,
  transcripts,
  warnings
} from "../fixtures/Transcripts.ts"
import { watched } from "../fixtures/Vault.ts"

const name = ConnectorName.make("claude")

const user = (uuid: string, content: unknown, more: object = {}) => ({
  type: "user",
  uuid,
  parentUuid: null,
  cwd: "/w/demo",
  message: { role: "user", content },
  ...more
})

const answer = (uuid: string, id: string, content: unknown) => ({
  type: "assistant",
  uuid,
  message: { id, role: "assistant", content }
})

type Known = Parameters<SessionConnector["list"]>[0]

const listed = (connector: SessionConnector, known: Known = new Map()) =>
  Effect.gen(function*() {
    const { coverage, documents, roots } = yield* connector.list(known)
    const items = yield* collect(documents)
    const refs = items.filter((item) => item instanceof DocumentRef)
    return {
      coverage,
      roots: roots.map(({ status, uri }) => [String(uri), status]),
      refs,
      ids: refs.map(({ doc_id }) => String(doc_id)),
      skipped: items.flatMap((item) => item instanceof ListingSkip ? [`${item.doc_id}: ${item.reason}`] : [])
    }
  })

const entryOf = ({ doc_id, revision, source_uri }: DocumentRef): readonly [DocId, ManifestEntry] => [
  doc_id,
  new ManifestEntry({
    doc_id,
    source_uri,
    content_hash: Fingerprint.make(`sha256:${"0".repeat(64)}`),
    chunk_count: 0,
    synced_at: Timestamp.make("2026-05-01T00:00:00.000Z"),
    ...(revision === undefined ? {} : { revision })
  })
]

const at = (path: string, iso: string) => fs.utimesSync(path, new Date(iso), new Date(iso))

const content = line(user("a", "words"))

describe("SourceConnector/ClaudeCode lists", () => {
  it.scopedLive("every transcript and every sub-agent's, newest first, under a window", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      at(put("-w-demo/s1.jsonl", content), "2026-05-01")
      at(put("-w-demo/s2.jsonl", content), "2026-05-03")
      at(put("-w-demo/s1/subagents/agent-ab12.jsonl", content), "2026-05-02")
      at(put("-w-other/agent-cd34.jsonl", content), "2026-04-30")
      put("-w-demo/sessions-index.json", "{}")
      put("-w-demo/s1/subagents/workflows/wf_1/journal.jsonl", content)
      put("-w-demo/s1/subagents/notes.jsonl", content)
      put("-w-demo/s1/tool-results/x.txt", "x")
      put("-w-demo/.hidden.jsonl", content)
      put("history.jsonl", content)
      const { coverage, ids, refs, roots, skipped } = yield* listed(yield* ClaudeCode.make(name, { path: root }))
      assert.strictEqual(coverage, "window")
      assert.deepStrictEqual(roots, [[rootUri(root), "readable"]])
      assert.deepStrictEqual(ids, ["s2", "s1/agent-ab12", "s1", "agent-cd34"])
      assert.deepStrictEqual(skipped, [])
      const stat = fs.statSync(join(root, "-w-demo/s2.jsonl"), { bigint: true })
      assert.deepStrictEqual(
        refs.slice(0, 1).map(({ media_type, revision, size, source_uri }) => [media_type, revision, size, source_uri]),
        [[
          "application/jsonl",
          `${stat.size}-${stat.mtimeNs}-${stat.ino}`,
          content.length,
          rootUri(join(root, "-w-demo/s2.jsonl"))
        ]]
      )
    }))

  it.scopedLive("what should be one and cannot be read, with the reason, and opens none of it", () =>
    Effect.gen(function*() {
      const { at, put, root } = yield* transcripts
      put("p/s1.jsonl", content)
      put("p/s3.jsonl.zst", "x")
      execFileSync("mkfifo", [at("p/s2.jsonl")])
      fs.symlinkSync(at("p/s1.jsonl"), at("p/s4.jsonl"))
      fs.mkdirSync(at("p/s5.jsonl"))
      const connector = yield* ClaudeCode.make(name, { path: root })
      const { ids, skipped } = yield* listed(connector)
      assert.deepStrictEqual(ids, ["s1"])
      assert.deepStrictEqual([...skipped].sort(), [
        "s2: not a regular file",
        "s3: compressed",
        "s4: a symbolic link"
      ])
      const fifo = new DocumentRef({
        doc_id: (yield* listed(connector)).refs[0]?.doc_id ?? assert.fail(),
        source_uri: rootUri(at("p/s2.jsonl"))
      })
      const failure = yield* Effect.flip(collect(connector.records(fifo, undefined)))
      assert.match(failure.message, /s2\.jsonl: not a regular file; /)
    }))

  it.scopedLive("projects that a link leads to, once, and no link below", () =>
    Effect.gen(function*() {
      const { at, put, root } = yield* transcripts
      put("elsewhere/moved/s1.jsonl", content)
      put("projects/real/s2.jsonl", content)
      fs.symlinkSync(at("elsewhere/moved"), at("projects/link"))
      fs.symlinkSync(at("elsewhere/moved"), at("projects/link2"))
      fs.symlinkSync(at("projects/real"), at("projects/again"))
      fs.symlinkSync(at("nowhere"), at("projects/broken"))
      put("elsewhere/deep/subagents/agent-x.jsonl", content)
      fs.symlinkSync(at("elsewhere/deep"), at("projects/real/s2"))
      const { ids } = yield* listed(yield* ClaudeCode.make(name, { path: `${root}/projects` }))
      assert.deepStrictEqual([...ids].sort(), ["s1", "s2"])
    }))

  it.scopedLive("two sessions of one name under two ids, and lets each keep its own", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      put("b/s1.jsonl", content)
      const connector = yield* ClaudeCode.make(name, { path: root })
      const known = new Map((yield* listed(connector)).refs.map(entryOf))
      put("a/s1.jsonl", content)
      const uris = (refs: ReadonlyArray<DocumentRef>) =>
        Object.fromEntries(refs.map(({ doc_id, source_uri }) => [doc_id, source_uri.slice(rootUri(root).length)]))
      assert.deepStrictEqual(uris((yield* listed(connector)).refs), { "s1": "/a/s1.jsonl", "b/s1": "/b/s1.jsonl" })
      assert.deepStrictEqual(uris((yield* listed(connector, known)).refs), {
        "s1": "/b/s1.jsonl",
        "a/s1": "/a/s1.jsonl"
      })
    }))

  it.scopedLive("only what was written to since, and only the projects that are wanted", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      at(put("-w-demo/s1.jsonl", content), "2026-05-01")
      at(put("-w-demo/s2.jsonl", content), "2026-05-20")
      at(
        put("-w-x/s3.jsonl", `${"x".repeat(100)}\n${line({ type: "mode" })}${line(user("a", "b", { cwd: "/w/x" }))}`),
        "2026-05-10"
      )
      at(put("-w-none/s4.jsonl", line({ type: "summary", summary: "no folder" })), "2026-05-09")
      const ids = (options: Parameters<typeof ClaudeCode.make>[1]) =>
        Effect.gen(function*() {
          const connector = yield* ClaudeCode.make(name, { path: root, ...options })
          return (yield* listed(connector)).ids
        }).pipe(Effect.withClock(clockAt(() => Date.parse("2026-05-21"))))
      assert.deepStrictEqual(yield* ids({ since: "2026-05-10" }), ["s2", "s3"])
      assert.deepStrictEqual(yield* ids({ since: "30d" }), ["s2", "s3", "s4", "s1"])
      assert.deepStrictEqual(yield* ids({ since: "2w" }), ["s2", "s3", "s4"])
      assert.deepStrictEqual(yield* ids({ since: "30h" }), ["s2"])
      assert.deepStrictEqual(yield* ids({ project: "/w/demo" }), ["s2", "s1"])
      assert.deepStrictEqual(yield* ids({ project: "/w/**" }), ["s2", "s3", "s1"])
      assert.deepStrictEqual(yield* ids({ project: ["**/x", "/nowhere"] }), ["s3"])
      assert.deepStrictEqual(yield* ids({ project: "-w-none" }), ["s4"])
      const remarkOf = (project: string) =>
        Effect.flatMap(ClaudeCode.make(name, { path: root, project }), ({ list }) =>
          Effect.map(list(new Map()), ({ remark }) => remark))
      assert.include(yield* remarkOf("foo"), "matches 0 of 4 transcripts")
      assert.isUndefined(yield* remarkOf("/w/demo"))
    }))

  it.scopedLive("a folder that cannot be read as such, beside all others, and fails at the limit of the process", () =>
    Effect.gen(function*() {
      const { at, put, root } = yield* transcripts
      put("good/s1.jsonl", content)
      put("locked/s2.jsonl", content)
      put("good/s3.jsonl", content)
      const { disk, watch } = watched()
      const connector = yield* Effect.provideService(ClaudeCode.make(name, { path: root }), Disk, disk)
      watch.fails = (operation, path) =>
        operation === "entries" && path === at("locked") || operation === "access" && path === at("good/s3.jsonl")
          ? "EACCES"
          : undefined
      const { ids, roots, skipped } = yield* listed(connector)
      assert.deepStrictEqual(ids, ["s1"])
      assert.deepStrictEqual(skipped, ["s3: it cannot be read (EACCES)"])
      assert.deepStrictEqual(roots, [[rootUri(root), "readable"], [rootUri(at("locked")), "unreadable"]])
      for (const where of ["entries", "stat"] as const) {
        watch.fails = (operation) => operation === where ? "EMFILE" : undefined
        const failure = yield* Effect.flip(listed(connector))
        assert.match(failure.message, /cannot list connector "claude": the system gives no more files .*EMFILE/)
      }
    }))

  it.scopedLive("a root that is missing as missing, and one that is no folder as unreadable", () =>
    Effect.gen(function*() {
      const { at, put } = yield* transcripts
      put("file", "x")
      for (const [path, status] of [["nowhere", "missing"], ["file", "unreadable"]] as const) {
        const { ids, roots } = yield* listed(yield* ClaudeCode.make(name, { path: at(path) }))
        assert.deepStrictEqual([ids, roots], [[], [[rootUri(at(path)), status]]])
      }
    }))

  it.scopedLive("from the agent's own folder where none is named", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      put("projects/p/s1.jsonl", content)
      const withEnvironment = (entries: ReadonlyArray<readonly [string, string]>) =>
        Effect.flatMap(ClaudeCode.make(name, {}), listed).pipe(
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map(entries)))
        )
      assert.deepStrictEqual((yield* withEnvironment([["CLAUDE_CONFIG_DIR", root]])).ids, ["s1"])
      const { roots } = yield* withEnvironment([])
      assert.deepStrictEqual(roots.map(([uri]) => uri), [rootUri(join(homedir(), ".claude/projects"))])
    }))

  it.scopedLive("without reading a byte", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      put("p/s1.jsonl", content)
      const count = counted()
      const connector = yield* ClaudeCode.make(name, { path: root, since: "4w" })
      yield* Effect.provideService(listed(connector), Files, count.files)
      assert.strictEqual(count.bytes, 0)
    }))
})

const readAll = (path: string, cursor?: Cursor) => collect(Source.read({ path }, cursor))

const lastCursor = (items: ReadonlyArray<unknown>) => {
  const last = items.at(-1)
  return isCursor(last) ? last : assert.fail("the last item is no cursor")
}

describe("SourceConnector/ClaudeCode reads", () => {
  it.scopedLive("a listed session under its id, and what was added to it alone", () =>
    Effect.gen(function*() {
      const { put, root } = yield* transcripts
      const path = put(
        "p/s1.jsonl",
        lines(user("a", "1"), answer("b", "m", [{ type: "tool_use", id: "t", name: "Bash", input: {} }]))
      )
      const connector = yield* ClaudeCode.make(name, { path: root })
      const [ref = assert.fail()] = (yield* listed(connector)).refs
      const first = yield* collect(connector.records(ref, undefined))
      assert.deepStrictEqual(first.filter(isRecord).map(({ key, seq, session_key }) => [key, seq, session_key]), [
        ["claude:a#0", 0, "s1"],
        ["claude:b#0", 1, "s1"]
      ])
      assert.deepStrictEqual(yield* collect(connector.records(ref, lastCursor(first))), [])
      fs.appendFileSync(path, line(user("c", [{ type: "tool_result", tool_use_id: "t", content: "out" }])))
      const second = yield* collect(connector.records(ref, lastCursor(first)))
      assert.deepStrictEqual(
        second.filter(isRecord).map(({ key, seq, tool_name }) => [key, seq, tool_name]),
        [["claude:c#0", 2, "Bash"]]
      )
      assert.deepStrictEqual([lastCursor(second).offset, lastCursor(second).next_seq], [fs.statSync(path).size, 3])
    }))

  it.scopedLive("the longer form of a snapshot in the next reading as one that supersedes it", () =>
    Effect.gen(function*() {
      const { put } = yield* transcripts
      const path = put("s1.jsonl", line(answer("a", "m", [{ type: "text", text: "The" }])))
      const cursor = lastCursor(yield* readAll(path))
      fs.appendFileSync(path, line(answer("b", "m", [{ type: "text", text: "The port" }])))
      const [record] = (yield* readAll(path, cursor)).filter(isRecord)
      assert.deepStrictEqual([record?.key, record?.supersedes], ["claude:b#0", "claude:a#0"])
    }))

  it.scopedLive("a last line without an end, if it is whole, and stays before it", () =>
    Effect.gen(function*() {
      const { put } = yield* transcripts
      const whole = line(user("a", "1"))
      const path = put("s1.jsonl", whole + line(user("b", "2")).trimEnd())
      const first = yield* readAll(path)
      assert.deepStrictEqual([...keysAndTexts(first).values()], ["1", "2"])
      assert.deepStrictEqual([lastCursor(first).offset, lastCursor(first).next_seq], [whole.length, 1])
      fs.writeFileSync(path, whole + line(user("b", "2")).slice(0, 20))
      const torn = yield* readAll(path)
      assert.deepStrictEqual([[...keysAndTexts(torn).values()], warnings(torn)], [["1"], []])
      assert.strictEqual(lastCursor(torn).offset, whole.length)
      fs.writeFileSync(path, lines(user("a", "1"), user("b", "2"), user("c", "3")))
      const rest = yield* readAll(path, lastCursor(torn))
      assert.deepStrictEqual(rest.filter(isRecord).map(({ seq, text }) => [seq, text]), [[1, "2"], [2, "3"]])
    }))

  it.scopedLive("all of it again where the cursor does not fit: other bytes, a shorter file, another file", () =>
    Effect.gen(function*() {
      const { put } = yield* transcripts
      const path = put("s1.jsonl", lines(user("a", "1"), user("b", "2")))
      const cursor = lastCursor(yield* readAll(path))
      const count = (cursor: Cursor) => Effect.map(readAll(path, cursor), (items) => items.filter(isRecord).length)
      assert.strictEqual(yield* count(cursor), 0)
      assert.strictEqual(yield* count(new Cursor({ ...cursor, path: "/elsewhere" })), 2)
      fs.writeFileSync(path, lines(user("a", "1"), user("c", "2")))
      assert.strictEqual(yield* count(cursor), 2)
      fs.writeFileSync(path, line(user("a", "1")))
      assert.strictEqual(yield* count(cursor), 1)
      fs.writeFileSync(path, "")
      assert.deepStrictEqual(yield* readAll(path, cursor), [])
    }))

  it.scopedLive("in batches, each with a cursor, in whose place a reading can go on", () =>
    Effect.gen(function*() {
      const { put } = yield* transcripts
      const path = put("s1.jsonl", lines(...Array.from({ length: 1200 }, (_, i) => user(`u${i}`, `text ${i}`))))
      const batches = yield* collect(Stream.chunks(Source.read({ path }, undefined)))
      const items = batches.flatMap((batch) => [...batch])
      const records = items.filter(isRecord)
      assert.strictEqual(records.length, 1200)
      const sizes = batches.map((batch) => [...batch].filter(isRecord).length)
      for (const size of sizes.slice(0, -1)) assert.isTrue(size >= 256 && size <= 4096, `${size} a batch`)
      for (const batch of batches) assert.isTrue(isCursor([...batch].at(-1)))
      const [first = assert.fail()] = items.filter(isCursor)
      const before = items.indexOf(first)
      const rest = (yield* readAll(path, first)).filter(isRecord)
      assert.deepStrictEqual([...items.slice(0, before).filter(isRecord), ...rest], records)
    }))

  it.scopedLive("an output that was saved in the session's own folder, and no other file", () =>
    Effect.gen(function*() {
      const { at, put } = yield* transcripts
      const saved = (path: string) =>
        `<persisted-output>\nOutput too large (54 KB). Full output saved to: ${path}\n\nPreview (first 2KB):\nbegin\n</persisted-output>`
      const result = (uuid: string, path: string) =>
        user(uuid, [{ type: "tool_result", tool_use_id: "t", content: saved(path) }])
      put("p/s1/tool-results/x.txt", "begin\nand all\ud83d of it")
      put("p/s2/tool-results/y.txt", "secret")
      put("p/secret.txt", "secret")
      fs.symlinkSync(at("p/secret.txt"), at("p/s1/tool-results/link.txt"))
      const path = put(
        "p/s1.jsonl",
        lines(
          result("a", "/home/me/.claude/projects/p/s1/tool-results/x.txt"),
          result("b", at("p/s2/tool-results/y.txt")),
          result("c", at("p/s1/tool-results/../../secret.txt")),
          result("d", at("p/s1/tool-results/link.txt")),
          result("e", at("p/s1/tool-results/gone.txt")),
          user("f", saved("quoted")),
          user("g", "end")
        )
      )
      const items = yield* readAll(path)
      const records = items.filter(isRecord)
      assert.deepStrictEqual(
        records.map(({ key }) => key),
        ["a#0", "a#0.saved", "b#0", "c#0", "d#0", "e#0", "f#0", "g#0"].map((key) => `claude:${key}`)
      )
      const full = records[1]
      assert.deepStrictEqual([full?.text, full?.origin?.path, full?.kind], [
        "begin\nand all\uFFFD of it",
        at("p/s1/tool-results/x.txt"),
        "tool_result"
      ])
      const says = warnings(items)
      assert.strictEqual(says.length, 4)
      assert.match(
        says.join("\n"),
        /y\.txt is not in the folder of the session[^]*secret\.txt is not in[^]*\(ELOOP|OTHER\)[^]*\(ENOENT\)/
      )
      for (const { text } of records) assert.notStrictEqual(text, "secret")
      // The same whether the file is there or not.
      assert.strictEqual(new Set(records.map(({ seq }) => seq)).size, records.length)
    }))

  it.scopedLive("Records alone as a RecordSource, and logs the rest", () =>
    Effect.gen(function*() {
      const { put } = yield* transcripts
      const path = put("s1.jsonl", `42\n${line(user("a", "1"))}`)
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      const records = yield* collect(Source.make({ path }).records).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      assert.deepStrictEqual(records.map(({ text }) => text), ["1"])
      assert.deepStrictEqual(logged, [`${path}: 2 bytes at 0: no JSON object`])
      const failure = yield* Effect.flip(collect(Source.make({ path: `${path}.gone` }).records))
      assert.match(failure.message, /s1\.jsonl\.gone: it is no longer there; /)
    }))
})
