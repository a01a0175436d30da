import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Simulated from "../../layers/LogFs/Simulated.ts"
import * as Disk from "../../layers/LogFs/SimulatedDisk.ts"
import { type Options, SimulatedCrash } from "../../layers/LogFs/SimulatedProcess.ts"
import type { LogFs } from "../../services/LogFs.ts"
import type { FsReason, LogFsError } from "../../src/domain/LogErrors.ts"

type Fs = LogFs["Type"]

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (content: Uint8Array | undefined): string | undefined =>
  content === undefined ? undefined : new TextDecoder().decode(content)

const seeds = Array.from({ length: 40 }, (_, i) => i)

const texts = (disk: Disk.Disk, side: "cached" | "durable" = "cached"): Record<string, string | undefined> =>
  Object.fromEntries([...Disk.files(disk, side)].map(([path, content]) => [path, text(content)]))

const using = <A>(
  fs: Fs,
  path: string,
  mode: "read" | "write" | "create",
  use: (file: Effect.Effect.Success<ReturnType<Fs["open"]>>) => Effect.Effect<A, LogFsError>
): Effect.Effect<A, LogFsError> => Effect.scoped(Effect.flatMap(fs.open(path, mode), use))

/** A file and its entry, both synced. */
const stored = (...contents: ReadonlyArray<readonly [path: string, content: string | Uint8Array]>): Disk.Disk =>
  contents.reduce(
    (disk, [path, content]) =>
      Either.getOrThrow(Disk.put(disk, path, typeof content === "string" ? bytes(content) : content)),
    Disk.empty
  )

/** The save of a manifest, and the shape of every other durable write. */
const save = (fs: Fs, content: string) =>
  Effect.gen(function*() {
    yield* using(fs, "/m.tmp", "create", (file) => Effect.zipRight(file.write(0, bytes(content)), file.sync))
    yield* fs.rename("/m.tmp", "/m")
    yield* fs.syncDir("/")
  })

type Action =
  | { readonly do: "write"; readonly name: string; readonly offset: number; readonly content: Uint8Array }
  | { readonly do: "truncate"; readonly name: string; readonly size: number }
  | { readonly do: "rename"; readonly name: string; readonly to: string }
  | { readonly do: "unlink" | "datasync" | "sync"; readonly name: string }
  | { readonly do: "syncDir" }

const name = FastCheck.constantFrom("/a", "/b", "/c")
const filledBytes = FastCheck.tuple(FastCheck.nat(1200), FastCheck.nat(255)).map(([length, value]) =>
  new Uint8Array(length).fill(value)
)
const actions: FastCheck.Arbitrary<ReadonlyArray<Action>> = FastCheck.array(
  FastCheck.oneof(
    FastCheck.record({
      do: FastCheck.constant("write" as const),
      name,
      offset: FastCheck.nat(2000),
      content: filledBytes
    }),
    FastCheck.record({ do: FastCheck.constant("truncate" as const), name, size: FastCheck.nat(2500) }),
    FastCheck.record({ do: FastCheck.constant("rename" as const), name, to: name }),
    FastCheck.record({ do: FastCheck.constantFrom(...["unlink", "datasync", "sync"] as const), name }),
    FastCheck.record({ do: FastCheck.constant("syncDir" as const) })
  ),
  { maxLength: 25 }
)

/** Creates a file that it writes to when that is not there; what cannot be done is passed over. */
const perform = (fs: Fs, action: Action): Effect.Effect<void> => {
  switch (action.do) {
    case "write": {
      const write = (mode: "write" | "create") =>
        using(fs, action.name, mode, (file) => file.write(action.offset, action.content))
      return Effect.ignore(Effect.orElse(write("write"), () => write("create")))
    }
    case "truncate":
      return Effect.ignore(using(fs, action.name, "write", (file) => file.truncate(action.size)))
    case "rename":
      return Effect.ignore(fs.rename(action.name, action.to))
    case "unlink":
      return Effect.ignore(fs.unlink(action.name))
    case "datasync":
      return Effect.ignore(using(fs, action.name, "write", (file) => file.datasync))
    case "sync":
      return Effect.ignore(using(fs, action.name, "write", (file) => file.sync))
    case "syncDir":
      return Effect.orDie(fs.syncDir("/"))
  }
}

