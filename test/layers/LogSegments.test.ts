import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { crc32 } from "node:zlib"
import * as Processes from "../../layers/Log/Processes.ts"
import * as Segments from "../../layers/Log/Segments.ts"
import * as Node from "../../layers/LogFs/Node.ts"
import * as Simulated from "../../layers/LogFs/Simulated.ts"
import * as Disk from "../../layers/LogFs/SimulatedDisk.ts"
import type { Options } from "../../layers/LogFs/SimulatedProcess.ts"
import { LogFs } from "../../services/LogFs.ts"
import { LogReader } from "../../services/LogReader.ts"
import type { LogWriter } from "../../services/LogWriter.ts"
import { advice, type FsReason, LogFsError, LogPoisoned, LogWriteError } from "../../src/domain/LogErrors.ts"
import { maxLineBytes } from "../../src/log/Codec.ts"
import * as Live from "../../src/log/Live.ts"
import { all, append, appendAlone, exclusion, group, outline, vector } from "../fixtures/LogGroups.ts"
import { probe, refuse } from "../fixtures/ProbedLogFs.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

const home = "/home"
const segmentPath = (number: number): string => `${home}/log/segments/0000000${number}.jsonl`
const lockPath = `${home}/log/LOCK`
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content)

/** A disk with nothing but the home. */
const fresh: Disk.Disk = Either.getOrThrow(Disk.put(Disk.empty, `${home}/connectors.yaml`, bytes("")))
const put = (disk: Disk.Disk, path: string, content: Uint8Array): Disk.Disk =>
  Either.getOrThrow(Disk.put(disk, path, content))

const isFolder = (path: string): boolean => path === `${home}/log/segments`
const isSegment = (path: string): boolean => path.startsWith(`${home}/log/segments/`)

const segmentsOf = (disk: Disk.Disk, side: "cached" | "durable" = "cached"): ReadonlyMap<string, Uint8Array> =>
  new Map([...Disk.files(disk, side)].filter(([path]) => isSegment(path)))

const linesOf = (disk: Disk.Disk): ReadonlyArray<string> =>
  [...segmentsOf(disk).values()].flatMap((content) => text(content).split("\n").slice(0, -1))

/** Waits for nobody, so that a lock that was left half written costs no time. */
const instant: Clock.Clock = Object.assign(Clock.make(), { sleep: () => Effect.void })

/** A process whose locks are known to be left behind once another one runs. */
const mortal: Processes.Processes = {
  self: new Processes.ProcessIdentity({
    pid: 4711,
    boot_id: "boot",
    start_ticks: "1",
    host: "here",
    command: "mem sync"
  }),
  lives: () => Effect.succeed(false)
}

type Services = LogReader | LogWriter
interface WriterOptions {
  readonly segmentBytes?: number
  readonly processes?: Processes.Processes
}

const logOn = (fs: LogFs["Type"], options: WriterOptions = {}): Layer.Layer<Services, unknown> =>
  Layer.merge(Segments.reader({ home }), Segments.writer({ home, processes: mortal, ...options })).pipe(
    Layer.provide(Layer.succeed(LogFs, fs))
  )

const withLog = <A, E>(fs: LogFs["Type"], program: Effect.Effect<A, E, Services>, options?: WriterOptions) =>
  Effect.withClock(Effect.provide(program, logOn(fs, options)), instant)

const reading = <A, E>(disk: Disk.Disk, program: Effect.Effect<A, E, LogReader>) =>
  Effect.flatMap(
    Simulated.make({ disk }),
    ({ layer }) => Effect.provide(program, Layer.provide(Segments.reader({ home }), layer))
  )

/** What the disk is after a process that ran to its end. */
const after = <A, E>(disk: Disk.Disk, program: Effect.Effect<A, E, Services>, options?: WriterOptions) =>
  Effect.gen(function*() {
    const process = yield* Simulated.make({ disk })
    yield* withLog(process.service, program, options)
    return yield* process.disk
  })

/** What the disk is when the process ends all of a sudden behind the program. */
const cutAfter = <A, E>(disk: Disk.Disk, program: Effect.Effect<A, E, Services>, options?: WriterOptions) =>
  Effect.gen(function*() {
    const process = yield* Simulated.make({ disk })
    yield* Effect.exit(withLog(process.service, Effect.zipRight(program, process.processLoss), options))
    return yield* process.disk
  })

const probed = (options: Options = {}) =>
  Effect.map(Simulated.make({ disk: fresh, ...options }), (process) => ({ process, fs: probe(process.service) }))

const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")
const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

