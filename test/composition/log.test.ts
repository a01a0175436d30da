/** `mem log verify` and `mem log cat` on the golden log, whole, torn and damaged. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { crc32 } from "node:zlib"
import { folder, mem } from "./Mem.ts"
import { tracedMem, unchanged } from "./Traces.ts"

const golden = fs.readFileSync(fileURLToPath(new URL("../fixtures/golden/log.jsonl", import.meta.url)))

const segment = "log/segments/00000001.jsonl"

const homeOf = (bytes: Uint8Array) => folder({ [segment]: bytes })

const torn = Buffer.concat([golden, golden.subarray(0, 100)])

const flipped = (bytes: Uint8Array, ...places: ReadonlyArray<number>): Buffer => {
  const copy = Buffer.from(bytes)
  for (const at of places) copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

/** Bytes of two lines that a later line knows to be on disk. */
const damaged = flipped(golden, 700, 3000)

const line = (json: string): Buffer =>
  Buffer.from(`${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`)

/** The first line of a segment that was begun behind another one than the golden log. */
const behindAnother = line(
  `{"v":1,"seq":23,"at":"2026-11-29T20:00:00.000Z","kind":"segment","body":{"format":"mem-log/1","number":2,"previous_sha256":"${
    "0".repeat(64)
  }"}}`
)

describe("mem log verify", () => {
  it.scopedLive("counts what it has checked", () =>
    Effect.gen(function*() {
      const home = yield* homeOf(golden)
      const text = yield* mem(["log", "verify", "--home", home])
      assert.deepStrictEqual(text, {
        code: 0,
        signal: null,
        stdout: `22 records in 1 segment, ${golden.length.toLocaleString("en-US")} bytes: all checksums are right\n`,
        stderr: ""
      })
      const json = yield* mem(["log", "verify", "--json"], { cwd: home })
      assert.deepStrictEqual(JSON.parse(json.stdout), {
        command: "log verify",
        ok: true,
        segments: 1,
        bytes: golden.length,
        records: 22,
        torn: 0,
        damaged: false,
        faults: [],
        more_faults: 0
      })
    }))

  it.scopedLive("names every place of damage, with 6", () =>
    Effect.gen(function*() {
      const home = yield* homeOf(damaged)
      const text = yield* mem(["log", "verify", "--home", home])
      assert.strictEqual(text.code, 6)
      assert.match(
        text.stdout,
        /^(00000001\.jsonl at byte [\d,]+, \d+ bytes: damaged\n {2}its checksum is .*\n {2}lost: line \d+\n){2}20 records could be read in 1 segment, [\d,]+ bytes: 2 faults\n$/
      )
      assert.strictEqual(
        text.stderr,
        "mem: error: the log is damaged; run \"mem doctor --repair\" to keep all that is still good\n"
      )
      const json = yield* mem(["log", "verify", "--home", home, "--json"])
      const { damaged: is, faults, ok, records } = JSON.parse(json.stdout)
      assert.deepStrictEqual([json.code, ok, is, records, faults.length], [6, false, true, 20, 2])
      assert.deepInclude(faults[0], {
        kind: "damaged",
        segment: 1,
        path: `${home}/${segment}`,
        first_seq: 4,
        last_seq: 4
      })
    }))

  it.scopedLive("names a segment that is not the one which the next names, with 6", () =>
    Effect.gen(function*() {
      const home = yield* folder({ [segment]: golden, "log/segments/00000002.jsonl": behindAnother })
      const text = yield* mem(["log", "verify", "--home", home])
      assert.strictEqual(text.code, 6)
      assert.match(
        text.stdout,
        /^00000001\.jsonl at byte 0, [\d,]+ bytes: mismatch\n {2}its sha256 is [0-9a-f]{64}, but /
      )
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
