/**
 * Single bits that turn over in a log that was on disk: none of it may pass for what was written. The long form, with
 * four thousand flips of each log: `npm run test:bitrot`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Stream from "effect/Stream"
import { PCGRandom } from "effect/Utils"
import { writeSync } from "node:fs"
import * as Segments from "../../layers/Log/Segments.ts"
import * as Simulated from "../../layers/LogFs/Simulated.ts"
import * as Disk from "../../layers/LogFs/SimulatedDisk.ts"
import { LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { verify } from "../../src/log/verify.ts"
import { append, group } from "../fixtures/LogGroups.ts"

const { BITROT_FLIPS, BITROT_SEED } = process.env
const flips = Number(BITROT_FLIPS ?? 300)
const seed = Number(BITROT_SEED ?? Date.now() % 1_000_000)

const home = "/home"
const path = `${home}/log/segments/00000001.jsonl`

const log = (fs: Simulated.Simulated) =>
  Layer.provide(Layer.merge(Segments.reader({ home }), Segments.writer({ home })), fs.layer)

const reader = (fs: Simulated.Simulated) => Layer.provide(Segments.reader({ home }), fs.layer)

const bytesOn = (disk: Disk.Disk): Buffer => Buffer.from(Disk.files(disk, "cached").get(path) ?? [])

const diskOf = (bytes: Uint8Array): Disk.Disk => Either.getOrThrow(Disk.put(Disk.empty, path, bytes))

/** Eight documents, each in a write of its own. */
const closed: Effect.Effect<Buffer, unknown> = Effect.gen(function*() {
  const fs = yield* Simulated.make()
  yield* fs.service.makeDir(home)
  const documents = ["a", "b", "c", "d", "e", "f", "g", "h"]
  yield* Effect.provide(Effect.forEach(documents, (doc) => append(group(doc))), log(fs))
  return bytesOn(yield* fs.disk)
})

/** As a run that was cut short leaves it: without its last line. */
const unsealed = Effect.map(closed, (bytes) => bytes.subarray(0, bytes.lastIndexOf(10, -2) + 1))

/** Up to here a later line knows that it had been on disk. */
const provedTo = (bytes: Buffer): number =>
  Math.max(0, ...[...bytes.toString("latin1").matchAll(/"durable_to":(\d+)/g)].map(([, offset]) => Number(offset)))

const flipped = (bytes: Buffer, bit: number): Buffer => {
  const other = Buffer.from(bytes)
  other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return other
}

const bits = (bytes: Buffer): ReadonlyArray<number> => {
  const random = new PCGRandom(seed)
  return Array.from({ length: flips }, () => random.integer(bytes.length * 8))
}

const records = Effect.flatMap(LogReader, (reader) =>
  Stream.runFold(
    Stream.catchAll(reader.records(), () => Stream.empty),
    new Array<string>(),
    (all, { record }) => [...all, JSON.stringify(record)]
  ))

/** The test runner wants a turn now and then, and nothing here waits for anything. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

const silent = Logger.withMinimumLogLevel(LogLevel.None)

describe("a bit that turned over", () => {
  it.effect(
    "is noticed by verify, wherever it is, and no line is given out that nobody wrote",
    () =>
      Effect.gen(function*() {
        const bytes = yield* closed
        const whole = yield* Effect.provide(records, reader(yield* Simulated.make({ disk: diskOf(bytes) })))
        assert.isAbove(whole.length, 20)
        let noticed = 0
        for (const bit of bits(bytes)) {
          yield* turn
          const fs = yield* Simulated.make({ disk: diskOf(flipped(bytes, bit)) })
          const { faults, torn } = yield* Effect.provide(verify, reader(fs))
          if (faults.length > 0 || torn > 0) noticed += 1
          const read = yield* Effect.provide(records, reader(fs))
          assert.deepStrictEqual(read, whole.slice(0, read.length), `seed ${seed}, bit ${bit}`)
          assert.isBelow(read.length, whole.length)
        }
        writeSync(1, `${flips} flips in a closed log, ${noticed} noticed\n`)
        assert.strictEqual(noticed, flips, `seed ${seed}`)
      }).pipe(silent),
    4 * 3_600_000
  )

  it.effect(
    "keeps a writer from a log whose acknowledged part it is in, and costs the last group at most elsewhere",
    () =>
      Effect.gen(function*() {
        const bytes = yield* unsealed
        const proved = provedTo(bytes)
        assert.isAbove(proved, bytes.length / 2)
        let refused = 0
        for (const bit of bits(bytes)) {
          yield* turn
          const before = diskOf(flipped(bytes, bit))
          const fs = yield* Simulated.make({ disk: before })
          const opened = yield* Effect.either(Effect.provide(LogWriter, log(fs)))
          const after = bytesOn(yield* fs.disk)
          const where = `seed ${seed}, bit ${bit}`
          if (bit >> 3 < proved) {
            assert.strictEqual(Either.isLeft(opened) && opened.left._tag, "LogDamaged", where)
            assert.isTrue(after.equals(bytesOn(before)), where)
            refused += 1
          } else {
            assert.isTrue(Either.isRight(opened), where)
            const kept = after.lastIndexOf(10, -2) + 1
            assert.isAtLeast(kept, proved, where)
            assert.isTrue(bytes.subarray(0, kept).equals(after.subarray(0, kept)), where)
          }
        }
        writeSync(1, `${flips} flips in a log that was cut short, ${refused} refused\n`)
        assert.isAbove(refused, 0)
      }).pipe(silent),
    4 * 3_600_000
  )
})