/** A map of arrays that takes the same actions. */
const performPlain = (model: Map<string, Uint8Array>, action: Action): void => {
  if (action.do === "syncDir" || action.do === "datasync" || action.do === "sync") return
  const old = model.get(action.name)
  if (action.do === "write") {
    const end = action.content.length === 0 ? 0 : action.offset + action.content.length
    const next = new Uint8Array(Math.max(old?.length ?? 0, end))
    next.set(old ?? [])
    if (end > 0) next.set(action.content, action.offset)
    model.set(action.name, next)
    return
  }
  if (old === undefined) return
  if (action.do === "truncate") {
    const next = new Uint8Array(action.size)
    next.set(old.subarray(0, action.size))
    model.set(action.name, next)
    return
  }
  model.delete(action.name)
  if (action.do === "rename") model.set(action.to, old)
}

const hex = (files: ReadonlyMap<string, Uint8Array>) =>
  [...files].map(([path, content]) => [path, Buffer.from(content).toString("hex")]).sort()

describe("LogFs/Simulated, without a fault", () => {
  it.effect.prop(
    "is a map from paths to bytes, and a process that ends leaves all of it",
    [actions],
    ([actions]) =>
      Effect.gen(function*() {
        const process = yield* Simulated.make()
        const model = new Map<string, Uint8Array>()
        for (const action of actions) {
          yield* perform(process.service, action)
          performPlain(model, action)
        }
        assert.deepStrictEqual(hex(Disk.files(yield* process.disk, "cached")), hex(model))
        assert.deepStrictEqual(hex(Disk.files(yield* process.processLoss, "cached")), hex(model))
        assert.strictEqual(yield* process.openFiles, 0)
      })
  )

  it.effect("names its steps, in order; reading takes none", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make()
      yield* process.service.makeDir("/home/log")
      yield* process.service.makeDir("/home/log")
      yield* save(process.service, "x")
      yield* using(process.service, "/m", "write", (file) => Effect.zipRight(file.truncate(0), file.datasync))
      yield* using(process.service, "/m", "read", (file) => Effect.zip(file.size, file.read(0, 1)))
      yield* process.service.list("/")
      yield* process.service.free("/")
      yield* process.service.unlink("/m")
      assert.deepStrictEqual((yield* process.steps).map(({ operation, path }) => `${operation} ${path}`), [
        "makeDir /home",
        "makeDir /home/log",
        "create /m.tmp",
        "write /m.tmp",
        "sync /m.tmp",
        "rename /m.tmp",
        "syncDir /",
        "truncate /m",
        "datasync /m",
        "unlink /m"
      ])
    }))

  it.effect("lets other fibers run before each operation, as a real disk does", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: stored(["/a", ""], ["/b", ""]) })
      yield* Effect.forEach(["/a", "/b"], (path) =>
        using(process.service, path, "write", (file) =>
          Effect.zipRight(file.write(0, bytes("x")), file.datasync)), {
        concurrency: 2
      })
      assert.deepStrictEqual(
        (yield* process.steps).map(({ path }) =>
          path
        ),
        ["/a", "/b", "/a", "/b"]
      )
    }))

  it.effect("starts any number of processes from one disk, which none of them changes", () =>
    Effect.gen(function*() {
      const disk = stored(["/m", "old"])
      for (const content of ["one", "two"]) {
        const process = yield* Simulated.make({ disk })
        yield* save(process.service, content)
        assert.deepStrictEqual(texts(yield* process.processLoss), { "/m": content })
      }
      assert.deepStrictEqual(texts(disk), { "/m": "old" })
    }))

  it("lays files down whole, with their folders, over what was there", () => {
    const disk = stored(["/home/log/a", "first"], ["/home/log/a", "second"], ["/b", ""])
    assert.deepStrictEqual(texts(disk, "durable"), { "/b": "", "/home/log/a": "second" })
    assert.deepStrictEqual(Disk.folders(disk, "durable"), ["/", "/home", "/home/log"])
    for (const seed of seeds) assert.deepStrictEqual(texts(Disk.powerLoss(disk, seed)), texts(disk))
    assert.isTrue(Either.isLeft(Disk.put(disk, "/b/c", bytes("x"))))
    const given = bytes("abc")
    const own = stored(["/a", given])
    given.fill(0)
    Disk.files(own, "durable").get("/a")?.fill(0)
    assert.deepStrictEqual(texts(own), { "/a": "abc" })
  })
})

