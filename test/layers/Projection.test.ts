import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import * as Memory from "../../layers/Projection/Memory.ts"
import * as Readable from "../../layers/Projection/Readable.ts"
import * as Sqlite from "../../layers/Projection/Sqlite.ts"
import { type Database, type Engine, photostructure } from "../../layers/Projection/Sqlite/Database.ts"
import { LogReader } from "../../services/LogReader.ts"
import { type LogGroup, LogWriter } from "../../services/LogWriter.ts"
import { Projection } from "../../services/Projection.ts"
import { Search } from "../../services/Search.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { EmbedderFingerprint } from "../../src/domain/Ids.ts"
import { LogDamaged, LogFsError } from "../../src/domain/LogErrors.ts"
import { DumpLine } from "../../src/domain/RebuildReport.ts"
import { Vector } from "../../src/domain/Reference.ts"
import { ProjectionError } from "../../src/domain/StoreErrors.ts"
import { catchUp } from "../../src/sync/CatchUp.ts"
import { digest, rebuild } from "../../src/sync/rebuild.ts"
import { contract, dumped, type Fixture, writerContract } from "../contracts/Projection.ts"
import { append, commit, group, model, reference, sha, vector } from "../fixtures/LogGroups.ts"
import { lines as linesOf, randomLog, readerOf } from "../fixtures/RandomLog.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

/** What an engine opens, changed. */
const changed = (
  engine: Effect.Effect<Engine, ProjectionError>,
  change: (database: Database, location: string) => Database
) =>
  Effect.map(engine, ({ open }): Engine => ({
    open: (location, options) => change(open(location, options), location)
  }))

/** It never waits for the disk, which no test here pulls the plug of. */
const hurried = (engine: Effect.Effect<Engine, ProjectionError>) =>
  changed(engine, (database) => ({
    ...database,
    exec: (sql) => database.exec(sql.replace("synchronous = normal", "synchronous = off"))
  }))

const engines = { vec0: hurried(photostructure()), plain: hurried(photostructure({ extension: false })) }

type Log = Layer.Layer<LogReader | LogWriter>

const newLog: Effect.Effect<Log> = Effect.map(
  MemoryLog.make,
  ({ reader, writer }) => Layer.merge(Layer.succeed(LogReader, reader), Layer.succeed(LogWriter, writer))
)

const fileOf = (home: string): string => join(home, "projection", "index.sqlite")

/** A process that may write: it opens the index of the home, and lets go of it. */
const writing = <A, E>(
  home: string,
  log: Log,
  program: Effect.Effect<A, E, Projection | Search | VectorIndex | LogReader | LogWriter>,
  engine: Effect.Effect<Engine, ProjectionError> = engines.vec0
) => Effect.provide(program, Layer.provideMerge(Sqlite.layer({ home, engine }), log))

/** A process that only reads. */
const reading = <A, E>(
  home: string,
  log: Layer.Layer<LogReader>,
  program: Effect.Effect<A, E, Projection | Search | VectorIndex>,
  engine: Effect.Effect<Engine, ProjectionError> = engines.vec0
) => Effect.provide(program, Layer.provide(Readable.layer({ home, engine }), log))

const warnings = () => {
  const messages: Array<string> = []
  const logger = Logger.make(({ message }) => void messages.push(String(message)))
  return { messages, layer: Logger.replace(Logger.defaultLogger, logger) }
}

const quiet = Logger.remove(Logger.defaultLogger)

const encode = Schema.encodeSync(Schema.parseJson(DumpLine))
const asBytes = Effect.map(dumped(), (lines) => lines.map((line) => encode(line)))

/** What is in the folder: names, bytes, times. */
const snapshot = (home: string): ReadonlyArray<readonly [name: string, sha256: string, mtime: bigint]> =>
  readdirSync(home, { recursive: true, encoding: "utf8" }).sort().map((name) => {
    const path = join(home, name)
    const stats = statSync(path, { bigint: true })
    return [name, stats.isFile() ? sha(readFileSync(path).toString("latin1")) : "", stats.mtimeNs] as const
  })

