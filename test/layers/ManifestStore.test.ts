import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as NodeFs from "../../layers/LogFs/Node.ts"
import * as Files from "../../layers/ManifestStore/Files.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { contract, entry, failed, keyed, notes } from "../contracts/ManifestStore.ts"
import * as MemoryLogFs from "../fixtures/MemoryLogFs.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

const folder = "/home/log/connectors"
const path = `${folder}/notes.manifest.jsonl`
const failedPath = `${folder}/notes.failed.jsonl`

const over = (fs: MemoryLogFs.MemoryLogFs) => Layer.provide(Files.layer({ home: "/home" }), fs.layer)

contract("Files in memory", () => over(MemoryLogFs.make("/home/log")))
contract("Files", () =>
  Layer.unwrapScoped(
    Effect.map(temporaryHome, (home) => Layer.provide(Files.layer({ home }), NodeFs.layer))
  ))

const text = (fs: MemoryLogFs.MemoryLogFs, at: string) => Buffer.from(fs.files.get(at) ?? []).toString()

const old = keyed([entry("a"), entry("b")])
const next = keyed([entry("b", 2), entry("c")])

const line = (id: string) =>
  `{"doc_id":"${id}","source_uri":"file:///vault/${id}","content_hash":"sha256:${
    "0123456789abcdef".repeat(4)
  }","chunk_count":1,"synced_at":"2026-11-29T20:00:00.000Z"}\n`

