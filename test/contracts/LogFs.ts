/** What every LogFs keeps, given a folder that is there and empty. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type LogFile, LogFs } from "../../services/LogFs.ts"
import type { FsReason, LogFsError } from "../../src/domain/LogErrors.ts"

export interface Fixture {
  readonly root: string
  readonly layer: Layer.Layer<LogFs>
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (content: Uint8Array): string => new TextDecoder().decode(content)

const writeAll = (file: LogFile, content: string): Effect.Effect<void, LogFsError> =>
  Effect.map(file.write(0, bytes(content)), (count) => assert.strictEqual(count, bytes(content).length))

const create = (path: string, content: string) =>
  Effect.scoped(Effect.gen(function*() {
    const file = yield* (yield* LogFs).open(path, "create")
    yield* writeAll(file, content)
  }))

const contentOf = (path: string) =>
  Effect.scoped(Effect.gen(function*() {
    const file = yield* (yield* LogFs).open(path, "read")
    return text(yield* file.read(0, yield* file.size))
  }))

const refused = <A, R>(
  effect: Effect.Effect<A, LogFsError, R>,
  reason: FsReason,
  operation: string,
  path: string
): Effect.Effect<void, A, R> =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.strictEqual(error._tag, "LogFsError")
    assert.deepStrictEqual([error.reason, error.operation, error.path], [reason, operation, path])
    assert.isDefined(error.cause)
  })

const opened = (path: string, mode: "read" | "write" | "create") =>
  Effect.flatMap(LogFs, (fs) => Effect.scoped(fs.open(path, mode)))

interface WriteOf {
  readonly offset: number
  readonly content: Uint8Array
}

const content = FastCheck.tuple(FastCheck.nat(1500), FastCheck.nat(255)).map(([length, value]) =>
  new Uint8Array(length).fill(value)
)

const writes: FastCheck.Arbitrary<ReadonlyArray<WriteOf>> = FastCheck.array(
  FastCheck.record({ offset: FastCheck.nat(3000), content }),
  { maxLength: 8 }
)

export const contract = (name: string, fixture: Effect.Effect<Fixture, never, Scope.Scope>): void => {
  const test = (
    title: string,
    body: (root: string) => Effect.Effect<void, unknown, LogFs | Scope.Scope>
  ): void =>
    it.scopedLive(
      title,
      () => Effect.flatMap(fixture, ({ layer, root }) => Effect.provide(body(root), layer))
    )

  describe(`LogFs/${name}`, () => {
    test("creates a file that is not there, empty, and reads back what is written", (root) =>
      Effect.gen(function*() {
        const file = yield* (yield* LogFs).open(`${root}/a`, "create")
        assert.strictEqual(yield* file.size, 0)
        yield* writeAll(file, "Grüße")
        assert.strictEqual(text(yield* file.read(0, 7)), "Grüße")
        assert.strictEqual(yield* file.size, 7)
      }))

    test("refuses to create what is there, and leaves it", (root) =>
      Effect.gen(function*() {
        yield* create(`${root}/a`, "first")
        yield* refused(opened(`${root}/a`, "create"), "AlreadyExists", "create", `${root}/a`)
        assert.strictEqual(yield* contentOf(`${root}/a`), "first")
      }))

    test("opens only what is there", (root) =>
      Effect.gen(function*() {
        yield* refused(opened(`${root}/a`, "read"), "NotFound", "open", `${root}/a`)
        yield* refused(opened(`${root}/a`, "write"), "NotFound", "open", `${root}/a`)
        yield* refused(opened(`${root}/b/a`, "create"), "NotFound", "create", `${root}/b/a`)
        assert.deepStrictEqual(yield* (yield* LogFs).list(root), [])
      }))

    test("opens no folder as a file", (root) => refused(opened(root, "read"), "Unknown", "open", root))

    test("writes to a file that is there, without emptying it", (root) =>
      Effect.gen(function*() {
        yield* create(`${root}/a`, "abcdef")
        const file = yield* (yield* LogFs).open(`${root}/a`, "write")
        assert.strictEqual(yield* file.write(2, bytes("XY")), 2)
        assert.strictEqual(yield* contentOf(`${root}/a`), "abXYef")
      }))

    test("does not write to a file that is open for reading", (root) =>
      Effect.gen(function*() {
        yield* create(`${root}/a`, "abc")
        const file = yield* (yield* LogFs).open(`${root}/a`, "read")
        yield* refused(file.write(0, bytes("X")), "Unknown", "write", `${root}/a`)
        yield* refused(Effect.asVoid(file.truncate(0)), "Unknown", "truncate", `${root}/a`)
        assert.strictEqual(yield* contentOf(`${root}/a`), "abc")
      }))

    test("reads fewer bytes at the end of a file, and none behind it", (root) =>
      Effect.gen(function*() {
        yield* create(`${root}/a`, "abcdef")
        const file = yield* (yield* LogFs).open(`${root}/a`, "read")
        assert.strictEqual(text(yield* file.read(4, 100)), "ef")
        assert.strictEqual((yield* file.read(6, 100)).length, 0)
        assert.strictEqual((yield* file.read(7, 1)).length, 0)
        assert.strictEqual((yield* file.read(0, 0)).length, 0)
      }))

    test("hands out bytes that are the reader's own", (root) =>
      Effect.gen(function*() {
        const given = bytes("abc")
        const file = yield* (yield* LogFs).open(`${root}/a`, "create")
        yield* file.write(0, given)
        given.fill(0)
        const taken = yield* file.read(0, 3)
        taken.fill(0)
        assert.strictEqual(text(yield* file.read(0, 3)), "abc")
      }))

    test("cuts a file, and lengthens it by zeros", (root) =>
      Effect.gen(function*() {
        const file = yield* (yield* LogFs).open(`${root}/a`, "create")
        yield* writeAll(file, "abcdef")
        yield* file.truncate(2)
        assert.strictEqual(text(yield* file.read(0, 100)), "ab")
        yield* file.truncate(4)
        assert.strictEqual(text(yield* file.read(0, 100)), "ab\0\0")
      }))

    test("writes at any offset, the gap before it is zeros, and syncs change nothing that is read", (root) =>
      Effect.gen(function*() {
        const file = yield* (yield* LogFs).open(`${root}/a`, "create")
        yield* file.write(3, bytes("d"))
        yield* file.datasync
        assert.strictEqual(text(yield* file.read(0, 100)), "\0\0\0d")
        yield* file.write(0, bytes("abc"))
        yield* file.sync
        assert.strictEqual(text(yield* file.read(0, 100)), "abcd")
      }))

    it.live.prop(
      "reads what an array that took the same writes holds",
      [writes],
      ([writes]) =>
        Effect.scoped(Effect.gen(function*() {
          const { layer, root } = yield* fixture
          const size = Math.max(
            0,
            ...writes.map(({ content, offset }) => content.length === 0 ? 0 : offset + content.length)
          )
          const model = new Uint8Array(size)
          const fs = yield* Effect.provide(LogFs, layer)
          const file = yield* fs.open(`${root}/a`, "create")
          for (const { content, offset } of writes) {
            assert.strictEqual(yield* file.write(offset, content), content.length)
            model.set(content, Math.min(offset, size))
          }
          assert.deepStrictEqual(Buffer.from(yield* file.read(0, size + 1)), Buffer.from(model))
        })),
      { fastCheck: { numRuns: 30 } }
    )

    test("renames over what is there; who holds the old file open goes on reading it", (root) =>
      Effect.gen(function*() {
        const fs = yield* LogFs
        yield* create(`${root}/new`, "new")
        yield* create(`${root}/old`, "old")
        const old = yield* fs.open(`${root}/old`, "read")
        yield* fs.rename(`${root}/new`, `${root}/old`)
        assert.deepStrictEqual(yield* fs.list(root), ["old"])
        assert.strictEqual(yield* contentOf(`${root}/old`), "new")
        assert.strictEqual(text(yield* old.read(0, 10)), "old")
      }))

    test("renames into another folder, to itself, and not into one that is missing", (root) =>
      Effect.gen(function*() {
        const fs = yield* LogFs
        yield* create(`${root}/a`, "a")
        yield* fs.makeDir(`${root}/dir`)
        yield* fs.rename(`${root}/a`, `${root}/dir/b`)
        yield* fs.rename(`${root}/dir/b`, `${root}/dir/b`)
        assert.deepStrictEqual(yield* fs.list(root), ["dir"])
        assert.strictEqual(yield* contentOf(`${root}/dir/b`), "a")
        yield* refused(fs.rename(`${root}/dir/b`, `${root}/no/b`), "NotFound", "rename", `${root}/dir/b`)
        yield* refused(fs.rename(`${root}/a`, `${root}/b`), "NotFound", "rename", `${root}/a`)
        yield* refused(fs.rename(`${root}/dir/b`, `${root}/dir`), "Unknown", "rename", `${root}/dir/b`)
      }))

    test("unlinks a file; who holds it open goes on reading it", (root) =>
      Effect.gen(function*() {
        const fs = yield* LogFs
        yield* create(`${root}/a`, "abc")
        const file = yield* fs.open(`${root}/a`, "read")
        yield* fs.unlink(`${root}/a`)
        assert.deepStrictEqual(yield* fs.list(root), [])
        assert.strictEqual(text(yield* file.read(0, 10)), "abc")
        yield* refused(fs.unlink(`${root}/a`), "NotFound", "remove", `${root}/a`)
      }))

    test("lists names, sorted, files and folders", (root) =>
      Effect.gen(function*() {
        const fs = yield* LogFs
        for (const name of ["b", "a10", "a2", "ä", "B"]) yield* create(`${root}/${name}`, "")
        yield* fs.makeDir(`${root}/aa/inner`)
        assert.deepStrictEqual(yield* fs.list(root), ["B", "a10", "a2", "aa", "b", "ä"])
        yield* refused(fs.list(`${root}/no`), "NotFound", "list", `${root}/no`)
        yield* refused(fs.list(`${root}/b`), "Unknown", "list", `${root}/b`)
      }))

    test("makes a folder with those above it, once or again, but not where a file is", (root) =>
      Effect.gen(function*() {
        const fs = yield* LogFs
        yield* Effect.all([fs.makeDir(`${root}/a/b/c`), fs.makeDir(`${root}/a/b/c`)], { concurrency: 2 })
        yield* fs.makeDir(`${root}/a/b/c`)
        assert.deepStrictEqual(yield* fs.list(`${root}/a/b`), ["c"])
        yield* create(`${root}/file`, "")
        yield* refused(fs.makeDir(`${root}/file`), "AlreadyExists", "make the folder", `${root}/file`)
        yield* refused(fs.makeDir(`${root}/file/below`), "Unknown", "make the folder", `${root}/file/below`)
      }))

    test("syncs a folder that is there", (root) =>
      Effect.gen(function*() {
        const fs = yield* LogFs
        yield* create(`${root}/a`, "")
        yield* fs.syncDir(root)
        yield* refused(fs.syncDir(`${root}/no`), "NotFound", "sync the folder", `${root}/no`)
        assert.deepStrictEqual(yield* fs.list(root), ["a"])
      }))

    test("finds a folder that is there writable, and changes nothing to find out", (root) =>
      Effect.gen(function*() {
        const fs = yield* LogFs
        yield* fs.makeDir(`${root}/dir`)
        yield* fs.writable(`${root}/dir`)
        assert.deepStrictEqual(yield* fs.list(`${root}/dir`), [])
        yield* refused(fs.writable(`${root}/no`), "NotFound", "write in", `${root}/no`)
      }))

    test("says how much is free where the path is", (root) =>
      Effect.gen(function*() {
        const fs = yield* LogFs
        const free = yield* fs.free(root)
        assert.isTrue(Number.isSafeInteger(free))
        assert.isAbove(free, 0)
        yield* refused(fs.free(`${root}/no`), "NotFound", "measure the free space of", `${root}/no`)
      }))

    test("closes a file with its scope", (root) =>
      Effect.gen(function*() {
        const fs = yield* LogFs
        const file = yield* Effect.scoped(Effect.tap(fs.open(`${root}/a`, "create"), (file) => writeAll(file, "abc")))
        yield* refused(Effect.asVoid(file.size), "Unknown", "measure", `${root}/a`)
        yield* refused(file.write(0, bytes("X")), "Unknown", "write", `${root}/a`)
        yield* refused(Effect.asVoid(file.sync), "Unknown", "sync", `${root}/a`)
        assert.strictEqual(yield* contentOf(`${root}/a`), "abc")
      }))
  })
}
