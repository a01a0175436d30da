import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { spawn } from "node:child_process"
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import * as Segments from "../../layers/Log/Segments.ts"
import * as NodeLogFs from "../../layers/LogFs/Node.ts"
import { type Engine } from "../../layers/Projection/Sqlite/Database.ts"
import { type LogPosition, LogReader } from "../../services/LogReader.ts"
import { Projection } from "../../services/Projection.ts"
import type { Search } from "../../services/Search.ts"
import { LogDamaged } from "../../src/domain/LogErrors.ts"
import type { EmbedderMismatch, ProjectionError } from "../../src/domain/StoreErrors.ts"
import { catchUp } from "../../src/sync/CatchUp.ts"
import { rebuild } from "../../src/sync/rebuild.ts"
import { dumped, dumpedReferences } from "../contracts/Projection.ts"
import {
  asBytes,
  edited,
  engines,
  fileOf,
  inMemoryOf,
  newHomeOf,
  newLog,
  noSqlite,
  positions,
  quiet,
  reading,
  search,
  snapshot,
  warnings,
  writing
} from "../fixtures/Index.ts"
import { append } from "../fixtures/LogGroups.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

/** A way in which the file can be of no use, and what it is then. */
interface Damage {
  readonly name: string
  readonly state: "missing" | "foreign" | "damaged"
  readonly make: (path: string, engine: Engine) => void
  /** Seen only by who uses what is damaged. */
  readonly hidden?: boolean
}

const patch = (path: string, offset: number, bytes: Uint8Array): void => {
  const content = readFileSync(path)
  content.set(bytes, offset)
  writeFileSync(path, content)
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const damages: ReadonlyArray<Damage> = [
  { name: "missing", state: "missing", make: (path) => rmSync(path) },
  { name: "missing with its folder", state: "missing", make: (path) => rmSync(dirname(path), { recursive: true }) },
  { name: "of zero bytes", state: "missing", make: (path) => truncateSync(path, 0) },
  { name: "cut within its first page", state: "damaged", make: (path) => truncateSync(path, 1000) },
  { name: "half written", state: "damaged", make: (path) => truncateSync(path, 20 * 4096) },
  { name: "no database", state: "damaged", make: (path) => writeFileSync(path, "no database\n".repeat(1000)) },
  { name: "of a later version", state: "foreign", make: (path) => patch(path, 60, number(99)) },
  { name: "of another program", state: "foreign", make: (path) => patch(path, 68, number(7)) },
  {
    name: "of another program, with a write-ahead log",
    state: "foreign",
    make: (path, engine) => {
      rmSync(path)
      const database = engine.open(path, "write")
      database.exec("pragma journal_mode = wal; create table theirs(x); insert into theirs values (1)")
      database.close()
    }
  },
  {
    name: "garbled but for its first page",
    state: "damaged",
    make: (path) => patch(path, 4096, Buffer.alloc(statSync(path).size - 4096, 0xff))
  },
  {
    name: "garbled at its end",
    state: "damaged",
    hidden: true,
    make: (path) => patch(path, 10 * 4096, Buffer.alloc(statSync(path).size - 10 * 4096, 0xff))
  },
  {
    name: "a link to another file",
    state: "missing",
    make: (path) => {
      copyFileSync(path, `${path}.elsewhere`)
      rmSync(path)
      symlinkSync(`${path}.elsewhere`, path)
    }
  },
  {
    name: "cut short in a write",
    state: "damaged",
    make: (path, engine) => {
      const database = engine.open(path, "write")
      database.exec("pragma cache_size = 1; begin; update passage set tokens = tokens + 1000, text = zeroblob(9000)")
      const left = { file: readFileSync(path), journal: readFileSync(`${path}-journal`) }
      database.exec("rollback")
      database.close()
      assert.notDeepEqual(left.file, readFileSync(path), "it had begun to write")
      writeFileSync(path, left.file)
      writeFileSync(`${path}-journal`, left.journal)
    }
  }
]

const many = Array.from({ length: 40 }, (_, i) => `d${i}.md`)

describe("a file that cannot be used", () => {
  it.scopedLive("is nothing to warn of where nothing was synced yet", () =>
    Effect.gen(function*() {
      const log = yield* newLog
      const home = yield* temporaryHome
      const { layer, messages } = warnings()
      const hits = yield* Effect.provide(reading(home, log, search("d7")), layer)
      assert.deepStrictEqual([hits, messages], [[], []])
    }))

  for (const { hidden = false, make, name, state } of damages) {
    it.scopedLive(`${name}: readers fold the log and touch nothing, and the next writer mends it`, () =>
      Effect.gen(function*() {
        const engine = yield* engines.vec0
        const log = yield* newLog
        yield* Effect.provide(append(...many.map((doc) => edited(doc, 1))), log)
        const { bytes, home } = yield* newHomeOf(log, engines.vec0)
        make(fileOf(home), engine)
        const before = snapshot(home)

        const { layer, messages } = warnings()
        const [status, dump, hits] = yield* reading(
          home,
          log,
          Effect.gen(function*() {
            const status = yield* Effect.flatMap(Projection, (projection) => projection.status)
            return [status, yield* asBytes, yield* search("d7")] as const
          })
        ).pipe(Effect.provide(layer))
        assert.deepStrictEqual(dump, bytes)
        assert.deepStrictEqual(hits, yield* inMemoryOf(log, search("d7")))
        if (!hidden) assert.deepInclude(status, { state, behind: 201 })
        assert.lengthOf(messages, 1)
        assert.match(messages[0] ?? "", /index\.sqlite (is not made yet|cannot be used).*the log is read as a whole/)
        assert.deepStrictEqual(snapshot(home), before)

        yield* Effect.provide(append(...many.map((doc) => edited(doc, 2))), log)
        yield* writing(home, log, catchUp)
        assert.deepStrictEqual(
          yield* writing(home, log, asBytes),
          yield* inMemoryOf(log, asBytes)
        )
        assert.deepInclude(
          yield* reading(home, log, Effect.flatMap(Projection, (projection) => projection.status)),
          { state: "current", behind: 0 }
        )
        assert.notInclude(readdirSync(dirname(fileOf(home))), "index.sqlite-journal")
      }))
  }

  it.scopedLive("from another log: readers fold the log, and the next writer folds it anew", () =>
    Effect.gen(function*() {
      const theirs = yield* newLog
      yield* Effect.provide(append(edited("theirs", 1), edited("b", 1), edited("c", 1)), theirs)
      const { home } = yield* newHomeOf(theirs, engines.vec0)
      const log = yield* newLog
      yield* TestClock.adjust("1 second")
      yield* Effect.provide(append(edited("ours", 1), edited("b", 1), edited("c", 1), edited("d", 1)), log)
      const documents = Effect.map(
        dumpedReferences(),
        (lines) => [...new Set(lines.map(({ doc_id }) => String(doc_id)))]
      )
      const status = Effect.flatMap(Projection, (projection) => projection.status)
      assert.deepInclude(yield* reading(home, log, status), { state: "foreign", behind: 21 })
      assert.deepStrictEqual(yield* reading(home, log, documents), ["b", "c", "d", "ours"])
      yield* writing(home, log, catchUp)
      assert.deepStrictEqual(yield* writing(home, log, documents), ["b", "c", "d", "ours"])
      assert.deepInclude(yield* reading(home, log, status), { state: "current", behind: 0 })
    }).pipe(Effect.provide([TestContext.TestContext, quiet])))

  it.scopedLive("without SQLite all but the search goes on", () =>
    Effect.gen(function*() {
      const log = yield* newLog
      yield* Effect.provide(append(edited("a", 1)), log)
      const { bytes, home } = yield* newHomeOf(log, engines.vec0)
      yield* reading(
        home,
        log,
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* asBytes, bytes)
          assert.strictEqual(yield* Effect.flip(search("a")), noSqlite)
          assert.strictEqual((yield* positions("a 0")).size, 1)
        }),
        Effect.fail(noSqlite)
      )
    }).pipe(Effect.provide(quiet)))
})

