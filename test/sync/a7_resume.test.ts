/** `a7_resume_after_crash` of the sync framework's specification: what was committed is never paid for again. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { ConnectorName } from "../../src/domain/Ids.ts"
import { apply, empty, manifestOf } from "../../src/log/Live.ts"
import { sync } from "../../src/sync/sync.ts"
import { inMemory, onSimulatedDisk, vec, type World, type WorldOptions } from "./Harness.ts"

const notes = ConnectorName.make("notes")

/** Three paragraphs, none of them a crumb, so three passages. */
const text = (of: string): string => ["one", "two", "three"].map((n) => `${of} ${n} `.repeat(30).trim()).join("\n\n")

const documents = ["a", "b", "c", "d", "e"].map((id) => ({ doc_id: `${id}.txt`, content: text(id) }))

interface Crashing extends World {
  /** What the process does at its end. */
  readonly die: Effect.Effect<void>
  /** Runs what ends in a crash. */
  readonly crash: World["process"]
}

const crashing = (world: World): Crashing => ({ ...world, die: Effect.void, crash: world.process })

const logs: ReadonlyArray<
  readonly [name: string, make: (options: WorldOptions) => Effect.Effect<Crashing, never, Scope.Scope>]
> = [
  ["the Memory log", (options) => Effect.map(inMemory(options), crashing)],
  [
    "the Segments log, killed",
    (options) => Effect.map(onSimulatedDisk(options), (world) => ({ ...crashing(world), die: world.kill }))
  ],
  ...[1, 2, 3].map((power) =>
    [
      `the Segments log, without power (${power})`,
      (options: WorldOptions) =>
        Effect.map(onSimulatedDisk(options), (world): Crashing => ({
          ...world,
          die: world.kill,
          crash: (program) => Effect.flatMap(world.run(program, { power }), ({ exit }) => exit)
        }))
    ] as const
  )
]

/** Lets three groups through, waits until they are on disk, and dies. */
const dyingAfterThree = (die: Effect.Effect<void>) =>
  Effect.gen(function*() {
    const { append, appendAlone } = yield* LogWriter
    const begun = yield* Ref.make(0)
    const done = yield* Ref.make(0)
    const three = yield* Deferred.make<void>()
    return LogWriter.of({
      appendAlone,
      append: (groups) =>
        Effect.gen(function*() {
          if ((yield* Ref.updateAndGet(begun, (n) => n + 1)) > 3) {
            yield* Deferred.await(three)
            yield* die
            return yield* Effect.dieMessage("the process dies")
          }
          const seqs = yield* append(groups)
          // The fourth dies only after what a run does behind a commit had its chance.
          if ((yield* Ref.updateAndGet(done, (n) => n + 1)) === 3) {
            yield* Effect.forkDaemon(
              Effect.zipRight(Effect.repeatN(Effect.yieldNow(), 50), Deferred.succeed(three, undefined))
            )
          }
          return seqs
        })
    })
  })

const withoutLines = Effect.map(ProgressStore, (store) => ProgressStore.of({ ...store, append: () => Effect.void }))

const resume = (
  make: (options: WorldOptions) => Effect.Effect<Crashing, never, Scope.Scope>,
  { manifestWritten, progressWritten }: { readonly manifestWritten: boolean; readonly progressWritten: boolean }
) =>
  Effect.gen(function*() {
    const { connector, control } = yield* vec("notes", documents)
    const world = yield* make({ connectors: [connector] })
    const whole = sync().pipe(Effect.provideServiceEffect(LogWriter, dyingAfterThree(world.die)))
    const crashed = yield* Effect.exit(
      world.crash(progressWritten ? whole : Effect.provideServiceEffect(whole, ProgressStore, withoutLines))
    )
    assert.strictEqual(crashed._tag, "Failure")
    const lines = yield* world.lines
    const state = lines.reduce((state, line) => apply(state, line)[0], empty)
    const committed = manifestOf(state, notes)
    assert.strictEqual(committed.size, 3)
    const written = yield* world.process(Effect.gen(function*() {
      if (manifestWritten) yield* Effect.flatMap(ManifestStore, ({ save }) => save(notes, committed))
      return yield* Effect.flatMap(ProgressStore, ({ load }) => load(notes))
    }))
    if (!progressWritten) assert.strictEqual(written.length, 0)
    const before = yield* world.counts
    yield* control.resetCounts

    const [report] = (yield* world.process(sync())).connectors
    assert.deepInclude(report, {
      status: "ok",
      new: 2,
      unchanged: 3,
      fetched: 2,
      embed_texts: 6,
      resumed: manifestWritten ? 0 : 3
    })
    const { fetches_by_id } = yield* control.counts
    assert.strictEqual(fetches_by_id.size, 2)
    assert.isFalse([...fetches_by_id.keys()].some((id) => [...committed.keys()].some((other) => other === id)))
    assert.strictEqual((yield* world.counts).texts - before.texts, 6)
    assert.strictEqual((yield* world.manifest(notes)).size, 5)

    yield* control.resetCounts
    const [again] = (yield* world.process(sync())).connectors
    assert.deepInclude(again, { unchanged: 5, fetched: 0, embed_texts: 0, resumed: 0 })
    assert.isFalse(yield* world.process(Effect.flatMap(ProgressStore, ({ exists }) => exists(notes))))
  })

for (const [name, make] of logs) {
  describe(`a7_resume_after_crash, on ${name}`, () => {
    for (const progressWritten of [true, false]) {
      for (const manifestWritten of [true, false]) {
        it.scopedLive(
          `a7_resume_after_crash: progress lines ${progressWritten ? "" : "not "}written, manifest ${
            manifestWritten ? "" : "not "
          }written`,
          () => Logger.withMinimumLogLevel(resume(make, { manifestWritten, progressWritten }), LogLevel.None)
        )
      }
    }
  })
}
