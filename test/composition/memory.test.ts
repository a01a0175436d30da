/** What was stored, looked at through the built program; and that looking changes nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { folder, type Given, mem } from "./Mem.ts"
import { tracedMem, unchanged } from "./Traces.ts"

const odd = "odd: 1-2 \u001b[31m#?%\n.md"

const vault = {
  "notes/k8s.md":
    "# Kubernetes\n\nA cluster of machines.\n\n## Networking\n\nEach pod has an address.\r\nServices have one too.\n",
  "notes/bread.txt": "Rye bread keeps for a week in a linen bag.\n",
  [`notes/${odd}`]: "A name that is hard to print.\n"
}

const yaml = "connectors:\n  notes: { kind: folder, path: ./notes }\n"

/** The model of the tests is one that needs no loading. */
const hashed = `${yaml}embedder: { kind: hashed }\n`

const filled = Effect.gen(function*() {
  const cwd = yield* folder({ "connectors.yaml": hashed, ...vault })
  const { code, stderr } = yield* mem(["sync"], { cwd })
  assert.deepStrictEqual([code, stderr], [0, ""])
  return cwd
})

const json = (args: ReadonlyArray<string>, given: Given) =>
  Effect.map(mem([...args, "--json"], given), ({ code, stderr, stdout }) => {
    assert.match(stdout, /^[^\n]+\n$/, `${args.join(" ")}: ${stderr}`)
    const document = JSON.parse(stdout)
    assert.strictEqual(document.ok, code === 0, stdout)
    assert.strictEqual(document.command, args.filter((word) => /^[a-z]+$/.test(word)).slice(0, words(args)).join(" "))
    return { code, document }
  })

const words = ([first]: ReadonlyArray<string>): number => first === "ref" || first === "log" ? 2 : 1

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

