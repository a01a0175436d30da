import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { folder } from "./Mem.ts"
import { tracedNode, unchanged } from "./Traces.ts"

it.scopedLive("a folder that was changed in any way is told from one that was not", () =>
  Effect.gen(function*() {
    const changes: ReadonlyArray<readonly [string, (root: string) => void]> = [
      ["a byte", (root) => fs.writeFileSync(path.join(root, "a"), "2")],
      ["a new file", (root) => fs.writeFileSync(path.join(root, "sub/c"), "")],
      ["a removed file", (root) => fs.rmSync(path.join(root, "sub/b"))],
      ["a new folder", (root) => fs.mkdirSync(path.join(root, "new"))],
      ["a time", (root) => fs.utimesSync(path.join(root, "sub/b"), 1, 1)],
      ["a file that came and went", (root) => {
        fs.utimesSync(root, 1, 1)
        fs.writeFileSync(path.join(root, ".lock"), "")
        fs.rmSync(path.join(root, ".lock"))
      }]
    ]
    for (const [what, change] of changes) {
      const root = yield* folder({ a: "1", "sub/b": "1" })
      const exit = yield* Effect.sync(() => change(root)).pipe(unchanged(root), Effect.exit)
      assert.isTrue(Exit.isFailure(exit), what)
    }
    const root = yield* folder({ a: "1", "sub/b": "1" })
    yield* Effect.sync(() => fs.readFileSync(path.join(root, "a"))).pipe(unchanged(root))
  }))

it.scopedLive("a process is seen to open, to change and to load", () =>
  Effect.gen(function*() {
    const cwd = yield* folder({ a: "1", b: "1" })
    const script = `
      import * as fs from "node:fs"
      import { mkdirSync, openSync, readFileSync } from "node:fs"
      import { open, rename, writeFile } from "node:fs/promises"
      readFileSync("a")
      openSync("b", "r")
      openSync("b", "a")
      mkdirSync("dir")
      await open("c", "w")
      await writeFile("d", "")
      await rename("d", "e")
      fs.open("f", fs.constants.O_RDWR | fs.constants.O_CREAT, () => {})
      await new Promise((resolve) => fs.createWriteStream("g").end(resolve))
      await new Promise((resolve) => fs.createReadStream("a").resume().on("close", resolve))
      try { process.dlopen({ exports: {} }, "./none.node") } catch {}
    `
    const { code, stderr, trace } = yield* tracedNode(["--input-type=module", "-e", script], { cwd })
    assert.strictEqual(stderr, "")
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(trace, {
      read: ["a", "b"],
      change: [
        "openSync b",
        "mkdirSync dir",
        "open c",
        "writeFile d",
        "rename d",
        "open f",
        "open g"
      ],
      native: ["./none.node"]
    })
  }))