describe("ManifestStore/Files", () => {
  it.effect("writes an entry a line, in the order of ids by UTF-16 unit", () => {
    const fs = MemoryLogFs.make(folder)
    return Effect.gen(function*() {
      const { save } = yield* ManifestStore
      yield* save(notes, keyed(["b", "a", "B", "a0", "Z"].map((id) => entry(id))))
      assert.strictEqual(text(fs, path), ["B", "Z", "a", "a0", "b"].map(line).join(""))
    }).pipe(Effect.provide(over(fs)))
  })

  it.effect("reads lines of other writers: their order, spaces and further members", () => {
    const fs = MemoryLogFs.make(folder)
    fs.files.set(path, Buffer.from(` { "later" : {} , ${line("b").slice(1)}${line("a")}`))
    return Effect.gen(function*() {
      const { load } = yield* ManifestStore
      assert.deepStrictEqual([...Option.getOrThrow(yield* load(notes)).values()], [entry("b"), entry("a")])
    }).pipe(Effect.provide(over(fs)))
  })

  it.effect("is written beside, synced, renamed, and its folder synced, in this order", () => {
    const fs = MemoryLogFs.make("/home/log")
    return Effect.gen(function*() {
      const { save } = yield* ManifestStore
      yield* save(notes, old)
      assert.deepStrictEqual(fs.journal, [
        `makeDir ${folder}`,
        "syncDir /home/log",
        `create ${path}.tmp`,
        `write ${path}.tmp`,
        `sync ${path}.tmp`,
        `rename ${path}.tmp`,
        `syncDir ${folder}`
      ])
      assert.deepStrictEqual([...fs.files.keys()], [path])
    }).pipe(Effect.provide(over(fs)))
  })

  it.effect("is wholly the old or wholly the new one, whichever operation fails", () =>
    Effect.gen(function*() {
      let failures = 0
      for (let k = 0, done = false; !done; k++) {
        const fs = MemoryLogFs.make(folder)
        fs.files.set(`${path}.tmp`, Buffer.from("left by a crash"))
        const store = yield* Effect.provide(ManifestStore, over(fs))
        yield* store.save(notes, old)
        fs.mostBytes = 100
        let operations = 0
        fs.refuse = () => operations++ === k ? "NoSpace" : undefined
        const exit = yield* Effect.exit(store.save(notes, next))
        done = Exit.isSuccess(exit)
        if (!done) failures++
        fs.refuse = () => undefined
        const back = yield* (yield* Effect.provide(ManifestStore, over(fs))).load(notes)
        const ids = [...Option.getOrThrow(back).values()].map(({ chunk_count, doc_id }) => `${doc_id}${chunk_count}`)
        assert.include(done ? ["b2,c1"] : ["a1,b1", "b2,c1"], ids.join(), `operation ${k}`)
        assert.isFalse(done && fs.files.has(`${path}.tmp`))
        yield* store.save(notes, next)
        assert.deepStrictEqual([...fs.files.keys()], [path], `operation ${k}`)
      }
      assert.isAbove(failures, 8)
    }))

  const garbled: ReadonlyArray<readonly [what: string, content: string | Uint8Array]> = [
    ["a bad line", `${line("a")}nonsense\n${line("b")}`],
    ["a blank line", `${line("a")}\n${line("b")}`],
    ["a line that is no entry", `${line("a")}{"doc_id":"b"}\n`],
    ["a last line without its end", `${line("a")}${line("b").slice(0, -1)}`],
    ["a last line cut short", `${line("a")}${line("b").slice(0, 30)}`],
    ["an id that comes twice", `${line("a")}${line("b")}${line("a")}`],
    ["bytes that are not UTF-8", Buffer.from(line("\xff"), "latin1")],
    ["zeros", new Uint8Array(512)]
  ]

  it.effect("answers none for a garbled one, writes nothing, and keeps it aside when a new one is saved", () =>
    Effect.forEach(garbled, ([what, content]) => {
      const fs = MemoryLogFs.make(folder)
      const bytes = Buffer.from(content)
      fs.files.set(path, bytes)
      return Effect.gen(function*() {
        const { load, save } = yield* ManifestStore
        assert.deepStrictEqual(yield* load(notes), Option.none(), what)
        assert.deepStrictEqual(fs.journal, [], what)
        yield* save(notes, next)
        assert.deepStrictEqual(Buffer.from(fs.files.get(`${path}.bad`) ?? []), bytes, what)
        yield* save(notes, old)
        assert.deepStrictEqual(Option.getOrThrow(yield* load(notes)), old)
        assert.deepStrictEqual(Buffer.from(fs.files.get(`${path}.bad`) ?? []), bytes, "once")
        assert.deepStrictEqual([...fs.files.keys()].toSorted(), [path, `${path}.bad`])
      }).pipe(Effect.provide(over(fs)))
    }, { discard: true }))

  it.effect("keeps a garbled one aside when nobody had loaded it", () => {
    const fs = MemoryLogFs.make(folder)
    fs.files.set(path, Buffer.from("nonsense\n"))
    return Effect.gen(function*() {
      const { save } = yield* ManifestStore
      yield* save(notes, next)
      assert.strictEqual(text(fs, `${path}.bad`), "nonsense\n")
    }).pipe(Effect.provide(over(fs)))
  })

  it.effect("has nothing failed where that list is garbled, and keeps no copy of it", () => {
    const fs = MemoryLogFs.make(folder)
    fs.files.set(failedPath, Buffer.from("nonsense\n"))
    return Effect.gen(function*() {
      const { loadFailed, saveFailed } = yield* ManifestStore
      assert.deepStrictEqual(yield* loadFailed(notes), new Map())
      yield* saveFailed(notes, keyed([failed("a", 2)]))
      assert.deepStrictEqual(yield* loadFailed(notes), keyed([failed("a", 2)]))
      assert.deepStrictEqual([...fs.files.keys()], [failedPath])
    }).pipe(Effect.provide(over(fs)))
  })

  it.effect("says which file the system refused, and why; never takes that for a garbled one", () => {
    const fs = MemoryLogFs.make(folder)
    return Effect.gen(function*() {
      const { load, loadFailed, save } = yield* ManifestStore
      yield* save(notes, old)
      fs.refuse = (operation) => operation === "read" ? "DeviceError" : undefined
      const read = yield* Effect.flip(load(notes))
      assert.deepStrictEqual([read.operation, read.path, read.reason], ["read", path, "DeviceError"])
      fs.files.set(failedPath, new Uint8Array())
      assert.strictEqual((yield* Effect.flip(loadFailed(notes))).path, failedPath)
      fs.refuse = (operation) => operation === "write" ? "NoSpace" : undefined
      const write = yield* Effect.flip(save(notes, next))
      assert.deepStrictEqual([write.operation, write.path, write.reason], ["write", path, "NoSpace"])
      assert.deepStrictEqual([...fs.files.keys()].toSorted(), [failedPath, path])
      fs.mostBytes = 0
      fs.refuse = () => undefined
      assert.match((yield* Effect.flip(save(notes, next))).message, /the write took none of the bytes/)
    }).pipe(Effect.provide(over(fs)))
  })

  it.effect("lets others have their turn while it saves a large one", () => {
    const fs = MemoryLogFs.make(folder)
    return Effect.gen(function*() {
      const { load, save } = yield* ManifestStore
      const large = keyed(Array.from({ length: 10_000 }, (_, i) => entry(`${i}`)))
      let turns = 0
      const other = yield* Effect.fork(Effect.forever(Effect.zipRight(Effect.sync(() => turns++), Effect.yieldNow())))
      yield* save(notes, large)
      assert.isAtLeast(turns, 4)
      assert.strictEqual(fs.journal.filter((done) => done.startsWith("write")).length, 5)
      assert.strictEqual(Option.getOrThrow(yield* load(notes)).size, 10_000)
      yield* Fiber.interrupt(other)
    }).pipe(Effect.provide(over(fs)))
  })
})