describe("Log/Segments, writing", () => {
  it.effect("begins each segment with the hash of the whole one before, and reads over all of them", () =>
    Effect.gen(function*() {
      const segmentBytes = 4_000
      const program = Effect.gen(function*() {
        const reader = yield* LogReader
        for (const i of numbers(9)) yield* append(group(`d${i}`))
        yield* append(...numbers(4).map((i) => group(`together${i}`)))
        const lines = yield* all()
        for (const [i, { position, record }] of lines.entries()) {
          assert.deepStrictEqual(yield* reader.at(position), record)
          assert.strictEqual((yield* all(position)).length, lines.length - i)
        }
        return [lines, yield* reader.segments] as const
      })
      const process = yield* Simulated.make({ disk: fresh })
      const [lines, segments] = yield* withLog(process.service, program, { segmentBytes })
      const disk = yield* process.disk
      const contents = [...segmentsOf(disk).values()]
      assert.isAbove(contents.length, 3)
      assert.deepStrictEqual(segments.map(({ number }) => number), contents.map((_, i) => i + 1))
      assert.deepStrictEqual(lines.map(({ record }) => Number(record.seq)), lines.map((_, i) => i + 1))
      for (const [i, content] of contents.entries()) {
        const own = lines.filter(({ position }) => position.segment === i + 1)
        const [first] = own
        assert.deepInclude(first?.record.kind === "segment" ? first.record.body : {}, {
          format: "mem-log/1",
          number: i + 1,
          previous_sha256: i === 0 ? null : sha256(contents[i - 1] ?? bytes(""))
        })
        // A group never spans two segments, and only a single write may be longer than one.
        const seqs = new Set(own.map(({ record }) => record.seq))
        assert.isTrue(own.every(({ record }) => record.txn === undefined || seqs.has(record.txn)))
        if (i < contents.length - 1) assert.isAtMost(content.length, segmentBytes)
      }
      assert.isAbove(contents.at(-1)?.length ?? 0, segmentBytes)
    }))

  it.effect("seals with its scope, where it wrote anything", () =>
    Effect.gen(function*() {
      const disk = yield* after(fresh, append(group("a")))
      const last = Option.getOrThrow(yield* reading(disk, Effect.flatMap(LogReader, ({ last }) => last)))
      assert.deepStrictEqual(
        [last.record.kind, last.record.kind === "seal" ? last.record.body.durable_to : -1, last.record.seq],
        ["seal", last.position.offset, 7]
      )
      assert.deepStrictEqual(segmentsOf(disk, "durable"), segmentsOf(disk))
      const longer = yield* after(disk, append(group("b", { passages: 0 })))
      assert.deepStrictEqual(outline(yield* reading(longer, all())).slice(-3), ["7 seal", "8 commit^8/0", "9 seal"])
    }))

  it.effect("changes nothing in the segments when nothing was appended", () =>
    Effect.gen(function*() {
      const sealed = yield* after(fresh, append(group("a")))
      const unsealed = yield* cutAfter(fresh, append(group("a")))
      const nothing = Effect.gen(function*() {
        yield* append()
        yield* appendAlone()
        yield* all()
      })
      // A run over a log that was not closed puts it on disk for certain, and says so with a seal.
      const contentOf = (disk: Disk.Disk) => Buffer.from(segmentsOf(disk).get(segmentPath(1)) ?? []).toString("utf8")
      const closed = yield* Simulated.make({ disk: unsealed })
      yield* withLog(closed.service, nothing)
      const was = contentOf(unsealed)
      const is = contentOf(yield* closed.disk)
      assert.isTrue(is.startsWith(was))
      assert.match(is.slice(was.length), /^\{[^\n]*"kind":"seal"[^\n]*\n$/)
      for (const disk of [fresh, sealed]) {
        const process = yield* Simulated.make({ disk })
        yield* withLog(process.service, nothing)
        assert.deepStrictEqual(segmentsOf(yield* process.disk), segmentsOf(disk))
        if (disk !== sealed) continue
        const steps = (yield* process.steps).filter(({ operation }) =>
          operation !== "makeDir" && operation !== "syncDir"
        )
        assert.deepStrictEqual(new Set(steps.map(({ path }) => path)), new Set([lockPath]))
      }
    }))

  it.scopedLive("leaves the bytes and the times of a sealed log as they are, on a disk", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryHome
      const layer = Layer.merge(Segments.reader({ home: folder }), Segments.writer({ home: folder })).pipe(
        Layer.provide(Node.layer)
      )
      const look = () => {
        const dir = `${folder}/log/segments`
        return readdirSync(dir).map((name) => {
          const { ino, mtimeMs, ctimeMs } = statSync(`${dir}/${name}`)
          return [name, ino, mtimeMs, ctimeMs, readFileSync(`${dir}/${name}`, "utf8")]
        })
      }
      yield* Effect.provide(append(group("a")), layer)
      const before = look()
      assert.strictEqual(before.length, 1)
      yield* Effect.provide(all(), layer)
      assert.deepStrictEqual(look(), before)
      assert.deepStrictEqual(readdirSync(`${folder}/log`), ["segments"])
    }))

  it.effect("opens a sealed log by its tail, however long it is", () =>
    Effect.gen(function*() {
      const long = group("long", { text: "a".repeat(400_000) })
      const disk = yield* after(fresh, Effect.forEach(["a", "b"], () => append(long)), { segmentBytes: 1_000_000 })
      assert.isAbove([...segmentsOf(disk).values()].reduce((sum, { length }) => sum + length, 0), 1_600_000)
      const { fs } = yield* probed({ disk })
      yield* withLog(fs.service, Effect.void)
      const calls = fs.calls.filter((call) => call.includes("segments/"))
      assert.deepStrictEqual(calls.filter((call) => call.startsWith("read")), [`read ${segmentPath(2)}`])
      assert.isAtMost(fs.reads.reduce((sum, length) => sum + length, 0), 3 * 64 * 1024)
    }))

  it.effect("shares fdatasyncs: 320 groups with 32 in flight need a quarter of that at most, and each ack is true", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: fresh })
      const lost: Array<number> = []
      yield* withLog(
        process.service,
        Effect.forEach(numbers(320), (i) =>
          Effect.gen(function*() {
            const [seq] = yield* append(group(`d${i}`, { passages: 1 }))
            const durable = Buffer.from(segmentsOf(yield* process.disk, "durable").get(segmentPath(1)) ?? [])
            if (!durable.includes(`"seq":${seq},`)) lost.push(i)
          }), { concurrency: 32 })
      )
      const syncs = (yield* process.steps).filter(({ operation, path }) =>
        isSegment(path) && (operation === "datasync" || operation === "sync")
      )
      assert.isAtMost(syncs.length, 80)
      assert.deepStrictEqual(lost, [])
    }))

  it.effect("goes on where the system takes a few bytes at a time, of the lock too", () =>
    Effect.gen(function*() {
      const { fs, process } = yield* probed()
      fs.mostBytes = 7
      const program = Effect.gen(function*() {
        assert.deepInclude(JSON.parse(text(Disk.files(yield* process.disk, "cached").get(lockPath))), { pid: 4711 })
        yield* append(group("a"), group("b"))
        return outline(yield* all()).length
      })
      assert.strictEqual(yield* withLog(fs.service, program, { segmentBytes: 1_000 }), 11)
      assert.strictEqual(linesOf(yield* process.disk).length, 12)
    }))

  it.effect("lets nobody tear a group by interrupting who waits for it", () =>
    Effect.gen(function*() {
      const { fs, process } = yield* probed()
      const program = Effect.gen(function*() {
        yield* append(group("a"))
        const [inside, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        fs.mostBytes = 100
        fs.before = (operation) =>
          operation === "write" ? Effect.zipRight(Deferred.succeed(inside, undefined), Deferred.await(go)) : Effect.void
        const waiting = yield* Effect.fork(append(group("b")))
        yield* Deferred.await(inside)
        const queued = yield* Effect.fork(append(group("c")))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(waiting)
        yield* Fiber.interrupt(queued)
        yield* Deferred.succeed(go, undefined)
        yield* append(group("d"))
      })
      yield* withLog(fs.service, program)
      const disk = yield* process.disk
      const lines = outline(yield* reading(disk, all()))
      assert.deepStrictEqual(lines.filter((line) => /commit|seal/.test(line)), [
        "6 commit^2/4",
        "11 commit^7/4",
        "16 commit^12/4",
        "21 commit^17/4",
        "22 seal"
      ])
    }))

  it.effect("finishes the group at hand when its scope is closed, and answers nobody afterwards", () =>
    Effect.gen(function*() {
      const { fs, process } = yield* probed()
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(logOn(fs.service), scope)
      const inside = yield* Deferred.make<void>()
      fs.mostBytes = 10
      fs.before = (operation) => operation === "write" ? Deferred.succeed(inside, undefined) : Effect.void
      const waiting = yield* Effect.fork(Effect.provide(append(group("a")), services))
      yield* Deferred.await(inside)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* process.openFiles, 0)
      assert.deepStrictEqual(outline(yield* reading(yield* process.disk, all())).slice(-2), ["6 commit^2/4", "7 seal"])
      yield* Fiber.await(waiting)
      assert.isTrue(Exit.isInterrupted(yield* Effect.exit(Effect.provide(append(group("b")), services))))
    }))
})

