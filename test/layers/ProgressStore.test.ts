import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as NodeFs from "../../layers/LogFs/Node.ts"
import * as Files from "../../layers/ProgressStore/Files.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { entry, notes } from "../contracts/ManifestStore.ts"
import { contract, removed } from "../contracts/ProgressStore.ts"
import * as MemoryLogFs from "../fixtures/MemoryLogFs.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

const folder = "/home/log/connectors"
const path = `${folder}/notes.progress.jsonl`

const over = (fs: MemoryLogFs.MemoryLogFs) => Layer.provide(Files.layer({ home: "/home" }), fs.layer)

contract("Files in memory", () => over(MemoryLogFs.make("/home/log")))
contract("Files", () =>
  Layer.unwrapScoped(
    Effect.map(temporaryHome, (home) => Layer.provide(Files.layer({ home }), NodeFs.layer))
  ))

/** A run with a store of its own over these files. */
const run = <A, E>(fs: MemoryLogFs.MemoryLogFs, test: (store: ProgressStore["Type"]) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(ProgressStore, test), over(fs))

const text = (fs: MemoryLogFs.MemoryLogFs) => Buffer.from(fs.files.get(path) ?? []).toString()

const lineA = "{\"removed\":\"a\",\"seq\":1}\n"

describe("ProgressStore/Files", () => {
  it.effect("is on disk, with its folder, before the first line; the lines are not synced", () => {
    const fs = MemoryLogFs.make("/home/log")
    return run(fs, ({ append, begin, clear }) =>
      Effect.gen(function*() {
        yield* begin(notes)
        const begun = [
          `makeDir ${folder}`,
          "syncDir /home/log",
          `create ${path}`,
          `sync ${path}`,
          `syncDir ${folder}`
        ]
        assert.deepStrictEqual(fs.journal, begun)
        yield* begin(notes)
        yield* append(notes, removed("a"))
        yield* append(notes, removed("b"))
        assert.deepStrictEqual(fs.journal, [...begun, `write ${path}`, `write ${path}`])
        yield* clear(notes)
        assert.deepStrictEqual(fs.journal.slice(-2), [`unlink ${path}`, `syncDir ${folder}`])
      }))
  })

  it.effect("begins with the first line where nobody has", () => {
    const fs = MemoryLogFs.make(folder)
    return run(fs, ({ append }) =>
      Effect.gen(function*() {
        yield* append(notes, removed("a"))
        assert.deepStrictEqual(fs.journal, [
          `create ${path}`,
          `sync ${path}`,
          `syncDir ${folder}`,
          `write ${path}`
        ])
        assert.strictEqual(text(fs), lineA)
      }))
  })

  it.effect("reading it, or asking for it, writes nothing", () => {
    const fs = MemoryLogFs.make()
    return run(fs, ({ exists, load }) =>
      Effect.gen(function*() {
        yield* exists(notes)
        yield* load(notes)
        assert.deepStrictEqual(fs.journal, [])
      }))
  })

  it.effect("leaves out what it cannot read", () => {
    const fs = MemoryLogFs.make(folder)
    fs.files.set(
      path,
      Buffer.concat(
        [lineA, "nonsense\n", "\n", "{\"removed\":\"\",\"seq\":1}\n", "{\"removed\":\"c\"}\n"].map((line) =>
          Buffer.from(line)
        )
          .concat(Buffer.from("{\"removed\":\"\xff\",\"seq\":1}\n", "latin1"), Buffer.from(lineA.slice(0, -1)))
      )
    )
    return run(fs, ({ load }) => Effect.map(load(notes), (lines) => assert.deepStrictEqual(lines, [removed("a")])))
  })

  it.effect("is taken up after its last whole line, wherever it was cut", () =>
    Effect.gen(function*() {
      const whole = Buffer.from(`${lineA}{"removed":"é","seq":2}\n`)
      for (let cut = 0; cut <= whole.length; cut++) {
        const fs = MemoryLogFs.make(folder)
        fs.files.set(path, whole.subarray(0, cut))
        yield* run(fs, ({ append, load }) =>
          Effect.gen(function*() {
            yield* append(notes, removed("x"))
            const before = cut < lineA.length
              ? []
              : cut < whole.length
              ? [removed("a")]
              : [removed("a"), removed("é", 2)]
            assert.deepStrictEqual(yield* load(notes), [...before, removed("x")], `cut at ${cut}`)
            assert.isTrue(text(fs).endsWith("}\n") && !text(fs).includes("}{"))
          }))
      }
    }))

  it.effect("finds the end of a large one", () => {
    const fs = MemoryLogFs.make(folder)
    fs.files.set(path, Buffer.from(`${lineA}${"x".repeat(300_000)}`))
    return run(fs, ({ append }) =>
      Effect.gen(function*() {
        yield* append(notes, removed("a"))
        assert.strictEqual(text(fs), `${lineA}${lineA}`)
      }))
  })

  it.effect("writes a line whole, however little one write takes", () => {
    const fs = MemoryLogFs.make(folder)
    fs.mostBytes = 3
    return run(fs, ({ append, load }) =>
      Effect.gen(function*() {
        yield* append(notes, { entry: entry("a") })
        yield* append(notes, removed("b"))
        assert.deepStrictEqual(yield* load(notes), [{ entry: entry("a") }, removed("b")])
      }))
  })

  it.effect("fails with the reason where a line cannot be written, and writes over what was cut", () => {
    const fs = MemoryLogFs.make(folder)
    return run(fs, ({ append, load }) =>
      Effect.gen(function*() {
        yield* append(notes, removed("a"))
        fs.mostBytes = 20
        let writes = 0
        fs.refuse = (operation) => operation === "write" && ++writes === 2 ? "NoSpace" : undefined
        const error = yield* Effect.flip(append(notes, { entry: entry("long") }))
        assert.deepStrictEqual([error.operation, error.path, error.reason], ["write", path, "NoSpace"])
        assert.isAbove(text(fs).length, lineA.length)
        assert.deepStrictEqual(yield* load(notes), [removed("a")])
        yield* append(notes, removed("b"))
        assert.deepStrictEqual(yield* load(notes), [removed("a"), removed("b")])
      }))
  })

  it.effect("never says that it has begun when it has not, and can be asked again", () =>
    Effect.gen(function*() {
      let begun = false
      for (let k = 0; !begun; k++) {
        const fs = MemoryLogFs.make("/home/log")
        begun = yield* run(fs, ({ append, begin, load }) =>
          Effect.gen(function*() {
            let operations = 0
            fs.refuse = () => operations++ === k ? "DeviceError" : undefined
            const done = Exit.isSuccess(yield* Effect.exit(begin(notes)))
            fs.refuse = () => undefined
            fs.journal.length = 0
            yield* begin(notes)
            assert.deepStrictEqual(fs.journal.slice(-2), done ? [] : [`sync ${path}`, `syncDir ${folder}`])
            yield* append(notes, removed("a"))
            assert.deepStrictEqual(yield* load(notes), [removed("a")])
            return done
          }))
      }
    }))

  it.effect("says so where it cannot be read, looked for or removed", () => {
    const fs = MemoryLogFs.make(folder)
    return run(fs, ({ append, clear, exists, load }) =>
      Effect.gen(function*() {
        yield* append(notes, removed("a"))
        fs.refuse = (operation) => operation === "open read" ? "PermissionDenied" : undefined
        assert.strictEqual((yield* Effect.flip(load(notes))).operation, "read")
        assert.strictEqual((yield* Effect.flip(exists(notes))).reason, "PermissionDenied")
        fs.refuse = (operation) => operation === "unlink" ? "ReadOnly" : undefined
        assert.strictEqual((yield* Effect.flip(clear(notes))).reason, "ReadOnly")
        fs.refuse = () => undefined
        assert.deepStrictEqual(yield* load(notes), [removed("a")])
        yield* append(notes, removed("b"))
        assert.deepStrictEqual(yield* load(notes), [removed("a"), removed("b")])
      }))
  })
})
