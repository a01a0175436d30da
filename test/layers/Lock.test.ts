import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import system from "node:process"
import * as Lock from "../../layers/Log/Lock.ts"
import * as Processes from "../../layers/Log/Processes.ts"
import * as Simulated from "../../layers/LogFs/Simulated.ts"
import * as Disk from "../../layers/LogFs/SimulatedDisk.ts"
import type { Options } from "../../layers/LogFs/SimulatedProcess.ts"
import type { LogFs } from "../../services/LogFs.ts"
import { LogFsError, type LogLocked } from "../../src/domain/LogErrors.ts"
import { race } from "../fixtures/Contenders.ts"
import { probe, refuse } from "../fixtures/ProbedLogFs.ts"

const home = "/home"
const lockPath = `${home}/log/LOCK`
const asidePath = (name: string): string => `${lockPath}.${name}.stale`
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content)
const text = (content: Uint8Array | undefined): string => new TextDecoder().decode(content)
const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

const put = (disk: Disk.Disk, path: string, content: string): Disk.Disk =>
  Either.getOrThrow(Disk.put(disk, path, bytes(content)))

/** A disk with a log, and these files in it. */
const diskOf = (files: { readonly [path: string]: string } = {}): Disk.Disk =>
  Object.entries(files).reduce(
    (disk, [path, content]) => put(disk, path, content),
    put(Disk.empty, `${home}/log/segments/none`, "")
  )

/** Waits for nobody, so that a lock that was left half written costs no time. */
const instant: Clock.Clock = Object.assign(Clock.make(), { sleep: () => Effect.void })

const identity = (pid: number, host = "here") =>
  new Processes.ProcessIdentity({ pid, boot_id: "boot", start_ticks: `${pid}`, host, command: `mem sync ${pid}` })

/** A process among those that live. */
const among = (living: (pid: number) => boolean, pid: number): Processes.Processes => ({
  self: identity(pid),
  lives: (other) => Effect.succeed(living(other.pid))
})

const alone = (pid: number): Processes.Processes => among((other) => other === pid, pid)

const lockOf = (holder: Processes.ProcessIdentity): string =>
  JSON.stringify({ ...holder, nonce: `n${holder.pid}`, started_at: "2026-11-29T20:00:00.000Z" })

const dead = lockOf(identity(1))
const foreign = lockOf(identity(2, "elsewhere"))

const locksOn = (disk: Disk.Disk): ReadonlyMap<string, string> =>
  new Map(
    [...Disk.files(disk, "cached")].flatMap(([path, content]) =>
      path.startsWith(lockPath) ? [[path, text(content)] as const] : []
    )
  )

/** Runs the program under the lock. */
const holding = <A, E>(
  fs: LogFs["Type"],
  processes: Processes.Processes,
  program: Effect.Effect<A, E>
): Effect.Effect<A, E | LogLocked | LogFsError> =>
  Effect.scoped(Effect.zipRight(Lock.acquire(fs, home, processes), program)).pipe(Effect.withClock(instant))

const run = (options: Options, processes = alone(7)) =>
  Effect.gen(function*() {
    const process = yield* Simulated.make(options)
    const exit = yield* Effect.exit(holding(process.service, processes, process.disk))
    return { process, exit, left: locksOn(yield* process.disk) }
  })

const errorOf = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined

describe("Lock", () => {
  const self = Processes.live.self
  const gonePid = spawnSync(system.execPath, ["--version"]).pid

  const here = (more: Partial<typeof self>): string => lockOf(new Processes.ProcessIdentity({ ...self, ...more }))

  it.effect("refuses a second one at once, naming who holds it, and leaves it to that one", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: diskOf() })
      const both = (pid: number) => pid === 7 || pid === 8
      const second = Effect.gen(function*() {
        const before = locksOn(yield* process.disk)
        const error = yield* Effect.flip(holding(process.service, among(both, 8), Effect.void))
        assert.deepInclude(error, { _tag: "LogLocked", path: lockPath, pid: 7, host: "here", command: "mem sync 7" })
        assert.deepStrictEqual(locksOn(yield* process.disk), before)
        assert.deepStrictEqual([...before.keys()], [lockPath])
      })
      yield* holding(process.service, among(both, 7), second)
      assert.strictEqual(locksOn(yield* process.disk).size, 0)
      yield* holding(process.service, among(both, 8), Effect.void)
    }))

  for (
    const [name, lock] of [
      ["a process that is gone", here({ pid: gonePid, start_ticks: "1" })],
      ["a process that is gone, where the system tells no start", here({ pid: gonePid, start_ticks: "" })],
      ["a process whose number was given out again", here({ start_ticks: "1" })],
      ["another boot", here({ boot_id: "another" })],
      ["a process that died before it wrote it", ""],
      ["a process that died while it wrote it", "{\"pid\":1,"],
      ["a power cut, as zeros", "\0".repeat(100)]
    ] as const
  ) {
    it.effect(`takes over the lock of ${name}, and gives it back`, () =>
      Effect.gen(function*() {
        const { exit, left } = yield* run({ disk: diskOf({ [lockPath]: lock }) }, Processes.live)
        const held = Exit.isSuccess(exit) ? locksOn(exit.value) : new Map<string, string>()
        assert.deepStrictEqual([...held.keys()], [lockPath])
        assert.deepInclude(JSON.parse(held.get(lockPath) ?? "{}"), { pid: self.pid })
        assert.strictEqual(left.size, 0)
      }))
  }

  for (
    const [name, lock] of [
      ["a process that lives", here({})],
      ["a process that answers, where the system tells no start", here({ start_ticks: "" })],
      ["another host, gone or not", here({ host: "elsewhere", pid: gonePid, boot_id: "another" })],
      ["long ago", JSON.stringify({ ...JSON.parse(here({})), started_at: "1970-01-01T00:00:00.000Z" })]
    ] as const
  ) {
    for (const path of [lockPath, asidePath("moved")]) {
      it.effect(`leaves the lock of ${name}${path === lockPath ? "" : ", though somebody moved it aside"}`, () =>
        Effect.gen(function*() {
          const { exit, left } = yield* run({ disk: diskOf({ [path]: lock }) }, Processes.live)
          assert.deepInclude(errorOf(exit), { _tag: "LogLocked", path })
          assert.deepStrictEqual([...left], [[path, lock]])
        }))
    }
  }

  // Its parent may never ask about it: a container's first process often does not.
  it.scopedLive.skipIf(system.platform !== "linux")(
    "takes a process for gone that has ended, and is still listed",
    () =>
      Effect.gen(function*() {
        const parent = yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] })
          ),
          (child) => Effect.sync(() => child.kill())
        )
        const pid = Number(
          yield* Effect.promise(() =>
            new Promise<string>((resolve) => parent.stdout.once("data", (it) => resolve(`${it}`)))
          )
        )
        const fields = Effect.sync(() => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [])
        const stat = yield* Effect.repeat(Effect.delay(fields, "20 millis"), { until: ([state]) => state === "Z" })
        const other = new Processes.ProcessIdentity({ ...self, pid, start_ticks: stat[19] ?? "" })
        assert.isFalse(yield* Processes.live.lives(other))
      })
  )

  it.effect("takes a process that may not be signalled for one that lives", () =>
    Effect.gen(function*() {
      const { kill } = system
      system.kill = () => {
        throw Object.assign(new Error("EPERM"), { code: "EPERM" })
      }
      const lives = yield* Effect.ensuring(
        Processes.live.lives(new Processes.ProcessIdentity({ ...self, start_ticks: "" })),
        Effect.sync(() => {
          system.kill = kill
        })
      )
      assert.isTrue(lives)
    }))

  it.effect("removes what is aside and not in force, however it came there, and nothing else", () =>
    Effect.gen(function*() {
      const others = { [`${lockPath}.note`]: "mine", [`${home}/log/KEEP.1.stale`]: "mine" }
      const disk = diskOf({
        [asidePath("a")]: dead,
        [asidePath("b")]: "",
        [asidePath("c")]: "{\"pid\":",
        [lockPath]: dead,
        ...others
      })
      const { exit, left } = yield* run({ disk })
      const held = Exit.isSuccess(exit) ? [...locksOn(exit.value).keys()] : []
      assert.deepStrictEqual(held, [lockPath, `${lockPath}.note`])
      assert.deepStrictEqual([...left.keys()], [`${lockPath}.note`])
    }))

  it.effect("waits a little for one that is being written, and takes its word", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: diskOf({ [lockPath]: "{\"pid\":" }) })
      let waited = 0
      const clock: Clock.Clock = Object.assign(Clock.make(), {
        sleep: () =>
          ++waited < 3 ? Effect.void : Effect.orDie(Effect.scoped(
            Effect.flatMap(process.service.open(lockPath, "write"), (file) => file.write(0, bytes(foreign)))
          ))
      })
      const error = yield* Effect.flip(
        Effect.scoped(Lock.acquire(process.service, home, alone(7))).pipe(Effect.withClock(clock))
      )
      assert.deepInclude(error, { _tag: "LogLocked", host: "elsewhere" })
      assert.strictEqual(waited, 3)
      assert.deepStrictEqual([...locksOn(yield* process.disk)], [[lockPath, foreign]])
    }))

  it.effect("is not held by one who was so slow to write it that another took it over", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: diskOf() })
      const both = (pid: number) => pid === 7 || pid === 8
      const fs = probe(process.service)
      const held = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const fast = holding(
        process.service,
        among(both, 8),
        Effect.zipRight(Deferred.succeed(held, undefined), Deferred.await(go))
      )
      let slept = false
      // Between making the file and writing it.
      fs.before = (operation, path) => {
        if (slept || operation !== "write" || path !== lockPath) return Effect.void
        slept = true
        return Effect.zipRight(Effect.forkDaemon(fast), Deferred.await(held))
      }
      const error = yield* Effect.flip(holding(fs.service, among(both, 7), Effect.void))
      assert.isTrue(slept)
      assert.deepInclude(error, { _tag: "LogLocked", pid: 8 })
      assert.deepStrictEqual([...locksOn(yield* process.disk).keys()], [lockPath])
      yield* Deferred.succeed(go, undefined)
    }))

  it.effect("does not take away a lock that has become another's", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: diskOf() })
      const steal = Effect.gen(function*() {
        yield* process.service.unlink(lockPath)
        yield* Effect.scoped(
          Effect.flatMap(process.service.open(lockPath, "create"), (file) => file.write(0, bytes(foreign)))
        )
      })
      yield* holding(process.service, alone(7), steal)
      assert.deepStrictEqual([...locksOn(yield* process.disk)], [[lockPath, foreign]])
    }))

  it.effect("is given back where somebody slow has moved it", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: diskOf() })
      yield* holding(process.service, alone(7), process.service.rename(lockPath, asidePath("moved")))
      assert.strictEqual(locksOn(yield* process.disk).size, 0)
    }))
})