/** A version of a document: two passages of which only the second is new, and all vectors that are. */
const edited = (doc: string, version: number): LogGroup => {
  const texts = [`${doc} 0`, `${doc} edited ${version}`]
  return {
    entries: [
      ...(version === 1 ? texts : texts.slice(1)).map(vector),
      ...texts.map((text, ordinal) => reference(doc, version, ordinal, text))
    ],
    commit: commit(doc, version, 2)
  }
}

/** The vectors of this version by another model; the passages stay. */
const embedded = (doc: string, version: number, by: string): LogGroup => ({
  entries: [`${doc} 0`, `${doc} edited ${version}`].map((text) => ({
    kind: "vector",
    body: new Vector({ embed_sha256: sha(text), model: EmbedderFingerprint.make(by), dims: 2, data: "AACAPwAAgD8=" })
  })),
  commit: { ...commit(doc, version, 2), embedder: EmbedderFingerprint.make(by) }
})

const search = (text: string) => Effect.flatMap(Search, (service) => service.search({ text, mode: "keyword", k: 5 }))

const positions = (...texts: ReadonlyArray<string>) =>
  Effect.flatMap(VectorIndex, (index) => index.positions({ model, dims: 1 }, texts.map(sha)))

const noSqlite = new ProjectionError({ path: "sqlite", detail: "it does not load here" })

const inMemoryOf = <A, E>(log: Log, program: Effect.Effect<A, E, Projection | Search | VectorIndex>) =>
  Effect.provide(
    Effect.zipRight(catchUp, program),
    Layer.provideMerge(Sqlite.memory({ engine: engines.vec0 }), log)
  )

/** A home whose index is up to this log, and its dump. */
const newHomeOf = (log: Log, engine: Effect.Effect<Engine, ProjectionError>) =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const bytes = yield* writing(home, log, Effect.zipRight(catchUp, asBytes), engine)
    return { home, bytes }
  })

const memory = Effect.map(newLog, (log): Fixture => ({
  layer: Layer.provideMerge(Memory.layer, log),
  caughtUp: catchUp
}))
contract("Memory", memory)
writerContract("Memory", memory)

const inMemory = Effect.map(newLog, (log): Fixture => ({
  layer: Layer.provideMerge(Sqlite.memory({ engine: engines.vec0 }), log),
  caughtUp: catchUp
}))
contract("Sqlite in memory", inMemory)
writerContract("Sqlite in memory", inMemory)

for (const [form, engine] of Object.entries(engines)) {
  const file = Effect.gen(function*() {
    const home = yield* temporaryHome
    return { layer: Layer.provideMerge(Sqlite.layer({ engine, home }), yield* newLog), caughtUp: catchUp }
  })
  contract(`Sqlite, ${form}`, file)
  writerContract(`Sqlite, ${form}`, file)
}

contract(
  "Readable",
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const log = yield* newLog
    return {
      layer: Layer.provideMerge(Layer.provide(Readable.layer({ engine: engines.vec0, home }), quiet), log),
      caughtUp: writing(home, log, catchUp)
    }
  })
)
contract(
  "Readable without a file",
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const log = yield* newLog
    const layer = Layer.provideMerge(Layer.provide(Readable.layer({ engine: engines.vec0, home }), quiet), log)
    return { layer, caughtUp: Effect.void, withoutFile: true }
  })
)

