/** A folder of notes through the built program: from nothing to what is found, and every way in which it can go wrong. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { type Ended, folder, type Given, mem, start, startMem } from "./Mem.ts"

const holder = fileURLToPath(new URL("./holdLock.mjs", import.meta.url))

/** The model of the tests is one that needs no loading. */
const hashed = "embedder: { kind: hashed }\n"

const notesYaml = `connectors:\n  notes: { kind: folder, path: ./notes }\n${hashed}`

const note = (n: number) => `# Note ${n}\n\n${`apples and pears number ${n} `.repeat(8)}\n`

const notes = (count: number): { readonly [name: string]: string } =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`notes/n${i}.md`, note(i)]))

const home = (files: { readonly [name: string]: string | Uint8Array }) =>
  folder({ "connectors.yaml": notesYaml, ...files })

const codeAnd = ({ code, stderr, stdout }: Ended) => ({ code, stdout, stderr })

/** Runs with `--json`: one document on standard output and nothing else, whose `ok` is the exit code. */
const json = (args: ReadonlyArray<string>, given: Given = {}) =>
  Effect.map(mem([...args, "--json"], given), ({ code, stderr, stdout }) => {
    assert.match(stdout, /^[^\n]+\n$/, `${args.join(" ")}: ${stderr}`)
    const document = JSON.parse(stdout)
    assert.strictEqual(document.ok, code === 0, stdout)
    return { code, document, stderr }
  })

const modeOf = (file: string): string => (fs.statSync(file).mode & 0o777).toString(8)

describe("from nothing", () => {
  it.scopedLive("two commands lead from a folder of notes to what is found in it", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "vault/a b.md": note(1), "vault/sub/c.txt": "plain words of another kind\n" })
      const nothing = yield* mem(["sync"], { cwd })
      assert.deepStrictEqual([nothing.code, nothing.stdout], [2, ""])
      assert.match(nothing.stderr, /^mem: there is no connectors\.yaml in .*"mem init --path NOTES"/)
      for (const [bad, what] of [["nowhere", "there is no folder"], ["vault/a b.md", "is no folder"]] as const) {
        const { code, stderr } = yield* mem(["init", "--path", bad], { cwd })
        assert.strictEqual(code, 2)
        assert.include(stderr, what)
      }
      assert.deepStrictEqual(fs.readdirSync(cwd), ["vault"])

      const init = yield* json(["init", "--path", "vault"], { cwd })
      const file = path.join(cwd, "connectors.yaml")
      assert.deepStrictEqual(init.document, {
        command: "init",
        ok: true,
        home: cwd,
        file,
        path: path.join(cwd, "vault")
      })
      assert.strictEqual(modeOf(file), "600")
      const text = fs.readFileSync(file, "utf8")
      assert.include(text, "path: \"./vault\"")
      const again = yield* mem(["init", "--path", "vault"], { cwd: path.join(cwd, "vault") })
      assert.strictEqual(again.code, 2)
      assert.include(again.stderr, "is there already, and is not overwritten")
      assert.strictEqual(fs.readFileSync(file, "utf8"), text)

      fs.writeFileSync(file, text.replace("# embedder: { kind: minilm }", hashed))
      const sync = yield* mem(["sync"], { cwd })
      assert.deepStrictEqual([sync.code, sync.stderr], [0, ""])
      assert.match(
        sync.stdout,
        /^notes \(folder\): 2 new\n {2}2 passages added; 2 texts embedded in \d calls?\ndone in /
      )
      for (const made of ["log", "log/segments", "log/connectors", "projection"]) {
        assert.strictEqual(modeOf(path.join(cwd, made)), "700", made)
      }
      assert.strictEqual(modeOf(path.join(cwd, "log/segments/00000001.jsonl")), "600")

      const found = yield* mem(["search", "pears", "-k1"], { cwd })
      assert.strictEqual(found.stderr, "")
      assert.match(
        found.stdout,
        /^<mem-artifact id="search" sha="[0-9a-f]{16}">\n\d\.\d{3} {2}notes:a b\.md:1-3 {2}\(R reference\)\n {2}Note 1\n/
      )
      assert.include(found.stdout, "apples and «pears» number 1")
    }))

  it.scopedLive("without a folder it explains, and a home that is made is private", () =>
    Effect.gen(function*() {
      const cwd = yield* folder()
      const named = path.join(cwd, "new/home")
      const { code, stdout } = yield* mem(["init", "--home", named])
      assert.strictEqual(code, 0)
      assert.include(stdout, "names no connector yet")
      assert.strictEqual(modeOf(named), "700")
      const sync = yield* json(["sync", "--home", named])
      assert.strictEqual(sync.code, 2)
      assert.include(sync.document.error.message, "names no connector yet")
      assert.deepStrictEqual(fs.readdirSync(named), ["connectors.yaml"])
    }))
})

