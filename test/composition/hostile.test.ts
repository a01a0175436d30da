/**
 * What people and programs put into a vault, a configuration or a command line to break mem, or to lead somebody astray
 * who reads what it prints: all of it through the built program.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { type Ended, folder, mem } from "./Mem.ts"

const yaml = "connectors:\n  notes: { kind: folder, path: ./notes }\nembedder: { kind: hashed }\n"

/** What no text of a stranger may bring onto a terminal. */

const acting = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

const clean = (what: string, { stderr, stdout }: Ended): void => {
  assert.notMatch(stdout, acting, `${what}: standard output`)
  assert.notMatch(stderr, acting, `${what}: standard error`)
}

const segment = (home: string): string => path.join(home, "log/segments/00000001.jsonl")

const filesBelow = (root: string): ReadonlyArray<string> =>
  fs.readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(root, name)).filter((file) => fs.lstatSync(file).isFile())

/** What the dump says of each document, its passages put together. */
const texts = (dump: string): ReadonlyMap<string, string> => {
  const documents = new Map<string, string>()
  for (const line of dump.split("\n").slice(0, -1)) {
    const { doc_id, text } = JSON.parse(line)
    documents.set(doc_id, (documents.get(doc_id) ?? "") + text)
  }
  return documents
}

const idsIn = (manifest: string): ReadonlyArray<string> =>
  manifest.split("\n").slice(0, -1).map((line) => JSON.parse(line).doc_id)