/** Where a process may find the lock when it comes to take it. */
const situations: ReadonlyArray<readonly [name: string, files: { readonly [path: string]: string }]> = [
  ["no lock", {}],
  ["a stale lock", { [lockPath]: dead }],
  ["an empty lock", { [lockPath]: "" }],
  ["a stale lock, and others aside", { [lockPath]: dead, [asidePath("a")]: dead, [asidePath("b")]: "" }]
]

describe("Lock, cut short", () => {
  for (const [name, files] of situations) {
    it.effect(`leaves what the next one takes over, whichever operation it dies in, with ${name}`, () =>
      Effect.gen(function*() {
        const disk = diskOf(files)
        const { process: whole } = yield* run({ disk })
        const most = (yield* whole.steps).length
        assert.isAbove(most, 3)
        for (let k = 1; k <= most; k++) {
          const { process } = yield* run({ disk, crashAt: k, seed: k })
          assert.isTrue(yield* process.crashed)
          const disks = [yield* process.processLoss, ...yield* Effect.forEach([1, 2, 3, 4], process.powerLoss)]
          for (const left of disks) {
            const { exit, left: after } = yield* run({ disk: left }, alone(8))
            assert.isTrue(Exit.isSuccess(exit), `dies in ${k}: ${exit}`)
            assert.deepStrictEqual([...after], [], `dies in ${k}`)
          }
        }
      }))

    for (const reason of ["NoSpace", "DeviceError", "ReadOnly"] as const) {
      it.effect(`leaves no lock of its own after ${reason} in any operation, with ${name}`, () =>
        Effect.gen(function*() {
          const disk = diskOf(files)
          const { process: whole } = yield* run({ disk })
          const steps = yield* whole.steps
          let failures = 0
          for (let k = 1; k <= steps.length; k++) {
            const { exit, left } = yield* run({ disk, failAt: { operation: k, reason }, seed: k })
            const error = errorOf(exit)
            if (error === undefined) continue
            failures += 1
            assert.instanceOf(error, LogFsError)
            assert.strictEqual(error.reason, reason)
            for (const [path, content] of left) {
              assert.include(Object.values(files), content, `${reason} in ${k} left ${path}`)
            }
          }
          assert.isAbove(failures, 0)
        }))
    }
  }

  it.effect("says which file could not be made, and does not wait for itself the next time", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: diskOf() })
      const fs = probe(process.service)
      fs.before = refuse("NoSpace", "write", (path) => path === lockPath)
      const error = yield* Effect.flip(holding(fs.service, alone(7), Effect.void))
      assert.match(error.message, /LOCK: the disk is full; free some space/)
      assert.strictEqual(locksOn(yield* process.disk).size, 0)
      fs.before = () => Effect.void
      const clock: Clock.Clock = Object.assign(Clock.make(), { sleep: () => Effect.die("it waited") })
      yield* Effect.scoped(Lock.acquire(fs.service, home, alone(7))).pipe(Effect.withClock(clock))
    }))
})