describe("Projection/Sqlite", () => {
  it.scopedLive.prop(
    "is Projection/Memory byte for byte, after any log, in any pieces, reopened and cleared at any time",
    {
      acts: randomLog,
      steps: FastCheck.array(
        FastCheck.record({
          lines: FastCheck.nat(60),
          batch: FastCheck.integer({ min: 1, max: 40 }),
          then: FastCheck.constantFrom(...(["go on", "reopen", "reopen", "clear"] as const))
        }),
        { minLength: 1, maxLength: 6 }
      ),
      form: FastCheck.constantFrom(...(["vec0", "vec0", "plain"] as const))
    },
    ({ acts, form, steps }) =>
      Effect.gen(function*() {
        const home = yield* temporaryHome
        const lines = linesOf(acts)
        const oracle = yield* Memory.make
        let size = 0
        let batch = 1
        const log = Layer.merge(
          Layer.effect(LogReader, Effect.sync(() => readerOf(lines, { batch, size: () => size }))),
          Layer.succeed(LogWriter, { append: () => Effect.succeed([]), appendAlone: () => Effect.void })
        )
        const all = [...steps, { lines: lines.length, batch: 7, then: "reopen" as const }]
        let open: Array<(typeof all)[number]> = []
        for (const step of all) {
          open.push(step)
          if (step.then !== "reopen") continue
          const together = open
          open = []
          yield* writing(
            home,
            log,
            Effect.gen(function*() {
              for (const { batch: next, lines: more, then } of together) {
                size = Math.min(lines.length, size + more)
                batch = next
                if (then === "clear") yield* Effect.flatMap(Projection, ({ clear }) => clear)
                yield* catchUp
                yield* Effect.provideService(catchUp, Projection, oracle)
                assert.deepStrictEqual(yield* asBytes, yield* Effect.provideService(asBytes, Projection, oracle))
              }
            }),
            engines[form]
          )
        }
        const fresh = yield* Memory.make
        const { state_sha256 } = yield* writing(home, log, digest, engines[form])
        const expected = yield* Effect.provide(Effect.zipRight(catchUp, digest), [
          Layer.succeed(Projection, fresh),
          log
        ])
        assert.strictEqual(state_sha256, expected.state_sha256)
        const rebuilt = yield* writing(home, log, rebuild, engines[form])
        assert.strictEqual(rebuilt.state_sha256, state_sha256)
      }).pipe(Effect.scoped),
    { fastCheck: { numRuns: 20 } }
  )

  it.scopedLive("keeps its file for its owner alone", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const log = yield* newLog
      yield* Effect.provide(append(group("a")), log)
      yield* writing(home, log, catchUp)
      assert.deepStrictEqual(readdirSync(join(home, "projection")), ["index.sqlite"])
      assert.strictEqual(statSync(join(home, "projection")).mode & 0o777, 0o700)
      assert.strictEqual(statSync(fileOf(home)).mode & 0o777, 0o600)
    }))

  it.scopedLive("holds what is live and no more, however often it changed (tobi/qmd#768)", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const log = yield* newLog
      for (let version = 1; version <= 10; version++) {
        yield* Effect.provide(append(edited("a", version)), log)
        yield* writing(home, log, catchUp)
      }
      const database = (yield* engines.vec0).open(fileOf(home), { readOnly: true })
      const count = (of: string) => database.all(`select count(*) as n from ${of}`).map((row) => ({ ...Object(row) }))
      assert.deepStrictEqual(
        [count("document"), count("passage"), count("vectors_1"), count("words_docsize"), count("vector")],
        [[{ n: 1 }], [{ n: 2 }], [{ n: 2 }], [{ n: 2 }], [{ n: 11 }]]
      )
      database.close()
    }))

  it.scopedLive("lets go of the vectors of a model that no document is embedded by any more", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const log = yield* newLog
      const tables = Effect.map(engines.vec0, ({ open }) => {
        const database = open(fileOf(home), { readOnly: true })
        const names = database.all(
          "select name from sqlite_schema where name glob 'vectors_[0-9]' order by name"
        ).map((row) => Object(row).name)
        database.close()
        return names
      })
      yield* Effect.provide(append(edited("a", 1)), log)
      yield* writing(home, log, catchUp)
      assert.deepStrictEqual(yield* tables, ["vectors_1"])
      yield* Effect.provide(append(embedded("a", 1, "other/1")), log)
      yield* writing(home, log, catchUp)
      assert.deepStrictEqual(yield* tables, ["vectors_2"])
      yield* Effect.provide(append({ entries: [], commit: commit("a", 1, 2) }), log)
      yield* writing(home, log, catchUp)
      assert.deepStrictEqual(yield* tables, ["vectors_1"])
      assert.lengthOf((yield* writing(home, log, dumped())).filter(({ embedding }) => embedding !== undefined), 2)
    }))

  it.scopedLive("takes an apply whole or not at all, whichever write of it fails (openclaw/openclaw#10324)", () =>
    Effect.gen(function*() {
      const log = yield* newLog
      yield* Effect.provide(append(edited("a", 1), edited("b", 1)), log)
      const before = yield* newHomeOf(log, engines.vec0)
      yield* Effect.provide(append(edited("a", 2), embedded("b", 1, "other/1")), log)
      const after = yield* newHomeOf(log, engines.vec0)
      let failures = 0
      for (let k = 1;; k++) {
        const home = yield* temporaryHome
        mkdirSync(join(home, "projection"))
        copyFileSync(fileOf(before.home), fileOf(home))
        let writes = 0
        const failing = changed(engines.vec0, (database) => ({
          ...database,
          run: (sql, ...values) => {
            writes++
            if (writes === k) throw Object.assign(new Error("database or disk is full"), { errcode: 13 })
            return database.run(sql, ...values)
          }
        }))
        const exit = yield* Effect.exit(writing(home, log, catchUp, failing))
        if (exit._tag === "Success") break
        failures++
        assert.match(String(exit.cause), /free some space/)
        // As it was; and it goes on from there.
        assert.deepStrictEqual(
          yield* reading(home, log, Effect.either(asBytes)).pipe(Effect.provide(quiet)),
          yield* reading(before.home, log, Effect.either(asBytes)).pipe(Effect.provide(quiet))
        )
        yield* writing(home, log, catchUp)
        assert.deepStrictEqual(yield* writing(home, log, asBytes), after.bytes)
      }
      assert.isAbove(failures, 15)
    }))

  it.scopedLive("cannot be opened without SQLite, and says why", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const error = yield* Effect.flip(writing(home, yield* newLog, catchUp, Effect.fail(noSqlite)))
      assert.strictEqual(error, noSqlite)
      assert.isFalse(existsSync(join(home, "projection")))
    }))

  it.scopedLive("starts anew without the extension that its vectors need, and finds the same", () =>
    Effect.gen(function*() {
      const log = yield* newLog
      yield* Effect.provide(append(edited("a", 1)), log)
      const { bytes, home } = yield* newHomeOf(log, engines.vec0)
      assert.deepStrictEqual(
        yield* writing(home, log, Effect.flatMap(Projection, ({ last }) => last), engines.plain),
        Option.none()
      )
      yield* writing(home, log, catchUp, engines.plain)
      assert.deepStrictEqual(yield* writing(home, log, asBytes, engines.plain), bytes)
      // The other way round there is no need to.
      assert.deepStrictEqual(yield* writing(home, log, asBytes, engines.vec0), bytes)
    }))

  it.scopedLive("leaves out a vector that the log does not give back, and says so", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const { reader, writer } = yield* MemoryLog.make
      const { layer, messages } = warnings()
      let failure: LogDamaged | LogFsError = new LogDamaged({ path: "log/1", offset: 0, detail: "bad checksum" })
      const log = Layer.merge(
        Layer.succeed(LogWriter, writer),
        Layer.succeed(LogReader, {
          ...reader,
          at: (position) => Effect.filterOrFail(reader.at(position), ({ kind }) => kind !== "vector", () => failure)
        })
      )
      yield* Effect.provide(append(edited("a", 1)), log)
      yield* writing(home, log, catchUp)
      yield* Effect.provide(append({ entries: [reference("b", 1, 0, "a 0")], commit: commit("b", 1, 1) }), log)
      yield* writing(home, log, catchUp).pipe(Effect.provide(layer))
      assert.deepStrictEqual(
        (yield* writing(home, log, dumped())).map(({ embedding }) => embedding === undefined),
        [false, false, true]
      )
      assert.match(messages.join(), /no vector/)
      failure = new LogFsError({ operation: "read", path: "log/1", reason: "DeviceError" })
      yield* Effect.provide(append({ entries: [reference("c", 1, 0, "a 0")], commit: commit("c", 1, 1) }), log)
      assert.match((yield* Effect.flip(writing(home, log, catchUp))).message, /check the disk/)
      assert.lengthOf(yield* writing(home, log, dumped()), 3)
    }))
})

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
  { name: "in the mode of a write-ahead log", state: "damaged", make: (path) => patch(path, 18, Buffer.of(2, 2)) },
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
      const database = engine.open(path, { readOnly: false })
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
          yield* Effect.map(newHomeOf(log, engines.vec0), (x) => x.bytes)
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
      const documents = Effect.map(dumped(), (lines) => [...new Set(lines.map(({ doc_id }) => String(doc_id)))])
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