describe("Log/Segments, faults", () => {
  for (const reason of ["NoSpace", "DeviceError", "FileTooLarge"] as const) {
    it.effect(`rolls back a write that ${reason} cut short, and fails each later append with the same error`, () =>
      Effect.gen(function*() {
        const { fs, process } = yield* probed()
        const program = Effect.gen(function*() {
          yield* append(group("a"))
          const before = segmentsOf(yield* process.disk)
          // The first piece reaches the file, the second does not.
          fs.mostBytes = 100
          let pieces = 0
          fs.before = (operation, path) =>
            operation === "write" && ++pieces < 2 ? Effect.void : refuse(reason, "write")(operation, path)
          const error = yield* Effect.flip(append(group("b")))
          assert.deepInclude(error, { _tag: "LogWriteError", reason, path: segmentPath(1) })
          assert.strictEqual(pieces, 2)
          assert.deepStrictEqual(segmentsOf(yield* process.disk), before)
          assert.deepStrictEqual(segmentsOf(yield* process.disk, "durable"), before)
          fs.calls.length = 0
          fs.before = () => Effect.void
          assert.strictEqual(yield* Effect.flip(append(group("c"))), error)
          assert.strictEqual(yield* Effect.flip(appendAlone(vector("c"))), error)
          assert.deepStrictEqual(fs.calls, [])
          return before
        })
        const before = yield* withLog(fs.service, program)
        assert.deepStrictEqual(segmentsOf(yield* process.disk), before)
      }))
  }

  it.effect("writes nothing where less is free than the write may need, and says how much that is", () =>
    Effect.gen(function*() {
      const { fs, process } = yield* probed({ freeBytes: 8_000 })
      const program = Effect.gen(function*() {
        yield* append(group("a"))
        fs.calls.length = 0
        const error = yield* Effect.flip(append(...numbers(3).map((i) => group(`d${i}`))))
        assert.deepInclude(error, { _tag: "LogWriteError", reason: "NoSpace", path: segmentPath(1) })
        assert.isTrue(error._tag === "LogWriteError" && (error.needed ?? 0) > (error.free ?? Number.POSITIVE_INFINITY))
        assert.deepStrictEqual(fs.calls.filter((call) => call.startsWith("write")), [])
      })
      yield* withLog(fs.service, program)
      assert.strictEqual(linesOf(yield* process.disk).length, 6)
    }))

  const isSync = (call: string): boolean => call.startsWith("datasync") || call.startsWith("sync ")

  it.effect("is poisoned by a failed fdatasync, and never syncs that file again", () =>
    Effect.gen(function*() {
      const { fs } = yield* probed()
      const program = Effect.gen(function*() {
        yield* append(group("a"))
        fs.calls.length = 0
        fs.before = refuse("DeviceError", "datasync")
        const error = yield* Effect.flip(append(group("b")))
        assert.deepInclude(error, { _tag: "LogPoisoned", path: segmentPath(1) })
        fs.before = () => Effect.void
        assert.strictEqual(yield* Effect.flip(append(group("c"))), error)
      })
      yield* withLog(fs.service, program)
      assert.deepStrictEqual(fs.calls.filter(isSync), [`datasync ${segmentPath(1)}`])
    }))

  it.effect("is poisoned where what a rollback did, or what closes a segment, cannot be synced", () =>
    Effect.gen(function*() {
      for (const rolls of [false, true]) {
        const { fs } = yield* probed()
        const program = Effect.gen(function*() {
          yield* append(group("a"))
          fs.calls.length = 0
          fs.before = (operation, path) =>
            Effect.zipRight(
              refuse("DeviceError", "sync")(operation, path),
              rolls ? Effect.void : refuse("NoSpace", "write")(operation, path)
            )
          assert.strictEqual((yield* Effect.flip(append(group("b"))))._tag, "LogPoisoned")
          fs.before = () => Effect.void
          assert.strictEqual((yield* Effect.flip(append(group("c"))))._tag, "LogPoisoned")
        })
        yield* withLog(fs.service, program, { segmentBytes: rolls ? 1_500 : 1_000_000 })
        assert.deepStrictEqual(fs.calls.filter(isSync), [`sync ${segmentPath(1)}`])
      }
    }))

  it.effect("is poisoned when somebody else wrote to the file, and leaves it alone", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: fresh })
      const program = Effect.gen(function*() {
        yield* append(group("a"))
        yield* Effect.scoped(Effect.gen(function*() {
          const file = yield* process.service.open(segmentPath(1), "write")
          yield* file.write(yield* file.size, bytes("x"))
        }))
        const before = segmentsOf(yield* process.disk)
        assert.strictEqual((yield* Effect.flip(append(group("b"))))._tag, "LogPoisoned")
        return before
      })
      const before = yield* withLog(process.service, program)
      assert.deepStrictEqual(segmentsOf(yield* process.disk), before)
    }))

  it.effect("fails all who wait, and all who come later, when the writer dies; and seals nothing", () =>
    Effect.gen(function*() {
      for (const operation of ["write", "datasync", "free"]) {
        const { fs, process } = yield* probed()
        const program = Effect.gen(function*() {
          yield* append(group("a"))
          fs.before = (asked) => asked === operation ? Effect.die("a bug") : Effect.void
          const exits = yield* Effect.forEach(
            numbers(32),
            (i) => Effect.exit(append(group(`d${i}`))),
            { concurrency: "unbounded" }
          )
          fs.before = () => Effect.void
          exits.push(yield* Effect.exit(append(group("late"))))
          for (const exit of exits) {
            const defects = Exit.isFailure(exit) ? Chunk.toReadonlyArray(Cause.defects(exit.cause)) : []
            assert.include(defects, "a bug")
          }
          return linesOf(yield* process.disk).length
        })
        const lines = yield* withLog(fs.service, program)
        assert.strictEqual(linesOf(yield* process.disk).length, lines)
      }
    }))

  it.effect("seals no segment behind which a dying writer had begun another one", () =>
    Effect.gen(function*() {
      const { fs, process } = yield* probed()
      const program = Effect.gen(function*() {
        yield* append(group("a"))
        fs.before = (operation, path) =>
          operation === "syncDir" && path.endsWith("segments") ? Effect.die("a bug") : Effect.void
        assert.isTrue(Exit.isFailure(yield* Effect.exit(append(group("b")))))
        fs.before = () => Effect.void
      })
      yield* withLog(fs.service, program, { segmentBytes: 1_500 })
      const disk = yield* after(yield* process.disk, append(group("c")))
      const lines = yield* reading(disk, all())
      assert.deepStrictEqual(outline(lines).map((line) => Number.parseInt(line)), lines.map((_, i) => i + 1))
      assert.include(outline(lines).at(-2), "commit")
    }))
})

