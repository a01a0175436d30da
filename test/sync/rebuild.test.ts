import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import * as Memory from "../../layers/Projection/Memory.ts"
import { LogReader, type LogReader as Reader } from "../../services/LogReader.ts"
import { Projection } from "../../services/Projection.ts"
import { LogDamaged } from "../../src/domain/LogErrors.ts"
import { catchUp } from "../../src/sync/CatchUp.ts"
import { rebuild } from "../../src/sync/rebuild.ts"
import { dumped } from "../contracts/Projection.ts"
import { group } from "../fixtures/LogGroups.ts"

it.effect("a rebuild gives the projection up only for a log that can be read to its end", () =>
  Effect.gen(function*() {
    const { reader, writer } = yield* MemoryLog.make
    yield* writer.append([group("a"), group("b")])
    const projection = yield* Memory.make
    const damage = new LogDamaged({ path: "log/1", offset: 9, detail: "bad checksum" })
    const damaged: Reader["Type"] = {
      ...reader,
      records: (from) => Stream.concat(Stream.take(reader.records(from), 3), Stream.fail(damage))
    }
    yield* Effect.gen(function*() {
      yield* Effect.provideService(catchUp, LogReader, reader)
      const before = yield* dumped()
      assert.lengthOf(before, 4)
      assert.strictEqual(yield* Effect.flip(Effect.provideService(rebuild, LogReader, damaged)), damage)
      assert.deepStrictEqual(yield* dumped(), before)
      assert.deepInclude(yield* Effect.provideService(rebuild, LogReader, reader), { live_chunks: 4 })
    }).pipe(Effect.provideService(Projection, projection))
  }))