describe("memory", () => {
  it.scopedLive("is counted, listed and searched", () =>
    Effect.gen(function*() {
      const cwd = yield* filled
      const { document: status } = yield* json(["status"], { cwd })
      assert.deepInclude(status.connectors[0], { name: "notes", kind: "folder", documents: 3, pending: 0, failed: [] })
      assert.deepInclude(status.log, { segments: 1, dead: 0 })
      assert.deepStrictEqual(status.projection, { state: "current", behind: 0 })

      const listed = yield* mem(["ref", "list", "notes"], { cwd })
      assert.match(
        listed.stdout,
        /^notes: 3 documents\n(.*\n){3} +1 {2}.* UTC {2}odd: 1-2 \\u001b\[31m#\?%\\u000a\.md\n$/
      )
      assert.strictEqual((yield* json(["ref", "list", "nots"], { cwd })).code, 2)

      const search = yield* json(["search", "address", "of", "a", "pod", "--mode", "keyword", "-k", "1"], { cwd })
      const [hit] = search.document.hits
      assert.deepInclude(hit, {
        level: "R",
        connector: "notes",
        doc_id: "k8s.md",
        heading_path: ["Kubernetes", "Networking"],
        lines: [5, 8],
        stale: false
      })
      assert.deepInclude(search.document, { query: "address of a pod", mode: "keyword" })
      fs.appendFileSync(path.join(cwd, "notes/k8s.md"), "edited\n")
      const edited = yield* json(["search", "pod", "rye", "--path", "*.md", "--mode", "keyword"], { cwd })
      assert.deepStrictEqual(
        edited.document.hits.map(({ doc_id, stale }: { doc_id: string; stale: boolean }) => [doc_id, stale]),
        [["k8s.md", true]]
      )
    }))

  it.scopedLive("is printed by lines or whole, and dumped", () =>
    Effect.gen(function*() {
      const cwd = yield* filled
      const lines = yield* json(["get", "notes:k8s.md:5-8", "--context", "1"], { cwd })
      const text = vault["notes/k8s.md"]
      assert.deepInclude(lines.document, {
        level: "R",
        heading_path: ["Kubernetes", "Networking"],
        before: "\n",
        text: text.slice(text.indexOf("## Networking")),
        after: "",
        lines: [5, 8],
        of: 8
      })
      const shown = yield* mem(["get", "notes:k8s.md:7"], { cwd })
      assert.strictEqual(
        shown.stdout,
        [
          "notes:k8s.md, line 7 of 8",
          "Kubernetes > Networking",
          "",
          "  4",
          "  5  ## Networking",
          "  6",
          "> 7  Each pod has an address.",
          "  8  Services have one too.",
          ""
        ].join("\n")
      )
      assert.strictEqual((yield* mem(["get", "notes:k8s.md"], { cwd })).stdout, text)
      assert.strictEqual((yield* mem(["get", `notes:${odd}`], { cwd })).stdout, vault[`notes/${odd}`])
      const absent = yield* json(["get", "notes:absent.md"], { cwd })
      assert.deepStrictEqual([absent.code, absent.document.error.code], [1, "NotInMemory"])

      const dump = yield* mem(["dump", "--embeddings"], { cwd })
      const items = dump.stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        [...new Set(items.map(({ doc_id }) => doc_id))],
        ["bread.txt", "k8s.md", odd]
      )
      assert.isTrue(items.every(({ embedding, level }) => level === "R" && typeof embedding === "string"))
      const { stdout: digest } = yield* mem(["dump", "--digest"], { cwd })
      assert.strictEqual(digest, `${sha256(dump.stdout)}\n`)

      fs.rmSync(path.join(cwd, "projection"), { recursive: true })
      const lost = yield* mem(["search", "rye", "--mode", "keyword", "-k1"], { cwd })
      assert.match(lost.stderr, /^mem: warning: the search index at .* is not made yet/)
      assert.include(lost.stdout, "notes:bread.txt:1  (R reference)")
      assert.strictEqual((yield* json(["doctor"], { cwd })).code, 1)
      const rebuilt = yield* json(["rebuild", "--from-log"], { cwd })
      assert.deepInclude(rebuilt.document, { embed_calls: 0, live_chunks: items.length, state_sha256: digest.trim() })
      assert.strictEqual((yield* json(["doctor"], { cwd })).code, 0)
    }))

  it.scopedLive("loses a document that is taken out, and has it again when it is let back in", () =>
    Effect.gen(function*() {
      const cwd = yield* filled
      const out = yield* mem(["ref", "rm", "notes", "bread.txt"], { cwd })
      assert.strictEqual(out.code, 0)
      assert.match(out.stdout, /bread\.txt of notes is no longer found.* its text\s+stays in the log/s)
      assert.strictEqual((yield* json(["ref", "rm", "notes", "bread.txt"], { cwd })).code, 1)
      assert.strictEqual((yield* json(["ref", "rm", "nots", "bread.txt"], { cwd })).code, 2)
      const found = yield* json(["search", "rye", "--mode", "keyword"], { cwd })
      assert.deepStrictEqual(found.document.hits, [])
      const sync = yield* json(["sync"], { cwd })
      assert.deepInclude(sync.document.connectors[0], {
        new: 0,
        skipped: [{ doc_id: "bread.txt", reason: "excluded" }]
      })
      const back = yield* json(["ref", "add", "notes", "bread.txt"], { cwd })
      assert.deepStrictEqual(back.document, { command: "ref add", ok: true, connector: "notes", doc_id: "bread.txt" })
      const again = yield* json(["sync"], { cwd })
      assert.deepInclude(again.document.connectors[0], { new: 1, embed_texts: 0, reused: 1 })
    }))

  it.scopedLive("is mended: a manifest and an index that do not say what the log says", () =>
    Effect.gen(function*() {
      const cwd = yield* filled
      const manifest = path.join(cwd, "log/connectors/notes.manifest.jsonl")
      const right = fs.readFileSync(manifest, "utf8")
      fs.writeFileSync(manifest, right.slice(right.indexOf("\n") + 1))
      fs.writeFileSync(path.join(cwd, "projection/index.sqlite"), "no database")
      const before = yield* mem(["doctor"], { cwd })
      assert.strictEqual(before.code, 1)
      assert.match(before.stdout, /\nPROBLEM manifest of notes: it differs from the log in 1 document: bread\.txt\n/)
      assert.match(before.stdout, /\nPROBLEM index: it is damaged.*\n(.*\n)+2 problems\n$/)
      const mended = yield* json(["doctor", "--repair"], { cwd })
      assert.strictEqual(mended.code, 0)
      assert.deepStrictEqual(mended.document.repaired, [
        "the manifest of notes was written anew from the log",
        "the search index was brought up to the log"
      ])
      assert.deepStrictEqual(
        fs.readFileSync(manifest, "utf8").split("\n").map((line) => line.replace(/"revision":"[^"]*",/, "")),
        right.split("\n").map((line) => line.replace(/"revision":"[^"]*",/, ""))
      )
    }))
})

it.scopedLive("an index that cannot be written costs nothing that is stored, and no search", () =>
  Effect.gen(function*() {
    const cwd = yield* folder({ "connectors.yaml": hashed, ...vault, projection: "in the way" })
    const sync = yield* mem(["sync"], { cwd })
    assert.strictEqual(sync.code, 0)
    assert.match(sync.stderr, /^mem: warning: the search index at .* cannot be used: .*All else goes on without it\n$/)
    const found = yield* mem(["search", "rye", "--mode", "keyword", "-k1"], { cwd })
    assert.include(found.stdout, "notes:bread.txt:1  (R reference)")
    assert.strictEqual((yield* mem(["rebuild", "--from-log"], { cwd })).code, 1)
  }))

describe("a mistyped command", () => {
  it.scopedLive("is refused with 2, and makes nothing, not even in a home that is not there", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "connectors.yaml": hashed })
      const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [["search"], "nothing is looked for"],
        [["search", "x", "--mode", "fuzzy"], "it must be one of hybrid, vector, keyword"],
        [["search", "x", "-k", "0"], "from 1 to 1000"],
        [["search", "x", "--since", "2026-05-02", "--until", "2026-05-01"], "nothing lies between"],
        [["search", "x", "--connector", "nots"], "there is \"notes\""],
        [["get", "k8s.md"], "names no document"],
        [["get", "notes:k8s.md"], "there is no memory in"],
        [["dump", "--json"], "JSON lines without --json"],
        [["log", "cat", "--kind", "foo"], "must be one of segment, vector, reference, tombstone, commit,"],
        [["rebuild"], "mem rebuild --from-log"],
        [["rebuild", "--from-log", "--home", path.join(cwd, "typo")], "there is no memory in"],
        [["sync", "--drift", "--verify"], "takes no other option"]
      ]
      yield* Effect.forEach(wrong, ([args, what]) =>
        Effect.map(mem(args, { cwd }), ({ code, stderr, stdout }) => {
          assert.strictEqual(code, 2, args.join(" "))
          assert.include(stderr, what)
          assert.strictEqual(stdout.startsWith("{"), args.includes("--json"))
        }), { concurrency: 2 })
      assert.deepStrictEqual(fs.readdirSync(cwd), ["connectors.yaml"])
    }))
})

