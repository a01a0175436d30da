import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  appendFileSync,
  chmodSync,
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
import { join } from "node:path"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import * as Memory from "../../layers/Projection/Memory.ts"
import * as Readable from "../../layers/Projection/Readable.ts"
import * as Sqlite from "../../layers/Projection/Sqlite.ts"
import { type Database, type Engine, photostructure } from "../../layers/Projection/Sqlite/Database.ts"
import { LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { Projection } from "../../services/Projection.ts"
import type { Search } from "../../services/Search.ts"
import type { VectorIndex } from "../../services/VectorIndex.ts"
import { LogFsError } from "../../src/domain/LogErrors.ts"
import { DumpLine } from "../../src/domain/RebuildReport.ts"
import type { ProjectionError } from "../../src/domain/StoreErrors.ts"
import { catchUp } from "../../src/sync/CatchUp.ts"
import { digest, rebuild } from "../../src/sync/rebuild.ts"
import { contract, dumped, type Fixture, writerContract } from "../contracts/Projection.ts"
import { append, appendAlone, group, model, notes, reference, sha, vector } from "../fixtures/LogGroups.ts"
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

/** What is in the folder, with bytes and times. */
const snapshot = (home: string): ReadonlyArray<readonly [string, string, bigint, bigint]> =>
  readdirSync(home, { recursive: true, encoding: "utf8" }).sort().map((name) => {
    const path = join(home, name)
    const { ctimeNs, isFile, mtimeNs } = (() => {
      const stats = statSync(path, { bigint: true })
      return { ctimeNs: stats.ctimeNs, mtimeNs: stats.mtimeNs, isFile: stats.isFile() }
    })()
    return [name, isFile ? readFileSync(path).toString("base64") : "", mtimeNs, ctimeNs] as const
  })

const memory = Effect.map(newLog, (log): Fixture => ({
  layer: Layer.provideMerge(Memory.layer, log),
  caughtUp: catchUp
}))
contract("Memory", memory)
writerContract("Memory", memory)

for (const [form, engine] of Object.entries(engines)) {
  const inMemory = Effect.map(newLog, (log): Fixture => ({
    layer: Layer.provideMerge(Sqlite.memory({ engine }), log),
    caughtUp: catchUp
  }))
  const file = Effect.gen(function*() {
    const home = yield* temporaryHome
    return { layer: Layer.provideMerge(Sqlite.layer({ engine, home }), yield* newLog), caughtUp: catchUp }
  })
  const readable = Effect.gen(function*() {
    const home = yield* temporaryHome
    const log = yield* newLog
    return {
      layer: Layer.provideMerge(Layer.provide(Readable.layer({ engine, home }), quiet), log),
      caughtUp: writing(home, log, catchUp, engine)
    }
  })
  contract(`Sqlite in memory, ${form}`, inMemory)
  writerContract(`Sqlite in memory, ${form}`, inMemory)
  contract(`Sqlite, ${form}`, file)
  writerContract(`Sqlite, ${form}`, file)
  contract(`Readable, ${form}`, readable)
}
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
})

void [
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  fileOf,
  reading,
  warnings,
  snapshot,
  LogFsError,
  appendAlone,
  group,
  model,
  notes,
  reference,
  sha,
  vector,
  append,
  Option,
  describe
]