/** What is asked of the disk without changing it. */
const looks = ["open", "read", "size", "list", "free", "writable"] as const

const reasons = ["NoSpace", "DeviceError", "ReadOnly", "PermissionDenied"] as const

describe("Log/Segments, what it says of a disk that refuses", () => {
  const stale = JSON.stringify({ ...mortal.self, nonce: "n", started_at: "2026-11-29T20:00:00.000Z" })

  /** A lock that was left behind, a torn tail, and a segment that is nearly full. */
  const start = Effect.map(
    cutAfter(fresh, append(group("a"))),
    (disk) =>
      put(
        put(
          disk,
          segmentPath(1),
          Buffer.concat([segmentsOf(disk).get(segmentPath(1)) ?? bytes(""), bytes("{\"v\":1")])
        ),
        lockPath,
        bytes(stale)
      )
  )

  const story = Effect.zipRight(append(group("b")), append(group("c")))

  const attempt = (fs: LogFs["Type"]) => Effect.either(withLog(fs, story, { segmentBytes: 2_500 }))

  const says = (result: Either.Either<unknown, unknown>, reason: FsReason, name: string): boolean => {
    if (Either.isRight(result)) return false
    const { left } = result
    if (!(left instanceof LogFsError || left instanceof LogWriteError || left instanceof LogPoisoned)) {
      return assert.fail(`${name}: ${String(left)}`)
    }
    assert.strictEqual(left.reason, reason, name)
    assert.include(left.message, advice[reason], name)
    assert.match(left.message, /\/home\b/, name)
    return true
  }

  it.effect("names the path, the reason and what to do, whichever change of the disk is refused", () =>
    Effect.gen(function*() {
      const disk = yield* start
      const whole = yield* Simulated.make({ disk })
      assert.isTrue(Either.isRight(yield* attempt(whole.service)))
      const steps = yield* whole.steps
      const failed = new Set<string>()
      for (const [i, { operation }] of steps.entries()) {
        for (const reason of reasons) {
          const failAt = { operation: i + 1, reason, only: [operation] }
          const process = yield* Simulated.make({ disk, failAt })
          if (says(yield* attempt(process.service), reason, `${reason} in ${i + 1}, ${operation}`)) {
            failed.add(operation)
          }
        }
      }
      assert.deepStrictEqual([...failed].sort(), [
        "create",
        "datasync",
        "makeDir",
        "rename",
        "sync",
        "syncDir",
        "truncate",
        "unlink",
        "write"
      ])
    }))

  for (const look of looks) {
    it.effect(`names them where it cannot ${look}`, () =>
      Effect.gen(function*() {
        for (const reason of reasons) {
          const { fs } = yield* probed({ disk: yield* start })
          fs.before = refuse(reason, look, () => true)
          assert.isTrue(says(yield* attempt(fs.service), reason, `${reason} in ${look}`))
        }
      }))
  }

  it.effect("is refused before it takes the lock where it may not write, in whichever of its folders", () =>
    Effect.gen(function*() {
      const disk = ["connectors", "quarantine"].reduce(
        (all, name) => put(all, `${home}/log/${name}/some`, bytes("")),
        yield* after(fresh, append(group("a")))
      )
      for (const folder of ["log", "log/segments", "log/connectors", "log/quarantine"]) {
        const { fs, process } = yield* probed({ disk })
        fs.before = refuse("PermissionDenied", "writable", (path) => path === `${home}/${folder}`)
        const error = yield* Effect.flip(withLog(fs.service, Effect.void))
        assert.deepInclude(error, { _tag: "LogFsError", reason: "PermissionDenied", path: `${home}/${folder}` })
        assert.deepStrictEqual(yield* process.steps, [], folder)
      }
    }))

  it.effect("leaves no segment that was begun and not finished when the disk is full or fails", () =>
    Effect.gen(function*() {
      const disk = yield* after(fresh, append(group("a")))
      const one = segmentsOf(disk).get(segmentPath(1)) ?? bytes("")
      const options = { segmentBytes: one.length }
      const rolls = yield* Simulated.make({ disk })
      yield* withLog(rolls.service, append(group("b")), options)
      const steps = yield* rolls.steps
      const begun = steps.findIndex(({ operation, path }) => operation === "create" && path === segmentPath(2))
      const ended = steps.findIndex(({ operation, path }, i) => i > begun && operation === "syncDir" && isFolder(path))
      assert.isAbove(ended, begun)
      for (let k = begun + 1; k <= ended + 1; k++) {
        for (const reason of ["NoSpace", "DeviceError"] as const) {
          for (const sticky of [false, true]) {
            const operation = steps[k - 1]?.operation
            const only = operation === undefined ? [] : [operation]
            const process = yield* Simulated.make({ disk, failAt: { operation: k, reason, only, sticky }, seed: k })
            const name = `${reason} in ${operation}, ${sticky ? "for good" : "once"}`
            const result = yield* Effect.either(withLog(process.service, append(group("b")), options))
            assert.isTrue(says(result, reason, name), name)
            assert.deepStrictEqual([...segmentsOf(yield* process.disk)], [[segmentPath(1), one]], name)
            const next = yield* after(yield* process.disk, append(group("c")), options)
            const lines = yield* reading(next, all())
            assert.deepStrictEqual(lines.map(({ record }) => Number(record.seq)), lines.map((_, i) => i + 1), name)
            assert.deepStrictEqual([...(yield* documents(next)).keys()].sort(), ["a", "c"], name)
          }
        }
      }
    }))

  it.effect("begins no segment where there is no room for what would go into it", () =>
    Effect.gen(function*() {
      const disk = yield* after(fresh, append(group("a")))
      const { fs, process } = yield* probed({ disk, freeBytes: 4_000 })
      const error = yield* Effect.flip(withLog(fs.service, append(group("b")), { segmentBytes: 1_500 }))
      assert.deepInclude(error, { _tag: "LogWriteError", reason: "NoSpace", path: segmentPath(2) })
      assert.deepStrictEqual([...segmentsOf(yield* process.disk)], [...segmentsOf(disk)])
    }))
})