/** The sockets and pipes of a vault go with it. */
const socketAt = (file: string): Effect.Effect<net.Server, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<net.Server>((resume) => {
      const server = net.createServer()
      server.listen(file, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  )

const anchors = Array.from(
  { length: 30 },
  (_, i) => `a${i}: &a${i} [${i === 0 ? "x" : `*a${i - 1}, `.repeat(9)}]`
).join("\n")

const bombs: { readonly [name: string]: string } = {
  "aliases.md": `---\n${anchors}\n---\n# Aliases\n\nbody\n`,
  "deep.md": `---\na: ${"[".repeat(60_000)}\n---\n# Deep\n\nbody\n`,
  "deep-map.md": `---\n${"{a: ".repeat(30_000)}\n---\nbody\n`,
  "indented.md": `---\n${Array.from({ length: 300 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")}\n---\nbody\n`,
  "merge.md": "---\nbase: &b { k: 1 }\n<<: *b\n---\nbody\n",
  "twice.md": "---\nk: 1\nk: 2\n---\nbody\n",
  "tag.md": "---\nk: !!js/function 'function(){}'\n---\nbody\n",
  "proto.md": "---\n__proto__: { polluted: true }\nconstructor: { prototype: { polluted: true } }\n---\nbody\n",
  "constructor.md": "---\nconstructor: x\ntoString: y\nhasOwnProperty: z\n---\nbody\n",
  "large.md": `---\nk: "${"x".repeat(300 * 1024)}"\n---\nbody\n`
}

const names = [
  "__proto__.md",
  "constructor/prototype.md",
  "a..md",
  "line\nbreak.md",
  "\u202egnp.md",
  "\u001b[2J\u001b]0;title\u0007.md",
  "\u009b31m.md",
  "-rf.md",
  "%2e%2e%2fetc%2fpasswd.md",
  "a..\\..\\windows.md",
  `${"n".repeat(252)}.md`,
  "a:b:1-2.md",
  "\u2028.md",
  "${HOME}.md"
]

describe("a vault of hostile notes", () => {
  it.scopedLive("is stored to the letter, and none of it is taken for anything but text", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "connectors.yaml": yaml, "notes/seed.md": "# Seed\n\na seed\n", "outside.md": "x" })
      assert.strictEqual((yield* mem(["sync"], { cwd })).code, 0)
      const log = fs.readFileSync(segment(cwd), "utf8")
      const manifest = fs.readFileSync(path.join(cwd, "log/connectors/notes.manifest.jsonl"), "utf8")
      const [, , ...group] = log.split("\n")
      const notes: { readonly [name: string]: string } = {
        ...bombs,
        "forged.md": `# Forged\n\n${log}\n\n${manifest}\n`,
        "forged.txt": `\n${group.join("\n")}`,
        "forged-ends.txt": `text\r\n${group.join("\r\n")}\r${group.join("\u2028")}`,
        "open.md": "text\n{\"v\":1,\"seq\":",
        "long.txt": `${"one line ".repeat(30_000)}`,
        ...Object.fromEntries(names.map((name, i) => [name, `# ${name}\n\nnote ${i} says ${name}\n`]))
      }
      for (const [name, content] of Object.entries(notes)) {
        const file = path.join(cwd, "notes", name)
        fs.mkdirSync(path.dirname(file), { recursive: true })
        fs.writeFileSync(file, content)
      }
      const at = (name: string): string => path.join(cwd, "notes", name)
      fs.writeFileSync(at("huge.txt"), Buffer.alloc(50 * 1024 * 1024, "a"))
      const outside = yield* folder({ "secret.md": "outside-canary", "sub/secret.md": "outside-canary" })
      fs.symlinkSync(path.join(outside, "secret.md"), at("link.md"))
      fs.symlinkSync(outside, at("folder"))
      fs.symlinkSync("..", at("up"))
      fs.symlinkSync("circle.md", at("circle.md"))
      fs.symlinkSync("/dev/zero", at("zero.md"))
      execFileSync("mkfifo", [at("pipe.md")])
      yield* socketAt(at("socket.md"))
      // Only root may make a device.
      const device = spawnSync("mknod", [at("device.md"), "c", "1", "5"]).status === 0

      const synced = yield* mem(["sync", "--json"], { cwd })
      assert.strictEqual(synced.code, 0, synced.stdout + synced.stderr)
      const [report] = JSON.parse(synced.stdout).connectors
      const skipped = [
        "circle.md",
        ...(device ? ["device.md"] : []),
        "huge.txt",
        "link.md",
        "pipe.md",
        "socket.md",
        "zero.md"
      ]
      assert.deepStrictEqual(report.skipped.map(({ doc_id }: { doc_id: string }) => doc_id).sort(), skipped)
      assert.strictEqual(report.new, Object.keys(notes).length)

      const dumped = yield* mem(["dump"], { cwd })
      const expected = new Map(Object.entries({ ...notes, "seed.md": "# Seed\n\na seed\n" }))
      assert.deepStrictEqual([...texts(dumped.stdout)].sort(), [...expected].sort())
      for (const words of [["doctor"], ["rebuild", "--from-log"]]) {
        const ended = yield* mem(words, { cwd })
        assert.strictEqual(ended.code, 0, `${words.join(" ")}: ${ended.stdout}${ended.stderr}`)
        clean(words.join(" "), ended)
      }
      assert.strictEqual((yield* mem(["dump"], { cwd })).stdout, dumped.stdout)
      for (const file of filesBelow(path.join(cwd, "log"))) {
        assert.notInclude(fs.readFileSync(file, "latin1"), "outside-canary", file)
      }
      const before = fs.readFileSync(segment(cwd))
      const again = yield* mem(["sync"], { cwd })
      clean("sync", again)
      assert.include(again.stdout, "nothing has changed")
      assert.isTrue(fs.readFileSync(segment(cwd)).equals(before))

      for (
        const words of [
          ["status"],
          ["ref", "list"],
          ["drift"],
          ["search", "\u001b]0;t\u0007 says \u202e", "-k", "50"],
          ["get", "notes:\u001b[2J\u001b]0;title\u0007.md:1-3"]
        ]
      ) {
        const ended = yield* mem(words, { cwd })
        assert.strictEqual(ended.code, 0, ended.stderr)
        clean(words.join(" "), ended)
      }
    }), 60_000)
})

