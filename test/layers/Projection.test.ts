import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import * as Memory from "../../layers/Projection/Memory.ts"
import * as Readable from "../../layers/Projection/Readable.ts"
import * as Sqlite from "../../layers/Projection/Sqlite.ts"
import { LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { Projection } from "../../services/Projection.ts"
import { LogDamaged, LogFsError } from "../../src/domain/LogErrors.ts"
import { catchUp } from "../../src/sync/CatchUp.ts"
import { digest, rebuild } from "../../src/sync/rebuild.ts"
import { contract, dumped, dumpedReferences, type Fixture, writerContract } from "../contracts/Projection.ts"
import {
  asBytes,
  changed,
  edited,
  embedded,
  engines,
  fileOf,
  newHomeOf,
  newLog,
  noSqlite,
  quiet,
  reading,
  warnings,
  writing
} from "../fixtures/Index.ts"
import { append, commit, group, reference } from "../fixtures/LogGroups.ts"
import { lines as linesOf, randomLog, readerOf, rememberingLog } from "../fixtures/RandomLog.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

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
  for (const [of, acts] of [["any log", randomLog], ["any log of memory", rememberingLog]] as const) {
    it.scopedLive.prop(
      `is Projection/Memory byte for byte, after ${of}, in any pieces, reopened and cleared at any time`,
      {
        acts,
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
  }

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
      const database = (yield* engines.vec0).open(fileOf(home), "read")
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
        const database = open(fileOf(home), "read")
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
      assert.lengthOf(
        (yield* writing(home, log, dumpedReferences())).filter(({ embedding }) => embedding !== undefined),
        2
      )
    }))

  it.scopedLive("takes an apply whole or not at all, whichever write of it fails (openclaw/openclaw#10324)", () =>
    Effect.gen(function*() {
      const log = yield* newLog
      yield* Effect.provide(append(edited("a", 1), edited("b", 1)), log)
      const before = yield* newHomeOf(log, engines.vec0)
      yield* Effect.provide(append(edited("a", 2), embedded("b", 1, "other/1")), log)
      const after = yield* newHomeOf(log, engines.vec0)
      const untouched = yield* reading(before.home, log, asBytes).pipe(Effect.provide(quiet))
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
        assert.deepStrictEqual(yield* reading(home, log, asBytes).pipe(Effect.provide(quiet)), untouched)
        assert.deepStrictEqual(yield* writing(home, log, Effect.zipRight(catchUp, asBytes)), after.bytes)
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
        (yield* writing(home, log, dumpedReferences())).map(({ embedding }) => embedding === undefined),
        [false, false, true]
      )
      assert.match(messages.join(), /no vector/)
      failure = new LogFsError({ operation: "read", path: "log/1", reason: "DeviceError" })
      yield* Effect.provide(append({ entries: [reference("c", 1, 0, "a 0")], commit: commit("c", 1, 1) }), log)
      assert.match((yield* Effect.flip(writing(home, log, catchUp))).message, /check the disk/)
      assert.lengthOf(yield* writing(home, log, dumped()), 3)
    }))
})