// Recovery. ----------------------------------------------------------------------------------------------------------

const segmentBytes = 2_000

interface Story {
  /** Documents whose appends were answered, and the segments as they were at that moment. */
  readonly acked: Array<string>
  readonly proven: Array<ReadonlyMap<string, Uint8Array>>
}

/** Says what it was answered. Three groups one by one, a roll, three together, more at the same time, alone ones. */
const tell = (story: Story, disk: Effect.Effect<Disk.Disk>) => {
  const ack = (...docs: ReadonlyArray<string>) =>
    Effect.map(disk, (now) => {
      story.acked.push(...docs)
      story.proven.push(segmentsOf(now))
    })
  const one = (doc: string) => Effect.zipRight(append(group(doc, { passages: 1 })), ack(doc))
  return Effect.gen(function*() {
    yield* one("a")
    yield* one("b")
    yield* append(...["c", "d", "e"].map((doc) => group(doc, { passages: 1 })))
    yield* ack("c", "d", "e")
    yield* Effect.forEach(["f", "g"], one, { concurrency: 2, discard: true })
    yield* appendAlone(exclusion("x", true))
  })
}

const run = (disk: Disk.Disk, options: Options) =>
  Effect.gen(function*() {
    const process = yield* Simulated.make({ ...options, disk })
    const story: Story = { acked: [], proven: [] }
    const exit = yield* Effect.exit(withLog(process.service, tell(story, process.disk), { segmentBytes }))
    return { exit, process, story }
  })

const documents = (disk: Disk.Disk) =>
  Effect.map(reading(disk, all()), (lines) => {
    assert.deepStrictEqual(lines.map(({ record }) => Number(record.seq)), lines.map((_, i) => i + 1))
    const live = lines.reduce((state, line) => Live.apply(state, line)[0], Live.empty)
    return new Map(
      [...HashMap.values(live.documents)].map(({ commit, passages }) => {
        assert.strictEqual(passages.length, commit.chunk_count)
        return [String(commit.doc_id), passages.length] as const
      })
    )
  })

