/** The log's lock between real processes on a real disk. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { folder, node, start } from "./Mem.ts"

const holder = fileURLToPath(new URL("./holdLock.mjs", import.meta.url))

const locksIn = (home: string): ReadonlyArray<string> =>
  fs.readdirSync(`${home}/log`).filter((name) => name.startsWith("LOCK"))

const pidIn = (path: string): number => JSON.parse(fs.readFileSync(path, "utf8")).pid

/** Comes, and goes at once. */
const visit = (home: string) => Effect.map(node([holder, home]), ({ stdout }) => stdout)

describe("the lock of a log", () => {
  it.scopedLive("is refused while its holder lives, stopped or not, and taken over when that is killed", () =>
    Effect.gen(function*() {
      const home = yield* folder()
      const first = yield* start([holder, home])
      assert.strictEqual(yield* first.line, "held")
      const pid = pidIn(`${home}/log/LOCK`)
      const refused = `LogLocked ${pid} ${home}/log/LOCK is held by process ${pid} on `
      assert.isTrue((yield* visit(home)).startsWith(refused))
      yield* first.kill("SIGSTOP")
      assert.isTrue((yield* visit(home)).startsWith(refused))
      assert.deepStrictEqual(locksIn(home), ["LOCK"])
      yield* first.kill("SIGKILL")
      yield* first.ended
      assert.strictEqual(yield* visit(home), "held\ngiven back\n")
      assert.deepStrictEqual(locksIn(home), [])
    }))

  it.scopedLive("goes to one of many who come at once to a stale one, and nothing is left of those that died", () =>
    Effect.gen(function*() {
      const home = yield* folder()
      const dead = yield* start([holder, home])
      assert.strictEqual(yield* dead.line, "held")
      yield* dead.kill("SIGKILL")
      yield* dead.ended
      // As processes leave it that died while they took it over.
      fs.copyFileSync(`${home}/log/LOCK`, `${home}/log/LOCK.one.stale`)
      fs.writeFileSync(`${home}/log/LOCK.two.stale`, "")
      const all = yield* Effect.forEach(Array.from({ length: 5 }), () => start([holder, home]))
      const said = yield* Effect.forEach(all, ({ line }) => line, { concurrency: "unbounded" })
      assert.strictEqual(said.filter((line) => line === "held").length, 1, said.join("\n"))
      for (const line of said) assert.match(line ?? "", /^held$|^LogLocked \d+ /)
      // One of the others may have been so slow that it moved this one for the stale one: it is in force all the same.
      const [name = "none", ...more] = locksIn(home)
      assert.deepStrictEqual(more, [])
      fs.renameSync(`${home}/log/${name}`, `${home}/log/LOCK.slow.stale`)
      const pid = pidIn(`${home}/log/LOCK.slow.stale`)
      assert.isTrue((yield* visit(home)).startsWith(`LogLocked ${pid} ${home}/log/LOCK.slow.stale is held`))
      const winner = all[said.indexOf("held")]
      winner?.stdin.end()
      yield* winner?.ended ?? Effect.void
      assert.deepStrictEqual(locksIn(home), [])
    }))
})

/** Whoever may write everywhere has to become somebody else to be refused. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Not where the code itself lies in a folder that nobody else may enter. */
const mayRun = spawnSync(process.execPath, ["-e", "require('fs').readFileSync(process.argv[1])", holder], nobody).status
  === 0

it.scopedLive.skipIf(!mayRun)(
  "says at once which folder may not be written, and leaves no lock",
  () =>
    Effect.gen(function*() {
      const home = yield* folder()
      assert.strictEqual(yield* visit(home), "held\ngiven back\n")
      for (const part of ["", "/log", "/log/segments"]) fs.chmodSync(`${home}${part}`, part === "/log" ? 0o777 : 0o555)
      const { stdout } = spawnSync(process.execPath, [holder, home], { ...nobody, encoding: "utf8" })
      assert.strictEqual(
        stdout,
        `LogFsError undefined cannot write in ${home}/log/segments: permission denied; run as the owner of the memory home, or mend its permissions\n`
      )
      assert.deepStrictEqual(fs.readdirSync(`${home}/log`), ["segments"])
      fs.chmodSync(`${home}/log/segments`, 0o700)
      fs.chmodSync(home, 0o700)
    })
)