describe("a hostile configuration, command line or file of the home", () => {
  it.scopedLive("is refused by name and line, within a second, and makes nothing", () =>
    Effect.gen(function*() {
      const files: ReadonlyArray<readonly [text: string, says: RegExp]> = [
        [`connectors:\n  "../../etc/x": { kind: folder, path: . }\n`, /yaml:2: .*\.\.\/\.\.\/etc\/x/],
        [`connectors:\n  __proto__: { kind: folder, path: . }\n`, /yaml:2: .*no key may have this name/],
        [`connectors:\n  "a\\u001b[2J\\u202e": { kind: folder, path: . }\n`, /yaml:2: /],
        [anchors, /aliases|expected/],
        [`connectors: ${"{a: ".repeat(60_000)}`, /nested deeper/],
        [`a: "${"x".repeat(1024 * 1024)}"`, /the most is 262144/]
      ]
      yield* Effect.forEach(files, ([text, says]) =>
        Effect.gen(function*() {
          const cwd = yield* folder({ "connectors.yaml": text })
          const ended = yield* mem(["sync"], { cwd })
          assert.strictEqual(ended.code, 2, ended.stderr)
          assert.match(ended.stderr.replaceAll(/\s+/g, " "), says)
          clean(text.slice(0, 40), ended)
          assert.deepStrictEqual(fs.readdirSync(cwd), ["connectors.yaml"])
        }), { concurrency: 2 })
    }), 60_000)

  it.scopedLive(
    "reaches nothing outside of what was stored, and says its words so that they do nothing",
    () =>
      Effect.gen(function*() {
        const cwd = yield* folder({
          "connectors.yaml": yaml,
          "notes/a.md": "# A\n\na\n",
          "secret.md": "outside-canary"
        })
        assert.strictEqual((yield* mem(["sync"], { cwd })).code, 0)
        const manifest = path.join(cwd, "log/connectors/notes.manifest.jsonl")
        const kept = fs.readFileSync(manifest, "utf8")
        const digest = (yield* mem(["dump", "--digest"], { cwd })).stdout
        yield* Effect.forEach([
          ["get", "notes:../secret.md"],
          ["get", "notes:a\u001b[2J\u202e.md"],
          ["get", "../../etc:passwd"],
          ["ref", "rm", "notes", "../\u001b]0;x\u0007secret.md"],
          ["sync", "\u001b[2J"],
          ["--\u001b[2J"],
          ["chunk", "nowhere\u001b[2J.md"]
        ], (words) =>
          Effect.gen(function*() {
            const ended = yield* mem(words, { cwd })
            assert.oneOf(ended.code, [1, 2], words.join(" "))
            clean(words.join(" "), ended)
            assert.notInclude(ended.stdout + ended.stderr, "outside-canary")
          }), { concurrency: 2 })

        // A manifest that somebody wrote: other names, a name of an object's own, and a document that was never stored.
        const [entry = ""] = kept.split("\n")
        const forged = (doc_id: string): string => entry.replace("\"a.md\"", JSON.stringify(doc_id))
        fs.appendFileSync(manifest, `${["__proto__", "../secret.md", "constructor"].map(forged).join("\n")}\n`)
        const synced = yield* mem(["sync"], { cwd })
        assert.strictEqual(synced.code, 0, synced.stderr)
        clean("sync", synced)
        assert.strictEqual((yield* mem(["dump", "--digest"], { cwd })).stdout, digest)
        assert.deepStrictEqual(idsIn(fs.readFileSync(manifest, "utf8")), idsIn(kept))
        assert.strictEqual((yield* mem(["log", "verify"], { cwd })).code, 0)
        assert.strictEqual(fs.readFileSync(path.join(cwd, "secret.md"), "utf8"), "outside-canary")
      }),
    60_000
  )

  it.scopedLive(
    "a secret of the environment is in no file of the home, and in nothing that is printed",
    () =>
      Effect.gen(function*() {
        const canary = "hunter2/canary&x"
        const cwd = yield* folder({
          "connectors.yaml": `connectors:
  notes: { kind: folder, path: ./notes, exclude: ["\${TOKEN}/**"] }
  gone: { kind: folder, path: "./\${TOKEN}" }
  odd: { kind: folder, path: ./notes, token: "\${TOKEN}" }
embedder: { kind: hashed }
`,
          "notes/a.md": "# A\n\na\n"
        })
        const env = { TOKEN: canary }
        for (
          const words of [
            ["sync"],
            ["sync", "--json"],
            ["status", "--json"],
            ["doctor"],
            ["doctor", "--json"],
            ["sync", "gone"],
            ["search", "a"],
            ["log", "cat"],
            ["dump"]
          ]
        ) {
          const { stderr, stdout } = yield* mem(words, { cwd, env })
          for (const spelling of [canary, encodeURI(canary), encodeURIComponent(canary)]) {
            assert.notInclude(stdout + stderr, spelling, words.join(" "))
          }
        }
        const files = filesBelow(cwd)
        assert.isAbove(files.length, 4)
        for (const file of files) assert.notInclude(fs.readFileSync(file, "latin1"), "canary", file)
      }),
    60_000
  )
})