/** The segments of a story are byte prefixes of those that are there now. */
const isKept = ({ proven }: Story, disk: Disk.Disk, name: string): void => {
  const now = segmentsOf(disk)
  for (const [path, content] of proven.at(-1) ?? new Map<string, Uint8Array>()) {
    const found = now.get(path)?.subarray(0, content.length) ?? bytes("nothing")
    assert.isTrue(Buffer.compare(found, content) === 0, `${name}: ${path} lost bytes that had been on disk`)
  }
}

const tornBytes = (disk: Disk.Disk): ReadonlyArray<string> =>
  [...Disk.files(disk, "durable")].filter(([path]) => path.startsWith(`${home}/log/quarantine/`)).map(([, content]) =>
    Buffer.from(content).toString("latin1")
  )

/** Whatever recovery cut off the segments of this disk is in quarantine, on the device. */
const isQuarantined = (before: Disk.Disk, now: Disk.Disk, name: string): void => {
  for (const [path, content] of segmentsOf(before)) {
    const kept = segmentsOf(now).get(path)?.length ?? 0
    if (kept >= content.length) continue
    const cut = Buffer.from(content.subarray(kept)).toString("latin1")
    assert.include(tornBytes(now), cut, `${name}: ${path}`)
  }
}

/**
 * The next run on such a disk: it opens, has all that was answered, and goes on; and what it was answered outlives
 * power loss in its turn.
 */
const isSound = (story: Story, disk: Disk.Disk, seed: number, name: string) =>
  Effect.gen(function*() {
    const process = yield* Simulated.make({ disk })
    const program = Effect.gen(function*() {
      const opened = yield* process.disk
      isKept(story, opened, name)
      isQuarantined(disk, opened, name)
      yield* append(group("next", { passages: 0 }))
      // Before the seal, which would cover for what the append did not sync.
      return yield* process.powerLoss(seed)
    })
    const left = yield* Deferred.make<Disk.Disk>()
    const exit = yield* Effect.exit(
      withLog(process.service, Effect.tap(program, (disk) => Deferred.succeed(left, disk)), { segmentBytes })
    )
    if (!(yield* Deferred.isDone(left))) return assert.fail(`${name}: ${exit}`)
    const later = yield* Deferred.await(left)
    isKept(story, later, name)
    const found = yield* documents(later)
    for (const doc of [...story.acked, "next"]) assert.isTrue(found.has(doc), `${name}: ${doc} is lost`)
    for (const doc of found.keys()) assert.include(["a", "b", "c", "d", "e", "f", "g", "next"], doc)
  })

const seeds = [1, 2, 3, 4, 5, 6, 7, 8]

const fingerprint = (disk: Disk.Disk): string =>
  JSON.stringify([
    Disk.folders(disk, "cached"),
    [...Disk.files(disk, "cached")].map(([path, content]) => [path, sha256(content)])
  ])

/** The disks that a process may leave when it ends: as it was, or what a power cut makes of it, each once. */
const losses = (process: Simulated.Simulated) =>
  Effect.gen(function*() {
    const cuts = new Map<string, readonly [seed: number, disk: Disk.Disk]>()
    for (const seed of seeds) {
      const disk = yield* process.powerLoss(seed)
      cuts.set(fingerprint(disk), [seed, disk])
    }
    return [[0, yield* process.processLoss] as const, ...cuts.values()]
  })

const steps = Effect.flatMap(run(fresh, {}), ({ exit, process, story }) => {
  assert.isTrue(Exit.isSuccess(exit))
  assert.strictEqual(story.acked.length, 7)
  return Effect.map(process.steps, (all) => {
    assert.isAbove(all.filter(({ operation, path }) => operation === "create" && isSegment(path)).length, 1)
    return all.length
  })
})

