/** `mem log verify` and `mem log cat` on the golden log, whole, torn and damaged. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { folder, mem } from "./Mem.ts"
import { tracedMem, unchanged } from "./Traces.ts"

const golden = fs.readFileSync(fileURLToPath(new URL("../fixtures/golden/log.jsonl", import.meta.url)))

const segment = "log/segments/00000001.jsonl"

const homeOf = (bytes: Uint8Array) => folder({ [segment]: bytes })

const torn = Buffer.concat([golden, golden.subarray(0, 100)])

/** A byte of a line that a later line knows to be on disk. */
const damaged = Buffer.from(golden)
damaged.writeUInt8(damaged.readUInt8(700) ^ 1, 700)

describe("mem log verify", () => {
  it.scopedLive("counts what it has checked", () =>
    Effect.gen(function*() {
      const home = yield* homeOf(golden)
      const text = yield* mem(["log", "verify", "--home", home])
      assert.deepStrictEqual(text, {
        code: 0,
        signal: null,
        stdout: `22 records in 1 segments, ${golden.length.toLocaleString("en-US")} bytes: all checksums are right\n`,
        stderr: ""
      })
      const json = yield* mem(["log", "verify", "--json"], { cwd: home })
      assert.deepStrictEqual(JSON.parse(json.stdout), {
        command: "log verify",
        ok: true,
        segments: 1,
        bytes: golden.length,
        records: 22,
        torn: 0
      })
    }))

  it.scopedLive("names the segment and the byte of damage, with 6", () =>
    Effect.gen(function*() {
      const home = yield* homeOf(damaged)
      const text = yield* mem(["log", "verify", "--home", home])
      assert.deepStrictEqual([text.code, text.stdout], [6, ""])
      assert.match(text.stderr, /^mem: .*00000001\.jsonl is damaged at byte \d+: .*mem doctor --repair/)
      const json = yield* mem(["log", "verify", "--home", home, "--json"])
      const { error, ok } = JSON.parse(json.stdout)
      assert.deepStrictEqual([json.code, ok, error.code], [6, false, "LogDamaged"])
    }))

  it.scopedLive("tells a torn tail from damage", () =>
    Effect.gen(function*() {
      const home = yield* homeOf(torn)
      const text = yield* mem(["log", "verify", "--home", home])
      assert.strictEqual(text.code, 0)
      assert.match(text.stderr, /^mem: warning: the log ends in 100 bytes of a write that was never finished/)
    }))

  it.scopedLive("takes a home without a log for an empty one", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* mem(["log", "verify", "--home", yield* folder({})])
      assert.deepStrictEqual([code, stdout], [0, "0 records in 0 segments, 0 bytes: all checksums are right\n"])
    }))
})

describe("mem log cat", () => {
  it.scopedLive("prints the very bytes of the log, or of one kind", () =>
    Effect.gen(function*() {
      const home = yield* homeOf(golden)
      const all = yield* mem(["log", "cat", "--home", home])
      assert.strictEqual(all.stdout, golden.toString("utf8"))
      const seals = yield* mem(["log", "cat", "--kind", "seal"], { env: { MEM_HOME: home } })
      assert.strictEqual(
        seals.stdout,
        golden.toString("utf8").split("\n").filter((line) => line.includes("\"seal\"")).join("\n") + "\n"
      )
    }))

  it.scopedLive("prints what is good before damage, and fails with 6", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* mem(["log", "cat", "--home", yield* homeOf(damaged)])
      assert.strictEqual(code, 6)
      assert.isTrue(stdout.length > 0 && golden.toString("utf8").startsWith(stdout))
    }))
})

it.scopedLive("both change nothing: no byte, no file, no lock, no native module", () =>
  Effect.gen(function*() {
    const home = yield* homeOf(torn)
    for (const command of ["verify", "cat"]) {
      const { trace } = yield* unchanged(home)(tracedMem(["log", command, "--home", home]))
      assert.deepStrictEqual([trace.change, trace.native], [[], []])
    }
  }))