describe("a sync", () => {
  it.scopedLive("does what drift says, reports it as JSON, and does nothing the second time", () =>
    Effect.gen(function*() {
      const cwd = yield* home({ ...notes(4), "notes/data.md": new Uint8Array([0, 1, 2]) })
      const first = yield* json(["sync", "notes"], { cwd })
      const { duration_ms, ...report } = first.document
      assert.isAtLeast(duration_ms, 0)
      assert.deepStrictEqual(report, {
        command: "sync",
        ok: true,
        connectors: [{
          name: "notes",
          kind: "folder",
          source_type: "document",
          status: "ok",
          listed: 5,
          new: 4,
          changed: 0,
          stale: 0,
          moved: 0,
          unchanged: 0,
          removed: 0,
          failed: [],
          skipped: [{ doc_id: "data.md", reason: report.connectors[0].skipped[0].reason }],
          resumed: 0,
          fetched: report.connectors[0].fetched,
          embed_texts: 4,
          embed_calls: report.connectors[0].embed_calls,
          reused: 0,
          chunks_added: 4,
          chunks_tombstoned: 0
        }]
      })
      assert.include(report.connectors[0].skipped[0].reason, "binary")

      fs.rmSync(path.join(cwd, "notes/data.md"))
      fs.writeFileSync(path.join(cwd, "notes/n0.md"), note(100))
      fs.renameSync(path.join(cwd, "notes/n1.md"), path.join(cwd, "notes/moved.md"))
      fs.rmSync(path.join(cwd, "notes/n2.md"))
      fs.writeFileSync(path.join(cwd, "notes/new.txt"), "something new\n")
      const drift = yield* json(["drift", "--estimate", "--exit-code"], { cwd })
      assert.strictEqual(drift.code, 10)
      const [foretold] = drift.document.connectors
      assert.deepInclude(foretold, { status: "ok", new: 1, changed: 1, moved: 1, removed: 1, unchanged: 1 })
      assert.deepInclude(foretold.estimate, { documents: 3, embed_texts: 2 })
      const shown = yield* mem(["sync", "--drift"], { cwd })
      assert.strictEqual(shown.code, 0)
      assert.include(shown.stdout, "\n  changed  n0.md\n")

      const second = yield* json(["ref", "sync"], { cwd })
      assert.strictEqual(second.document.command, "ref sync")
      assert.deepInclude(second.document.connectors[0], {
        new: 1,
        changed: 1,
        moved: 1,
        removed: 1,
        embed_texts: 2,
        reused: 1
      })
      assert.deepStrictEqual(
        codeAnd(yield* mem(["drift", "--exit-code"], { cwd })),
        { code: 0, stdout: "notes: nothing to do, 4 unchanged\n", stderr: "" }
      )
      const log = fs.readFileSync(path.join(cwd, "log/segments/00000001.jsonl"))
      const third = yield* mem(["sync", "--verify"], { cwd })
      assert.match(third.stdout, /^notes \(folder\): nothing has changed in 4 documents\ndone in /)
      assert.deepStrictEqual(fs.readFileSync(path.join(cwd, "log/segments/00000001.jsonl")), log)
    }))

  it.scopedLive("refuses a name that is not configured, an unknown kind and a wrong option, and does nothing", () =>
    Effect.gen(function*() {
      const cwd = yield* home(notes(1))
      const unknown = yield* json(["sync", "ntes"], { cwd })
      assert.deepStrictEqual([unknown.code, unknown.document.command], [2, "sync"])
      assert.include(unknown.document.error.message, "there is no connector \"ntes\"; connectors.yaml names \"notes\"")
      for (
        const [yaml, what] of [
          ["connectors:\n  a: { kind: fold, path: . }\n", "connectors.yaml:2: connectors.a.kind: there is no kind"],
          ["connectors:\n  a: { kind: folder, path: . }\nembedder: { kind: m }\n", "connectors.yaml:3: embedder.kind"],
          ["connectors: [", "connectors.yaml:1"]
        ] as const
      ) {
        fs.writeFileSync(path.join(cwd, "connectors.yaml"), yaml)
        const { code, document } = yield* json(["sync"], { cwd })
        assert.strictEqual(code, 2)
        assert.include(document.error.message, what)
      }
      fs.rmSync(path.join(cwd, "connectors.yaml"))
      fs.symlinkSync("/dev/zero", path.join(cwd, "connectors.yaml"))
      const { code, document } = yield* json(["status"], { cwd })
      assert.strictEqual(code, 2)
      assert.include(document.error.message, "it is no regular file")
      assert.deepStrictEqual(fs.readdirSync(cwd).sort(), ["connectors.yaml", "notes"])
    }))

  it.scopedLive("finds by the name of a connector what it has stored, also when it is configured no more", () =>
    Effect.gen(function*() {
      const cwd = yield* home(notes(2))
      yield* mem(["sync"], { cwd })
      fs.writeFileSync(path.join(cwd, "connectors.yaml"), notesYaml.replace("notes:", "others:"))
      const search = (name: string) => json(["search", "apples", "--mode", "keyword", "--connector", name], { cwd })
      assert.lengthOf((yield* search("notes")).document.hits, 2)
      assert.lengthOf((yield* search("others")).document.hits, 0)
      const { code, document } = yield* search("ntes")
      assert.strictEqual(code, 2)
      assert.include(document.error.message, "there is \"others\", \"notes\"")
    }))

  it.scopedLive("a broken connector and a missing token cost the good one nothing: 3; alone they are 1", () =>
    Effect.gen(function*() {
      const cwd = yield* home(notes(2))
      const others = "  gone: { kind: folder, path: ./gone }\n  secret: { kind: folder, path: \"${NO_SUCH_TOKEN}\" }\n"
      fs.writeFileSync(path.join(cwd, "connectors.yaml"), notesYaml.replace(hashed, others + hashed))
      const { code, document } = yield* json(["sync"], { cwd })
      assert.strictEqual(code, 3)
      assert.deepStrictEqual(
        document.connectors.map(({ name, new: added, status }: { name: string; new: number; status: string }) =>
          `${name} ${status} ${added}`
        ),
        ["notes ok 2", "gone failed 0", "secret failed 0"]
      )
      assert.include(document.connectors[2].error.message, "NO_SUCH_TOKEN is not set")
      const text = yield* mem(["sync"], { cwd })
      assert.strictEqual(text.code, 3)
      assert.match(text.stdout, /\ngone \(folder\): failed; nothing of it was touched\n {2}.*missing/)
      assert.strictEqual((yield* mem(["sync", "gone"], { cwd })).code, 1)
      assert.strictEqual((yield* mem(["drift"], { cwd })).code, 3)
      const doctor = yield* json(["doctor"], { cwd })
      assert.strictEqual(doctor.code, 1)
      assert.deepStrictEqual(
        doctor.document.findings.flatMap(({ level, subject }: { level: string; subject?: string }) =>
          level === "problem" ? [subject] : []
        ),
        ["gone", "secret"]
      )
    }))

  it.scopedLive("an empty folder removes nothing until that is allowed: 4", () =>
    Effect.gen(function*() {
      const cwd = yield* home(notes(3))
      yield* mem(["sync"], { cwd })
      fs.rmSync(path.join(cwd, "notes"), { recursive: true })
      fs.mkdirSync(path.join(cwd, "notes"))
      const refused = yield* json(["sync"], { cwd })
      assert.strictEqual(refused.code, 4)
      assert.deepInclude(refused.document.connectors[0], { status: "refused", removed: 0 })
      assert.strictEqual((yield* mem(["drift"], { cwd })).code, 4)
      assert.strictEqual((yield* json(["status"], { cwd })).document.connectors[0].documents, 3)
      const allowed = yield* json(["sync", "--allow-mass-removal"], { cwd })
      assert.deepStrictEqual([allowed.code, allowed.document.connectors[0].removed], [0, 3])
    }))

  it.scopedLive("one at a time: 5, and names the holder; readers do not wait for it", () =>
    Effect.gen(function*() {
      const cwd = yield* home(notes(1))
      const other = yield* start([holder, cwd])
      assert.strictEqual(yield* other.line, "held")
      const locked = yield* json(["sync"], { cwd })
      assert.deepStrictEqual([locked.code, locked.document.error.code], [5, "LogLocked"])
      assert.match(locked.document.error.message, /LOCK is held by process \d+ on .*holdLock/)
      assert.strictEqual((yield* mem(["rebuild", "--from-log"], { cwd })).code, 5)
      assert.strictEqual((yield* mem(["drift"], { cwd })).code, 0)
      const doctor = yield* mem(["doctor"], { cwd })
      assert.strictEqual(doctor.code, 0)
      assert.match(doctor.stdout, /\nnote {4}lock: process \d+ \(".*holdLock/)
      other.stdin.end()
      yield* other.ended
    }))

  it.scopedLive("that is interrupted says that the next one goes on, and it does", () =>
    Effect.gen(function*() {
      const cwd = yield* home(notes(150))
      const running = yield* startMem(["sync", "--json"], { cwd, stdin: "" })
      const segment = path.join(cwd, "log/segments/00000001.jsonl")
      // From its first commit on there is something to go on from.
      while (!fs.existsSync(segment)) yield* Effect.sleep("1 millis")
      yield* running.kill("SIGINT")
      const { code, stderr, stdout } = yield* running.ended
      assert.strictEqual(code, 130)
      assert.include(
        stderr,
        "mem: stopped before the end; what was stored is kept, and the next sync goes on from there"
      )
      assert.deepInclude(JSON.parse(stdout), { command: "sync", ok: false })
      assert.isFalse(fs.existsSync(path.join(cwd, "log/LOCK")))
      const { document } = yield* json(["sync"], { cwd })
      const [report] = document.connectors
      assert.strictEqual(report.new + report.unchanged, 150)
      assert.strictEqual(report.new, report.embed_texts)
      assert.strictEqual(report.resumed, report.unchanged)
    }))
})

/** A byte of a line that later ones know to be on disk; and no seal at the end, behind which nobody would look. */
const damage = (cwd: string): void => {
  const segment = path.join(cwd, "log/segments/00000001.jsonl")
  const bytes = fs.readFileSync(segment)
  const at = Math.floor(bytes.length / 3)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  fs.writeFileSync(segment, bytes.subarray(0, bytes.lastIndexOf("\n", -2) + 1))
}

const damaged: Effect.Effect<string, never, Scope.Scope> = Effect.gen(function*() {
  const cwd = yield* home(notes(5))
  yield* mem(["sync"], { cwd })
  fs.writeFileSync(path.join(cwd, "notes/later.md"), note(8))
  yield* mem(["sync"], { cwd })
  damage(cwd)
  return cwd
})

describe("a damaged log", () => {
  it.scopedLive("is refused by who writes, named by who checks, and read as far as it is good: 6", () =>
    Effect.gen(function*() {
      const cwd = yield* damaged
      fs.writeFileSync(path.join(cwd, "notes/new.md"), note(9))
      const sync = yield* json(["sync"], { cwd })
      assert.deepStrictEqual([sync.code, sync.document.error.code], [6, "LogDamaged"])
      const doctor = yield* json(["doctor"], { cwd })
      assert.strictEqual(doctor.code, 6)
      const found = doctor.document.findings.find(({ check }: { check: string }) => check === "log")
      assert.deepInclude(found, { level: "damage" })
      assert.include(found.advice, "run \"mem doctor --repair\"")
      assert.notProperty(doctor.document, "repaired")
      const status = yield* mem(["status"], { cwd })
      assert.strictEqual(status.code, 0)
      assert.match(status.stderr, /^mem: warning: .*00000001\.jsonl is damaged at byte \d+/)
      assert.match(status.stdout, /^notes \(folder\): [1-4] documents?, /)
      assert.strictEqual((yield* mem(["ref", "list"], { cwd })).code, 0)
    }))
})

it.scopedLive("a reader of standard output that goes away changes nothing of how a command ended", () =>
  Effect.gen(function*() {
    const cwd = yield* home({})
    const running = yield* startMem(["sync"], { cwd, stdin: "" })
    yield* running.close("stdout")
    assert.strictEqual((yield* running.ended).code, 1)
  }))