/** What a power cut leaves, over the seeds. */
const outcomes = <A>(disk: Disk.Disk, see: (disk: Disk.Disk) => A): ReadonlyArray<A> =>
  seeds.map((seed) => see(Disk.powerLoss(disk, seed)))

const after = (disk: Disk.Disk, run: (fs: Fs) => Effect.Effect<unknown, LogFsError>, options: Options = {}) =>
  Effect.gen(function*() {
    const process = yield* Simulated.make({ ...options, disk })
    yield* run(process.service)
    return yield* process.disk
  })

const filled = (length: number, value: string): string => value.repeat(length)

describe("LogFs/Simulated, power loss", () => {
  it.effect.prop(
    "leaves what was synced with its entry, byte for byte",
    [actions, FastCheck.nat()],
    ([actions, seed]) =>
      Effect.gen(function*() {
        const process = yield* Simulated.make()
        const fs = process.service
        yield* Effect.forEach(actions, (action) => perform(fs, action))
        for (const name of yield* fs.list("/")) yield* perform(fs, { do: "datasync", name: `/${name}` })
        yield* fs.syncDir("/")
        const promised = Disk.files(yield* process.disk, "cached")
        // An append takes nothing back, within the last sector neither, and a new file concerns no other.
        const content = new Uint8Array(700).fill(7)
        for (const [name, { length }] of promised) yield* perform(fs, { do: "write", name, offset: length, content })
        yield* perform(fs, { do: "write", name: "/new", offset: 0, content })
        const left = Disk.files(yield* process.powerLoss(seed), "cached")
        assert.deepStrictEqual(
          hex(
            new Map([...promised.keys()].map((path) => [
              path,
              left.get(path)?.subarray(0, promised.get(path)?.length) ?? bytes("lost")
            ]))
          ),
          hex(promised)
        )
      })
  )

  it.effect("leaves of a new file's bytes all, none, some, or zeros where its size was written and they were not", () =>
    Effect.gen(function*() {
      const content = filled(512, "a") + filled(512, "b") + filled(100, "c")
      const disk = yield* after(
        stored(["/a", ""]),
        (fs) => using(fs, "/a", "write", (file) => file.write(0, bytes(content)))
      )
      assert.deepStrictEqual([texts(disk), texts(disk, "durable")], [{ "/a": content }, { "/a": "" }])
      const seen = new Set(outcomes(disk, (left) => texts(left)["/a"] ?? "lost"))
      const zeros = filled(512, "\0")
      const sectors = [[zeros, filled(512, "a")], [zeros, filled(512, "b")], [filled(100, "\0"), filled(100, "c")]]
      const possible = sectors.reduce<ReadonlyArray<string>>(
        (starts, ways) => starts.flatMap((start) => ways.map((way) => start + way)),
        [""]
      )
      assert.isTrue(seen.has(""))
      assert.isTrue(seen.has(content))
      assert.isTrue(seen.has(filled(content.length, "\0")))
      assert.isAbove(seen.size, 4)
      for (const one of seen) assert.include(["", ...possible], one)
    }))

  it.effect("leaves bytes that are overwritten in place as they were or as they were to be, sector by sector", () =>
    Effect.gen(function*() {
      const disk = yield* after(
        stored(["/a", filled(1024, "o")]),
        (fs) => using(fs, "/a", "write", (file) => file.write(500, bytes(filled(100, "n"))))
      )
      const ways = ["oo", "on", "no", "nn"].map((way) =>
        filled(500, "o") + filled(12, way.charAt(0)) + filled(88, way.charAt(1)) + filled(424, "o")
      )
      assert.deepStrictEqual([...new Set(outcomes(disk, (left) => texts(left)["/a"]))].sort(), [...ways].sort())
    }))

  it.effect("parts a sector where the bytes on the device end: before, old or new; behind, new, zeros or nothing", () =>
    Effect.gen(function*() {
      const disk = yield* after(
        stored(["/a", filled(100, "o")]),
        (fs) => using(fs, "/a", "write", (file) => file.write(0, bytes(filled(200, "n"))))
      )
      const [o, n, zeros] = ["o", "n", "\0"].map((value) => filled(100, value))
      assert.deepStrictEqual(
        new Set(outcomes(disk, (left) => texts(left)["/a"])),
        new Set([`${o}`, `${n}`, `${o}${n}`, `${o}${zeros}`, `${n}${n}`, `${n}${zeros}`])
      )
    }))

  it.effect("leaves the old size or the new one of a file that was cut", () =>
    Effect.gen(function*() {
      const cut = yield* after(
        stored(["/a", "abcdef"]),
        (fs) => using(fs, "/a", "write", (file) => file.truncate(2))
      )
      assert.deepStrictEqual(new Set(outcomes(cut, (left) => texts(left)["/a"])), new Set(["abcdef", "ab"]))
      const rewritten = yield* after(
        stored(["/a", "abcdef"]),
        (fs) => using(fs, "/a", "write", (file) => Effect.zipRight(file.truncate(2), file.write(4, bytes("XY"))))
      )
      assert.deepStrictEqual(
        new Set(outcomes(rewritten, (left) => texts(left)["/a"])),
        new Set(["abcdef", "ab\0\0XY", "ab\0\0\0\0"])
      )
      const synced = yield* after(
        rewritten,
        (fs) => using(fs, "/a", "write", (file) => file.datasync)
      )
      assert.deepStrictEqual(new Set(outcomes(synced, (left) => texts(left)["/a"])), new Set(["ab\0\0XY"]))
    }))

  it.effect("leaves of a folder's entries a prefix of what happened there", () =>
    Effect.gen(function*() {
      const disk = yield* after(stored(["/a", "old"]), (fs) =>
        Effect.gen(function*() {
          yield* using(fs, "/b", "create", (file) => Effect.zipRight(file.write(0, bytes("new")), file.sync))
          yield* fs.rename("/b", "/a")
          yield* using(fs, "/c", "create", () => Effect.void)
          yield* fs.unlink("/a")
        }))
      const ways = [{ "/a": "old" }, { "/a": "old", "/b": "new" }, { "/a": "new" }, { "/a": "new", "/c": "" }, {
        "/c": ""
      }]
      assert.deepStrictEqual(
        [...new Set(outcomes(disk, (left) => JSON.stringify(texts(left))))].sort(),
        ways.map((way) => JSON.stringify(way)).sort()
      )
      const synced = yield* after(disk, (fs) => fs.syncDir("/"))
      assert.deepStrictEqual(
        new Set(outcomes(synced, (left) => JSON.stringify(texts(left)))),
        new Set(["{\"/c\":\"\"}"])
      )
    }))

  it.effect("never has a file in two folders or in none after a rename from one to the other", () =>
    Effect.gen(function*() {
      const start = stored(["/one/a", "a"], ["/two/b", "b"])
      const move = (fs: Fs) =>
        Effect.gen(function*() {
          yield* using(fs, "/one/x", "create", () => Effect.void)
          yield* fs.rename("/one/a", "/two/a")
          yield* using(fs, "/two/y", "create", () => Effect.void)
        })
      const moved = yield* after(start, move)
      const ways = new Set(outcomes(moved, (left) => [...Disk.files(left, "cached").keys()].join(" ")))
      assert.deepStrictEqual(
        [...ways].sort(),
        ["/one/a /one/x /two/b", "/one/a /two/b", "/one/x /two/a /two/b", "/one/x /two/a /two/b /two/y"]
      )
      const synced = yield* after(moved, (fs) => fs.syncDir("/two"))
      assert.deepStrictEqual(
        new Set(outcomes(synced, (left) => [...Disk.files(left, "cached").keys()].join(" "))),
        new Set(["/one/x /two/a /two/b /two/y"])
      )
    }))

  it.effect("takes a new folder with all that is in it, until the folder above it is synced", () =>
    Effect.gen(function*() {
      const disk = yield* after(Disk.empty, (fs) =>
        Effect.gen(function*() {
          yield* fs.makeDir("/home/log")
          yield* using(fs, "/home/log/a", "create", (file) => Effect.zipRight(file.write(0, bytes("a")), file.sync))
          yield* fs.syncDir("/home/log")
          yield* fs.syncDir("/home")
        }))
      assert.deepStrictEqual(
        new Set(outcomes(disk, (left) => JSON.stringify(texts(left)))),
        new Set(["{}", "{\"/home/log/a\":\"a\"}"])
      )
      const synced = yield* after(disk, (fs) => fs.syncDir("/"))
      assert.deepStrictEqual(new Set(outcomes(synced, (left) => texts(left)["/home/log/a"])), new Set(["a"]))
    }))

  it.effect.prop("is the same for the same seed, and goes no further when the power goes again", [
    actions,
    FastCheck.nat(),
    FastCheck.nat()
  ], ([actions, seed, other]) =>
    Effect.gen(function*() {
      const disks = yield* Effect.all([0, 1].map(() =>
        Effect.gen(function*() {
          const process = yield* Simulated.make({ seed, crashAt: 12, shortWriteAt: 3 })
          yield* Effect.exit(Effect.forEach(actions, (action) => perform(process.service, action)))
          return yield* process.powerLoss(seed)
        })
      ))
      const [first, second] = disks.map((disk) => hex(Disk.files(disk, "cached")))
      assert.deepStrictEqual(first, second)
      assert.deepStrictEqual(
        disks.map((disk) => hex(Disk.files(Disk.powerLoss(disk, other), "cached"))),
        disks.map((disk) => hex(Disk.files(disk, "cached")))
      )
    }))

  it.effect("ends the process that it meets", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make()
      yield* process.powerLoss(1)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(process.service.list("/"))))
      assert.isTrue(yield* process.crashed)
    }))
})