describe("Log/Segments, recovery", () => {
  it.effect("keeps all that was answered, whichever operation a process dies in and whatever power loss leaves", () =>
    Effect.gen(function*() {
      const most = yield* steps
      for (let k = 1; k <= most; k++) {
        const { process, story } = yield* run(fresh, { crashAt: k, seed: k })
        assert.isTrue(yield* process.crashed)
        for (const [seed, disk] of yield* losses(process)) {
          yield* isSound(story, disk, seed, `crash at ${k}, loss ${seed}`)
        }
      }
    }))

  it.effect("may die at any operation of its own, and is then done again", () =>
    Effect.gen(function*() {
      const most = yield* steps
      let recoveries = 0
      for (let k = 1; k <= most; k++) {
        const { process, story } = yield* run(fresh, { crashAt: k, seed: k })
        const all = yield* losses(process)
        const [seed, disk] = all[k % all.length] ?? [0, fresh]
        // Only a tail makes much of a recovery: every second of those, of the rest a few.
        const whole = text([...segmentsOf(disk).values()].at(-1)).endsWith("}\n")
        if (k % (whole ? 16 : 2) !== 0) continue
        for (let j = 1;; j++) {
          const recovery = yield* Simulated.make({ disk, crashAt: j, seed: j })
          yield* Effect.exit(withLog(recovery.service, Effect.void))
          if (!(yield* recovery.crashed)) break
          recoveries += 1
          const left = j % 2 === 0 ? yield* recovery.processLoss : yield* recovery.powerLoss(seed + j)
          yield* isSound(story, left, j, `crash at ${k}, loss ${seed}, recovery's crash at ${j}`)
        }
      }
      assert.isAbove(recoveries, 100)
    }))

  const faults: ReadonlyArray<readonly [name: string, stride: number, (k: number) => Options]> = [
    ["a full disk", 1, (operation) => ({ failAt: { operation, reason: "NoSpace" } })],
    ["a full disk from then on", 3, (operation) => ({ failAt: { operation, reason: "NoSpace", sticky: true } })],
    ["an I/O error", 1, (operation) => ({ failAt: { operation, reason: "DeviceError" } })],
    ["I/O errors from then on", 3, (operation) => ({ failAt: { operation, reason: "DeviceError", sticky: true } })],
    ["a short write", 2, (shortWriteAt) => ({ shortWriteAt })]
  ]
  for (const [name, stride, options] of faults) {
    it.effect(`keeps all that was answered after ${name} at any operation, a restart, and power loss later`, () =>
      Effect.gen(function*() {
        const most = yield* steps
        for (let k = 1; k <= most; k += stride) {
          const { exit, process, story } = yield* run(fresh, { ...options(k), seed: k })
          if (name === "a short write") assert.isTrue(Exit.isSuccess(exit), `${name} at ${k}`)
          const seed = 1 + k % 8
          yield* isSound(story, yield* process.processLoss, seed, `${name} at ${k}, a restart`)
          if (k % 4 > 0) continue
          yield* isSound(story, yield* process.powerLoss(seed), seed, `${name} at ${k}, power loss`)
        }
      }))
  }

  it.effect("refuses a log in which a byte changed that had been on disk, and writes nothing", () =>
    Effect.gen(function*() {
      const disk = yield* cutAfter(fresh, Effect.forEach(["a", "b", "c"], (doc) => append(group(doc))))
      const content = segmentsOf(disk).get(segmentPath(1)) ?? bytes("")
      const lines = yield* reading(disk, all())
      const durable = lines.at(-1)?.record.kind === "commit" ? lines.at(-5)?.position.offset ?? 0 : 0
      assert.isAbove(durable, 1_000)
      for (let at = 0; at < content.length; at += 29) {
        const flipped = content.slice()
        flipped[at] = (flipped[at] ?? 0) ^ (1 << at % 8)
        const process = yield* Simulated.make({ disk: put(disk, segmentPath(1), flipped) })
        const exit = yield* Effect.exit(withLog(process.service, append(group("d"))))
        if (at < durable) {
          const line = lines.findLast(({ position }) => position.offset <= at)
          const error = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : Option.none()
          const expected = { _tag: "LogDamaged", path: segmentPath(1), offset: line?.position.offset }
          assert.deepInclude(Option.getOrThrow(error), expected, `byte ${at}`)
          assert.deepStrictEqual(segmentsOf(yield* process.disk), new Map([[segmentPath(1), flipped]]))
          assert.deepStrictEqual((yield* process.steps).filter(({ path }) => isSegment(path)), [])
          assert.deepStrictEqual(tornBytes(yield* process.disk), [])
        } else {
          // In what was answered last it looks like a torn tail: cut off, kept, and stored again by the next sync.
          assert.isTrue(Exit.isSuccess(exit), `byte ${at}`)
          assert.strictEqual(tornBytes(yield* process.disk).length, 1)
          assert.deepStrictEqual([...(yield* documents(yield* process.disk)).keys()].sort(), ["a", "b", "d"])
        }
      }
    }))

  const line = (json: string): string => `${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`
  const withLine = (disk: Disk.Disk, json: string): Disk.Disk =>
    put(disk, segmentPath(1), bytes(linesOf(disk).join("\n") + "\n" + line(json)))

  it.effect("refuses a line of a kind or version that it does not know, and passes over one that it may", () =>
    Effect.gen(function*() {
      const disk = yield* cutAfter(fresh, append(group("a")))
      const json = (v: number, kind: string) =>
        `{"v":${v},"seq":7,"at":"2026-11-29T20:00:00.000Z","kind":"${kind}","body":{}}`
      for (const newer of [json(1, "hologram"), json(2, "commit")]) {
        const start = withLine(disk, newer)
        const process = yield* Simulated.make({ disk: start })
        const error = yield* Effect.flip(withLog(process.service, append(group("b"))))
        const offset = segmentsOf(disk).get(segmentPath(1))?.length
        assert.deepInclude(error, { _tag: "LogTooNew", path: segmentPath(1), offset })
        assert.deepStrictEqual(segmentsOf(yield* process.disk), segmentsOf(start))
        const reader = Effect.flatMap(LogReader, ({ at, records }) =>
          Effect.all([
            Effect.flip(Stream.runDrain(records())),
            Effect.flip(at({ segment: 1, offset: offset ?? 0 }))
          ]))
        const errors = yield* reading(start, reader)
        assert.deepStrictEqual(errors.map(({ _tag }) => _tag), ["LogTooNew", "LogTooNew"])
      }
      const extended = yield* after(withLine(disk, json(1, "x-note")), append(group("b")))
      assert.strictEqual(outline(yield* reading(extended, all()))[6], "7 x-note")
      assert.strictEqual((yield* documents(extended)).size, 2)
    }))

  it.effect("takes a last segment that is empty, or short of its first line, for one that was never begun", () =>
    Effect.gen(function*() {
      const disk = yield* after(fresh, append(group("a")))
      for (const content of ["", "{\"v\":1", "\0\0\0"]) {
        const begun = put(disk, segmentPath(2), bytes(content))
        assert.strictEqual((yield* reading(begun, all())).length, 7)
        const last = yield* reading(begun, Effect.flatMap(LogReader, ({ last }) => last))
        assert.strictEqual(Option.getOrThrow(last).record.kind, "seal")
        const next = yield* after(begun, append(group("b")))
        assert.deepStrictEqual([...segmentsOf(next).keys()], [segmentPath(1)])
        assert.deepStrictEqual([...(yield* documents(next)).keys()].sort(), ["a", "b"])
        assert.deepStrictEqual(tornBytes(next), content === "" ? [] : [content])
      }
      const nothing = yield* after(put(fresh, segmentPath(1), bytes("")), append(group("a")))
      assert.strictEqual(linesOf(nothing).length, 7)
    }))

  it.effect("cuts off a last line without its line feed, keeps it, and ends the run that did only that with a seal", () =>
    Effect.gen(function*() {
      const disk = yield* cutAfter(fresh, append(group("漢字 é"), group("b")))
      const content = segmentsOf(disk).get(segmentPath(1)) ?? bytes("")
      const whole = yield* reading(disk, all())
      const ends = whole.map(({ length, position }) => position.offset + length)
      for (let end = ends.at(-3) ?? 0; end < content.length; end += 7) {
        const cut = put(disk, segmentPath(1), content.subarray(0, end))
        const kept = ends.filter((at) => at <= end)
        const lines = outline(whole).slice(0, kept.length)
        assert.deepStrictEqual(outline(yield* reading(cut, all())), lines)
        const last = yield* reading(cut, Effect.flatMap(LogReader, ({ last }) => last))
        assert.deepStrictEqual(outline(Option.toArray(last)), lines.slice(-1))
        const next = yield* after(cut, Effect.void)
        const tail = content.subarray(kept.at(-1), end)
        assert.deepStrictEqual(
          outline(yield* reading(next, all())),
          [...lines, `${lines.length + 1} seal`]
        )
        assert.deepStrictEqual(tornBytes(next), tail.length === 0 ? [] : [Buffer.from(tail).toString("latin1")])
      }
    }))

  it.effect("keeps in quarantine what an earlier recovery put there", () =>
    Effect.gen(function*() {
      const whole = yield* cutAfter(fresh, append(group("a")))
      const content = segmentsOf(whole).get(segmentPath(1)) ?? bytes("")
      const torn = (disk: Disk.Disk, tail: string) => put(disk, segmentPath(1), Buffer.concat([content, bytes(tail)]))
      const once = yield* cutAfter(torn(whole, "one"), Effect.void)
      const twice = yield* cutAfter(torn(once, "another"), Effect.void)
      assert.deepStrictEqual([...tornBytes(twice)].sort(), ["another", "one"])
    }))
})

