import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { execFileSync } from "node:child_process"
import { promises as nodeFs } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Node from "../../layers/LogFs/Node.ts"
import * as Simulated from "../../layers/LogFs/Simulated.ts"
import { contract } from "../contracts/LogFs.ts"

const temporary = Effect.acquireRelease(
  Effect.promise(() => nodeFs.mkdtemp(join(tmpdir(), "mem-logfs-"))),
  (root) => Effect.promise(() => nodeFs.rm(root, { recursive: true }))
)

contract("Node", Effect.map(temporary, (root) => ({ root, layer: Node.layer })))
contract("Simulated", Effect.map(Simulated.make(), ({ layer }) => ({ root: "/", layer })))
contract(
  "Simulated, in a folder",
  Effect.gen(function*() {
    const { layer, service } = yield* Simulated.make()
    yield* Effect.orDie(service.makeDir("/home/log"))
    return { root: "/home/log", layer }
  })
)

const modeOf = (path: string) => Effect.promise(() => nodeFs.stat(path).then(({ mode }) => mode & 0o777))

describe("LogFs/Node", () => {
  it("knows the system's reasons", () => {
    const code = (code: string) => Node.reasonOf(Object.assign(new Error(code), { code }))
    assert.deepStrictEqual(
      ["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EACCES", "EPERM", "EMFILE", "ENFILE", "ENOENT", "EEXIST"].map(
        code
      ),
      [
        "NoSpace",
        "Quota",
        "FileTooLarge",
        "DeviceError",
        "ReadOnly",
        "PermissionDenied",
        "PermissionDenied",
        "TooManyOpenFiles",
        "TooManyOpenFiles",
        "NotFound",
        "AlreadyExists"
      ]
    )
    assert.deepStrictEqual([code("ELOOP"), Node.reasonOf("no error"), Node.reasonOf(undefined)], [
      "Unknown",
      "Unknown",
      "Unknown"
    ])
  })

  it.scopedLive("makes files that only their owner reads, and folders too, at every level", () =>
    Effect.gen(function*() {
      const root = yield* temporary
      yield* Node.make.makeDir(`${root}/a/b`)
      yield* Node.make.open(`${root}/a/b/file`, "create")
      assert.deepStrictEqual(
        [yield* modeOf(`${root}/a`), yield* modeOf(`${root}/a/b`), yield* modeOf(`${root}/a/b/file`)],
        [0o700, 0o700, 0o600]
      )
    }))

  it.scopedLive("follows no symlink", () =>
    Effect.gen(function*() {
      const root = yield* temporary
      yield* Effect.promise(() => nodeFs.writeFile(`${root}/target`, "abc"))
      yield* Effect.promise(() => nodeFs.symlink(`${root}/target`, `${root}/link`))
      yield* Effect.promise(() => nodeFs.symlink(`${root}/nowhere`, `${root}/dangling`))
      const open = (name: string, mode: "read" | "write" | "create") =>
        Effect.flip(Effect.scoped(Node.make.open(`${root}/${name}`, mode)))
      assert.strictEqual((yield* open("link", "read")).reason, "Unknown")
      assert.include((yield* open("link", "write")).message, "ELOOP")
      assert.strictEqual((yield* open("link", "create")).reason, "AlreadyExists")
      assert.strictEqual((yield* open("dangling", "create")).reason, "AlreadyExists")
      assert.deepStrictEqual(yield* Node.make.list(root), ["dangling", "link", "target"])
    }))

  it.scopedLive("refuses a FIFO at once, with nobody at its other end", () =>
    Effect.gen(function*() {
      const root = yield* temporary
      execFileSync("sh", ["-c", "mkfifo \"$0\"", `${root}/fifo`])
      for (const mode of ["read", "write"] as const) {
        const error = yield* Effect.flip(Effect.scoped(Node.make.open(`${root}/fifo`, mode)))
        assert.include(error.message, "not a regular file")
      }
    }))

  it.scopedLive("an interrupted write is waited for: nothing grows afterwards", () =>
    Effect.gen(function*() {
      const root = yield* temporary
      const file = yield* Node.make.open(`${root}/a`, "create")
      const fiber = yield* Effect.fork(file.write(0, new Uint8Array(64 * 1024 * 1024)))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      assert.oneOf(yield* file.size, [0, 64 * 1024 * 1024])
    }))
})
