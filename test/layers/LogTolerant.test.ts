import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Tolerant from "../../layers/Log/Tolerant.ts"
import { LogReader } from "../../services/LogReader.ts"
import { Timestamp } from "../../src/domain/Ids.ts"
import { LogDamaged, LogFsError, LogTooNew } from "../../src/domain/LogErrors.ts"
import * as Compose from "../../src/log/Compose.ts"
import { all, vector } from "../fixtures/LogGroups.ts"
import * as MemoryLogReader from "../fixtures/MemoryLogReader.ts"

const at = Timestamp.make("2026-11-29T20:00:00.000Z")

const damaged = new LogDamaged({ path: "/log/1", offset: 20, detail: "a wrong checksum" })

/** Two good lines, and whatever comes behind them. */
const given = () => {
  const log = MemoryLogReader.make()
  for (const [i, record] of Compose.alone([vector("a"), vector("b")], { at, seq: 1, durable_to: 0 }).entries()) {
    log.lines.push({ record, position: { segment: 1, offset: i * 10 }, length: 10 })
  }
  const warnings: Array<string> = []
  const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void warnings.push(String(message))))
  return { log, warnings, layer: Layer.merge(Layer.provide(Tolerant.layer, log.layer), logger) }
}

describe("a tolerant reader", () => {
  it.effect("gives what stands before the damage, and says so once, however often it is asked", () =>
    Effect.gen(function*() {
      const { layer, log, warnings } = given()
      log.failRecords = damaged
      yield* Effect.gen(function*() {
        assert.lengthOf(yield* all(), 2)
        assert.lengthOf(yield* all({ segment: 1, offset: 10 }), 1)
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(warnings, [`${damaged.message}. What stands before that place is used`])
    }))

  it.effect("hides nothing from who checks: a single line, other failures, faults", () =>
    Effect.gen(function*() {
      const { layer, log, warnings } = given()
      const failures = [
        new LogTooNew({ path: "/log/1", offset: 20, detail: "x" }),
        new LogFsError({ operation: "read", path: "/log/1", reason: "DeviceError" })
      ]
      yield* Effect.gen(function*() {
        for (const failure of failures) {
          log.failRecords = failure
          assert.strictEqual(yield* Effect.flip(all()), failure)
        }
        log.failAt = damaged
        const reader = yield* LogReader
        assert.strictEqual(yield* Effect.flip(reader.at({ segment: 1, offset: 0 })), damaged)
        assert.strictEqual(yield* Stream.runCount(reader.inspect), 2)
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(warnings, [])
    }))

  it.effect("takes the last good line for the last one", () =>
    Effect.gen(function*() {
      const { log, warnings } = given()
      log.failRecords = damaged
      const last = Effect.flatMap(LogReader, (reader) => reader.last)
      const failing = Effect.map(LogReader, (reader) => LogReader.of({ ...reader, last: damaged }))
      const inner = Layer.provide(Layer.effect(LogReader, failing), log.layer)
      const found = yield* Effect.provide(last, Layer.provide(Tolerant.layer, inner))
      assert.deepStrictEqual(Option.map(found, ({ record }) => Number(record.seq)), Option.some(2))
      assert.deepStrictEqual(warnings, [])
    }))
})