describe("LogFs/Simulated, crash at the k-th operation", () => {
  it.effect("nothing happens from there on, reads, finalizers and handlers included", () =>
    Effect.gen(function*() {
      const disk = stored(["/m", "old"])
      const whole = yield* Simulated.make({ disk })
      yield* save(whole.service, "content")
      const steps = yield* whole.steps
      for (let crashAt = 1; crashAt <= steps.length; crashAt++) {
        const process = yield* Simulated.make({ disk, crashAt, seed: crashAt })
        const fs = process.service
        const exit = yield* save(fs, "content").pipe(
          Effect.catchAll(() => Effect.void),
          Effect.ensuring(Effect.ignore(fs.unlink("/m"))),
          Effect.exit
        )
        assert.deepStrictEqual(yield* process.steps, steps.slice(0, crashAt))
        assert.isTrue(yield* process.crashed)
        assert.strictEqual(yield* process.openFiles, 0)
        const defects = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
        assert.isAbove(defects.length, 1)
        const crash = new SimulatedCrash({ operation: crashAt })
        for (const defect of defects) assert.strictEqual(String(defect), String(crash))
        const left = texts(yield* process.disk)
        const before = steps[crashAt - 1]?.operation === "write"
          ? left["/m.tmp"] ?? "lost"
          : crashAt > 2
          ? "content"
          : ""
        assert.isTrue("content".startsWith(before))
        assert.deepStrictEqual(
          left,
          [
            { "/m": "old" },
            { "/m": "old", "/m.tmp": before },
            { "/m": "old", "/m.tmp": before },
            { "/m": "old", "/m.tmp": before },
            { "/m": "content" }
          ][crashAt - 1]
        )
        const later = [
          fs.list("/"),
          fs.free("/"),
          fs.unlink("/m"),
          fs.syncDir("/"),
          fs.makeDir("/x"),
          fs.rename("/m", "/n")
        ]
        for (const operation of later) {
          const exit = yield* Effect.exit(Effect.ignore(operation))
          assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
        }
        assert.deepStrictEqual(texts(yield* process.processLoss), left)
      }
    }))

  it.effect("a write that it cuts leaves any prefix in the cache, and often one that ends with a line", () =>
    Effect.gen(function*() {
      const left = (content: string) =>
        Effect.forEach([...seeds, ...seeds.map((seed) => seed + seeds.length)], (seed) =>
          Effect.gen(function*() {
            const process = yield* Simulated.make({ disk: stored(["/a", ""]), crashAt: 1, seed })
            yield* Effect.exit(using(process.service, "/a", "write", (file) => file.write(0, bytes(content))))
            const left = texts(yield* process.disk)["/a"] ?? "lost"
            assert.isTrue(content.startsWith(left))
            return left.length
          }))
      assert.deepStrictEqual([...new Set(yield* left("abcd"))].sort(), [0, 1, 2, 3, 4])
      const line = `${"x".repeat(99)}\n`
      const ended = (yield* left(line.repeat(3))).filter((length) => length === 100 || length === 200)
      assert.isAbove(ended.length, seeds.length / 8)
    }))

  it.effect("a manifest saved by temporary file, sync and rename is the old or the new one, whole, wherever it stops", () =>
    Effect.gen(function*() {
      const disk = stored(["/m", "old"])
      const seen = new Set<string | undefined>()
      for (const crashAt of [1, 2, 3, 4, 5, 6]) {
        for (const seed of seeds) {
          const process = yield* Simulated.make({ disk, crashAt, seed })
          const exit = yield* Effect.exit(save(process.service, "new"))
          const left = texts(yield* process.powerLoss(seed))["/m"]
          assert.oneOf(left, Exit.isSuccess(exit) ? ["new"] : ["old", "new"])
          seen.add(left)
        }
      }
      assert.deepStrictEqual(seen, new Set(["old", "new"]))
    }))
})