describe("Lock, among many", () => {
  const contenders = 4

  /** Each comes, holds it for some turns, goes, and comes again, or not. */
  const compete = (files: { readonly [path: string]: string }, deadly: number, visits: number, seed: number) =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: diskOf(files) })
      const holders = new Set<number>()
      const fouls: Array<string> = []
      let held = 0
      const { died, turns } = yield* race(
        process.service,
        numbers(contenders).map(() => ({ clock, fs, id, turn }, { alive }) => {
          const processes = among((pid) => pid >= 100 && alive(pid - 100), 100 + id)
          const hold = Effect.gen(function*() {
            const others = [...holders].filter(alive)
            if (others.length > 0) fouls.push(`${id} beside ${others.join()}`)
            holders.add(id)
            held += 1
            yield* Effect.repeatN(turn, seed % 5)
            holders.delete(id)
          })
          return Effect.scoped(Effect.zipRight(Lock.acquire(fs, home, processes), hold)).pipe(
            Effect.withClock(clock),
            Effect.catchTag("LogLocked", () => turn),
            Effect.orDie,
            Effect.repeatN(visits - 1)
          )
        }),
        { deadly, mostTurns: 5_000, seed }
      )
      return { died, disk: yield* process.disk, fouls, held, turns }
    })

  for (const [name, files] of situations) {
    it.effect(`is held by one at a time, whoever is slow or dies, beginning with ${name}`, () =>
      Effect.gen(function*() {
        let held = 0
        let deaths = 0
        for (const seed of numbers(40)) {
          const outcome = yield* compete(files, seed % 2 === 0 ? 0 : 20, 1 + seed % 4, seed)
          assert.deepStrictEqual(outcome.fouls, [], `seed ${seed}`)
          assert.isBelow(outcome.turns, 5_000, `seed ${seed} comes to no end`)
          held += outcome.held
          deaths += outcome.died.size
          if (outcome.died.size === 0) {
            assert.isAbove(outcome.held, 0, `seed ${seed}: everybody was refused`)
            assert.deepStrictEqual([...locksOn(outcome.disk)], [], `seed ${seed}`)
          }
          // Whatever they left is no hindrance.
          const { exit, left } = yield* run({ disk: outcome.disk }, alone(9))
          assert.isTrue(Exit.isSuccess(exit), `seed ${seed}: ${exit}`)
          assert.deepStrictEqual([...left], [], `seed ${seed}`)
        }
        assert.isAbove(held, 40)
        assert.isAbove(deaths, 10)
      }))
  }
})