const readers: ReadonlyArray<ReadonlyArray<string>> = [
  ["status"],
  ["drift", "--estimate"],
  ["ref", "list"],
  ["search", "bread"],
  ["get", "notes:k8s.md:1"],
  ["dump", "--digest"],
  ["doctor"]
]

describe("looking", () => {
  it.scopedLive("changes no byte, makes no file and takes no lock", () =>
    Effect.gen(function*() {
      const cwd = yield* filled
      // Something to do, and something wrong.
      fs.writeFileSync(path.join(cwd, "notes/new.md"), "# New\n")
      const look = (commands: typeof readers) =>
        Effect.forEach(commands, (args) =>
          Effect.map(tracedMem(args, { cwd }), ({ code, stderr, trace }) => {
            assert.strictEqual(code, 0, stderr)
            assert.deepStrictEqual(trace.change, [], args.join(" "))
            const other = trace.native.filter((file) => !file.includes("sqlite"))
            assert.deepStrictEqual(other, [], args.join(" "))
          }), { concurrency: 2 })
      yield* unchanged(cwd)(look(readers))
      fs.rmSync(path.join(cwd, "projection"), { recursive: true })
      yield* unchanged(cwd)(look([["status"], ["search", "bread"], ["dump"]]))
    }), 60_000)

  it.scopedLive("loads no model, in a home that uses one", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "connectors.yaml": yaml, ...vault })
      const looks = [["status"], ["drift", "--estimate"], ["search", "bread", "--mode", "keyword"]]
      yield* unchanged(cwd)(Effect.forEach(looks, (args) =>
        Effect.map(tracedMem(args, { cwd }), ({ code, stderr, trace }) => {
          assert.strictEqual(code, 0, stderr)
          assert.deepStrictEqual(trace.read.filter((file) => /safetensors|EngineWorker|\.onnx|\.wasm/.test(file)), [])
          assert.deepStrictEqual(trace.native.filter((file) => !file.includes("sqlite")), [])
        })))
    }))
})