/** What an append does, and what it leaves in the file. */
const append = (content: string, options: Options) =>
  Effect.gen(function*() {
    const process = yield* Simulated.make({ disk: stored(["/a", "start"]), ...options })
    const result = yield* Effect.either(
      using(process.service, "/a", "write", (file) => Effect.zipLeft(file.write(5, bytes(content)), file.datasync))
    )
    const reason: FsReason | number = Either.merge(Either.mapLeft(result, ({ reason }) => reason))
    return { process, result: reason, left: texts(yield* process.disk)["/a"] ?? "lost" }
  })

describe("LogFs/Simulated, faults", () => {
  it.effect("a datasync that meets an EIO has lost its bytes, although reads see them and a second one succeeds", () =>
    Effect.gen(function*() {
      const fault = { operation: 2, reason: "DeviceError" } as const
      const { left, process, result } = yield* append("more", { failAt: fault })
      assert.deepStrictEqual([result, left], ["DeviceError", "startmore"])
      const once = yield* process.disk
      assert.deepStrictEqual(
        new Set(outcomes(once, (left) => texts(left)["/a"])),
        new Set(["start", "start\0\0\0\0"])
      )
      // The same process tries again, and so does the next one: nothing is dirty any more.
      yield* using(process.service, "/a", "write", (file) => file.datasync)
      const disk = yield* after(
        yield* process.processLoss,
        (fs) =>
          using(fs, "/a", "write", (file) =>
            Effect.gen(function*() {
              assert.strictEqual(text(yield* file.read(0, 100)), "startmore")
              yield* file.sync
            }))
      )
      assert.deepStrictEqual(new Set(outcomes(disk, (left) => texts(left)["/a"])), new Set(["start\0\0\0\0"]))
      // Written again, they are stored.
      const mended = yield* after(
        disk,
        (fs) => using(fs, "/a", "write", (file) => Effect.zipRight(file.write(5, bytes("more")), file.datasync))
      )
      assert.deepStrictEqual(new Set(outcomes(mended, (left) => texts(left)["/a"])), new Set(["startmore"]))
    }))

  it.effect("a full disk refuses what takes space, once or for good, and takes what does not", () =>
    Effect.gen(function*() {
      for (const sticky of [false, true]) {
        const failAt = { operation: 1, reason: "NoSpace", sticky } as const
        const { left, process, result } = yield* append("more", { failAt, seed: 3 })
        assert.strictEqual(result, "NoSpace")
        assert.isTrue("startmor".startsWith(left))
        const fs = process.service
        yield* using(fs, "/a", "write", (file) => Effect.zipRight(file.truncate(5), file.sync))
        const again = yield* Effect.either(using(fs, "/a", "write", (file) => file.write(5, bytes("more"))))
        assert.deepStrictEqual(
          Either.merge(Either.mapLeft(again, ({ reason }) => reason)),
          sticky ? "NoSpace" : 4
        )
        assert.strictEqual(Either.isLeft(yield* Effect.either(fs.makeDir("/dir"))), sticky)
        yield* fs.unlink("/a")
      }
    }))

  it.effect("a write that fails may leave a part of its bytes", () =>
    Effect.gen(function*() {
      const failAt = { operation: 1, reason: "NoSpace" } as const
      const left = yield* Effect.forEach(seeds, (seed) =>
        Effect.map(append("more", { failAt, seed }), ({ left }) => left))
      assert.deepStrictEqual(new Set(left), new Set(["start", "startm", "startmo", "startmor"]))
    }))

  it.effect("waits for the first operation that can meet it", () =>
    Effect.gen(function*() {
      const later = yield* append("more", { failAt: { operation: 1, reason: "NoSpace", only: ["datasync"] } })
      assert.deepStrictEqual([later.result, later.left], ["NoSpace", "startmore"])
      const fault = { operation: 1, reason: "FileTooLarge" } as const
      const process = yield* Simulated.make({ failAt: fault })
      yield* process.service.makeDir("/dir")
      const error = yield* Effect.flip(
        using(process.service, "/dir/a", "create", (file) => file.write(0, bytes("x")))
      )
      assert.deepStrictEqual([error.reason, error.operation, error.path], ["FileTooLarge", "write", "/dir/a"])
    }))

  it.effect("a short write says how many bytes it wrote, once", () =>
    Effect.gen(function*() {
      const counts = yield* Effect.forEach(seeds, (seed) =>
        Effect.gen(function*() {
          const { left, process, result } = yield* append("more", { shortWriteAt: 1, seed })
          assert.isTrue("startmore".startsWith(left))
          assert.strictEqual(left.length - 5, result)
          const rest = yield* using(process.service, "/a", "write", (file) => file.write(5, bytes("more")))
          assert.strictEqual(rest, 4)
          return result
        }))
      assert.deepStrictEqual([...new Set(counts)].sort(), [1, 2, 3])
    }))

  it.effect("writes what fits and then nothing; what is cut or removed is free again", () =>
    Effect.gen(function*() {
      const { left, process, result } = yield* append("more", { freeBytes: 3 })
      assert.deepStrictEqual([result, left], [3, "startmor"])
      const fs = process.service
      assert.strictEqual(yield* fs.free("/"), 0)
      const write = using(fs, "/a", "write", (file) => file.write(8, bytes("e")))
      assert.strictEqual((yield* Effect.flip(write)).reason, "NoSpace")
      assert.strictEqual(yield* using(fs, "/a", "write", (file) => file.write(0, bytes("START"))), 5)
      yield* using(fs, "/a", "write", (file) => file.truncate(6))
      assert.strictEqual(yield* fs.free("/"), 2)
      yield* fs.unlink("/a")
      assert.strictEqual(yield* fs.free("/"), 8)
    }))
})
