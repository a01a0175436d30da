/** What ends a run, and that it ends it: nothing is fetched or paid for behind a disk that is full. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as NodeLogFs from "../../layers/LogFs/Node.ts"
import { LogFs } from "../../services/LogFs.ts"
import { LogFsError, LogWriteError } from "../../src/domain/LogErrors.ts"
import { sync } from "../../src/sync/sync.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"
import { onDiskAt, vec } from "./Harness.ts"

const total = 400

const documents = Array.from({ length: total }, (_, i) => ({
  doc_id: `note-${String(i).padStart(3, "0")}.txt`,
  content: `note ${i} `.repeat(40)
}))

/** The real disk, but for how much of it is free: much, until so many writes have asked. */
const fullAfter = (writes: number): Layer.Layer<LogFs> => {
  let asked = 0
  return Layer.succeed(LogFs, {
    ...NodeLogFs.make,
    free: () => Effect.sync(() => asked++ < writes ? 1e12 : 0)
  })
}

it.scopedLive(
  "a disk that is full from the third write on stops the run, and the next run goes on from there",
  () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const { connector, control } = yield* vec("notes", documents, { limits: { max_concurrent_fetches: 2 } })
      const full = yield* onDiskAt(home, { connectors: [connector] }, fullAfter(2))
      const exit = yield* Effect.exit(full.process(sync()))

      assert.isTrue(Exit.isFailure(exit) && exit.cause._tag === "Fail" && exit.cause.error instanceof LogWriteError)
      const said = Exit.isFailure(exit) ? String(exit.cause) : ""
      assert.match(said, /00000001\.jsonl \(\d+ bytes needed, 0 free\): the disk is full; free some space/)
      const fetched = (yield* control.counts).fetches
      assert.isBelow(fetched, total / 2)
      const embedded = (yield* full.counts).texts
      assert.isAtMost(embedded, fetched)

      const world = yield* onDiskAt(home, { connectors: [connector] })
      const stored = (yield* world.lines).filter(({ record }) => record.kind === "commit").length
      assert.isAbove(stored, 0)
      yield* control.resetCounts
      const report = yield* world.process(sync())
      assert.deepInclude(report.connectors[0], {
        status: "ok",
        resumed: stored,
        new: total - stored,
        unchanged: stored
      })
      assert.strictEqual((yield* control.counts).fetches, total - stored)
      assert.strictEqual((yield* world.counts).texts, total - stored)
    }),
  60_000
)

it.scopedLive("a folder that may not be written ends the run before anything is fetched or embedded", () =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const { connector, control } = yield* vec("notes", documents.slice(0, 3))
    const readOnly = Layer.succeed(LogFs, {
      ...NodeLogFs.make,
      writable: (path: string) =>
        path.endsWith("segments") ? new LogFsError({ operation: "write in", path, reason: "ReadOnly" }) : Effect.void
    })
    const world = yield* onDiskAt(home, { connectors: [connector] }, readOnly)
    const error = yield* Effect.flip(world.process(sync()))
    assert.match(String(error), /cannot write in .*\/log\/segments: the file system is read-only; remount it writable/)
    assert.deepInclude(yield* control.counts, { listings: 0, fetches: 0 })
    assert.strictEqual((yield* world.counts).calls, 0)
  }))