const status = Effect.flatMap(Projection, (projection) => projection.status)

describe("Projection/Readable", () => {
  it.scopedLive("answers from a file that is behind, says so once, and changes nothing", () =>
    Effect.gen(function*() {
      const log = yield* newLog
      yield* Effect.provide(append(edited("a", 1), edited("b", 1)), log)
      const { bytes, home } = yield* newHomeOf(log, engines.vec0)
      yield* Effect.provide(append(edited("c", 1)), log)
      const before = snapshot(home)
      const { layer, messages } = warnings()
      yield* reading(
        home,
        log,
        Effect.gen(function*() {
          assert.deepInclude(yield* status, { state: "behind", behind: 5 })
          assert.deepStrictEqual(messages, [])
          assert.deepStrictEqual(yield* asBytes, bytes)
          assert.deepStrictEqual(yield* search("c"), [])
          assert.lengthOf(yield* search("b"), 2)
          assert.lengthOf(messages, 1)
          assert.match(messages[0] ?? "", /lacks the last 5 lines/)
          assert.strictEqual((yield* positions("a 0", "c 0", "d 0")).size, 2, "the tail of the log is read for these")
        })
      ).pipe(Effect.provide(layer))
      assert.deepStrictEqual(snapshot(home), before)
    }))

  it.scopedLive("sees what becomes of the file while it lives: made, written, replaced, damaged, gone", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const log = yield* newLog
      const { layer, messages } = warnings()
      const docs = Effect.map(dumpedReferences(), (lines) => [...new Set(lines.map(({ doc_id }) => String(doc_id)))])
      yield* reading(
        home,
        log,
        Effect.gen(function*() {
          yield* Effect.provide(append(edited("a", 1)), log)
          assert.deepStrictEqual([yield* docs, (yield* status).state], [["a"], "missing"])
          yield* Effect.provide(append(edited("b", 1)), log)
          assert.deepStrictEqual(yield* docs, ["a", "b"], "what is in memory is caught up")
          yield* writing(home, log, Effect.void)
          assert.deepStrictEqual([yield* docs, (yield* status).state], [["a", "b"], "missing"], "nothing is in it yet")
          yield* writing(home, log, catchUp)
          assert.deepStrictEqual([yield* docs, (yield* status).state], [["a", "b"], "current"])
          yield* Effect.provide(append(edited("c", 1)), log)
          assert.deepStrictEqual([yield* docs, (yield* status).state], [["a", "b"], "behind"])
          yield* writing(home, log, catchUp)
          assert.deepStrictEqual(yield* docs, ["a", "b", "c"])
          yield* writing(home, log, rebuild)
          assert.deepStrictEqual([yield* docs, (yield* status).state], [["a", "b", "c"], "current"])
          assert.lengthOf(messages, 3)
          patch(fileOf(home), 4096, Buffer.alloc(statSync(fileOf(home)).size - 4096, 0xff))
          assert.deepStrictEqual([yield* docs, (yield* status).state], [["a", "b", "c"], "damaged"])
          rmSync(fileOf(home))
          assert.deepStrictEqual([yield* docs, (yield* status).state], [["a", "b", "c"], "missing"])
        })
      ).pipe(Effect.provide(layer))
    }))

  it.scopedLive("cannot write", () =>
    Effect.gen(function*() {
      const log = yield* newLog
      const { home } = yield* newHomeOf(log, engines.vec0)
      yield* reading(
        home,
        log,
        Effect.gen(function*() {
          const projection = yield* Projection
          assert.match((yield* Effect.flip(projection.apply([]))).message, /to be read alone/)
          assert.match((yield* Effect.flip(projection.clear)).message, /to be read alone/)
        })
      )
    }))

  it.scopedLive("answers up to where the log is damaged, and says so", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const { reader, writer } = yield* MemoryLog.make
      const { layer, messages } = warnings()
      yield* writer.append([edited("a", 1), edited("b", 1)])
      const damaged = Layer.succeed(LogReader, {
        ...reader,
        records: (from?: LogPosition) =>
          Stream.concat(
            Stream.take(reader.records(from), 8),
            Stream.fail(new LogDamaged({ path: "log/1", offset: 9, detail: "bad checksum" }))
          )
      })
      assert.lengthOf(yield* reading(home, damaged, dumped()).pipe(Effect.provide(layer)), 2)
      assert.match(messages.join(), /what follows is not searched: log\/1 is damaged at byte 9/)
    }))

  it.scopedLive("two readers and a writer of three processes' worth never see half a document, nor an error", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const log = Layer.provide(Layer.merge(Segments.reader({ home }), Segments.writer({ home })), NodeLogFs.layer)
      yield* Effect.provide(append(...many.map((doc) => edited(doc, 1))), Layer.orDie(log))
      const reader = Layer.provide(Segments.reader({ home }), NodeLogFs.layer)
      const whole = yield* inMemoryOf(Layer.orDie(log), asBytes)
      const child = spawn(process.execPath, ["--import", "tsx", "test/fixtures/indexWriter.ts", home])
      const said: Array<string> = []
      child.stdout.on("data", (data) => said.push(String(data)))
      child.stderr.on("data", (data) => said.push(String(data)))
      const code = new Promise<number | null>((resolve) => child.on("close", resolve))
      const { layer, messages } = warnings()
      const sizes = new Set<number>()
      const look = (question: Effect.Effect<number, ProjectionError | EmbedderMismatch, Projection | Search>) =>
        Effect.gen(function*() {
          while (child.exitCode === null) {
            sizes.add(yield* question)
            yield* Effect.sleep("2 millis")
          }
        })
      // Each in its own process would have its own connection, and so have these.
      yield* Effect.all([
        reading(
          home,
          reader,
          look(Effect.map(asBytes, (lines) => {
            assert.deepStrictEqual(lines, whole.filter((line) => lines.includes(line)))
            assert.strictEqual(lines.length % 2, 0)
            return lines.length
          }))
        ),
        reading(home, reader, look(Effect.map(search("edited"), (hits) => Math.min(hits.length, 0))))
      ], { concurrency: 2 }).pipe(Effect.provide(layer))
      assert.strictEqual(yield* Effect.promise(() => code), 0, said.join(""))
      assert.isAbove(sizes.size, 3, "it was looked at while it grew")
      assert.isFalse(messages.some((message) => message.includes("cannot be used")), messages.join("\n"))
      assert.deepStrictEqual(yield* reading(home, reader, asBytes), whole)
    }))
})