describe("Log/Segments, reading", () => {
  it.effect("gives out what stands before damage, then fails at its place; a torn end elsewhere than last is damage", () =>
    Effect.gen(function*() {
      const disk = yield* after(fresh, Effect.forEach(["a", "b", "c"], (doc) => append(group(doc))), {
        segmentBytes: 1_500
      })
      const lines = yield* reading(disk, all())
      const content = segmentsOf(disk).get(segmentPath(2)) ?? bytes("")
      const firstOf3 = lines.findIndex(({ position }) => position.segment === 3)
      const cases = [
        [content.subarray(0, -3), firstOf3 - 1],
        [
          content.map((byte, at) => at === 10 ? byte ^ 1 : byte),
          lines.findIndex(({ position }) => position.segment === 2)
        ]
      ] as const
      for (const [damaged, count] of cases) {
        const seen: Array<number> = []
        const error = yield* reading(
          put(disk, segmentPath(2), damaged),
          Effect.flatMap(
            LogReader,
            ({ records }) =>
              Effect.flip(Stream.runForEach(records(), ({ record }) => Effect.sync(() => seen.push(record.seq))))
          )
        )
        assert.strictEqual(error._tag, "LogDamaged")
        assert.deepInclude(error, { path: segmentPath(2), offset: lines[count]?.position.offset })
        assert.deepStrictEqual(seen, numbers(count).map((i) => i + 1))
      }
      // A segment that is missing in the middle leaves a hole in the numbers of the lines.
      const hole = put(disk, segmentPath(2), segmentsOf(disk).get(segmentPath(3)) ?? bytes(""))
      assert.strictEqual((yield* Effect.flip(reading(hole, all())))._tag, "LogDamaged")
    }))

  it.effect("bears a last segment that is taken away between the look at the folder and its opening", () =>
    Effect.gen(function*() {
      const disk = put(yield* after(fresh, append(group("a"))), segmentPath(2), bytes(""))
      const { fs, process } = yield* probed({ disk })
      fs.before = (operation, path) =>
        operation === "open" && path === segmentPath(2) ? Effect.ignore(process.service.unlink(path)) : Effect.void
      const layer = Layer.provide(Segments.reader({ home }), Layer.succeed(LogFs, fs.service))
      assert.strictEqual((yield* Effect.provide(all(), layer)).length, 7)
    }))

  it.effect("never holds more than the longest line", () =>
    Effect.gen(function*() {
      const { fs } = yield* probed({ disk: put(fresh, segmentPath(1), new Uint8Array(maxLineBytes + 5_000_000)) })
      const layer = Layer.provide(Segments.reader({ home }), Layer.succeed(LogFs, fs.service))
      const error = yield* Effect.flip(
        Effect.provide(Effect.flatMap(LogReader, ({ at }) => at({ segment: 1, offset: 0 })), layer)
      )
      assert.strictEqual(error._tag, "LogDamaged")
      assert.isAtMost(Math.max(...fs.reads), maxLineBytes)
    }))

  it.effect("locks, mends and writes nothing", () =>
    Effect.gen(function*() {
      const torn = put(yield* cutAfter(fresh, append(group("a"))), segmentPath(2), bytes("{"))
      const process = yield* Simulated.make({ disk: torn })
      const reads = Effect.gen(function*() {
        const reader = yield* LogReader
        yield* all()
        yield* reader.last
        yield* reader.segments
      })
      yield* Effect.provide(reads, Layer.provide(Segments.reader({ home }), process.layer))
      assert.deepStrictEqual(yield* process.steps, [])
    }))
})
