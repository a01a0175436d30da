/** What the tests of the sync engine start from: notes without a disk or real time, and what is live afterwards. */
import { assert } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import { make, type VecDocument, type VecOptions } from "../../layers/SourceConnector/Vec.ts"
import { Embedder } from "../../services/Embedder.ts"
import { LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { Projection } from "../../services/Projection.ts"
import { ConnectorName, EmbedderFingerprint } from "../../src/domain/Ids.ts"
import type { DumpLine, RecordDumpLine, ReferenceDumpLine } from "../../src/domain/RebuildReport.ts"
import type { ConnectorSyncReport } from "../../src/domain/SyncReport.ts"
import { defaults, sync, type SyncOptions } from "../../src/sync/sync.ts"
import * as FaultyEmbedder from "../fixtures/FaultyEmbedder.ts"
import * as MemoryLogFs from "../fixtures/MemoryLogFs.ts"
import { type Services, type World, world, type WorldOptions } from "./Harness.ts"

export const notes = ConnectorName.make("notes")

/** Changes what the engine works with, for one run. */
export type Around = <A, E>(program: Effect.Effect<A, E, Services>) => Effect.Effect<A, E, Services>

/** No disk and no real time at all, so that TestClock rules it. `files` are what a disk would hold beside the log. */
export const withoutDisk = (
  options: WorldOptions
): Effect.Effect<World & { readonly files: Map<string, Uint8Array> }> =>
  Effect.gen(function*() {
    const home = "/home"
    const fs = MemoryLogFs.make("/", home, `${home}/log`)
    const { reader, writer } = yield* MemoryLog.make
    const made = yield* world({
      home,
      fs: fs.layer,
      reader: Layer.succeed(LogReader, reader),
      writer: Layer.succeed(LogWriter, writer)
    }, options)
    return { ...made, files: fs.files }
  })

/** One of the paragraphs of {@link text}: no crumb, so a passage; and what is embedded for it. */
export const paragraph = (of: string, n: number): string => `${of} ${n} `.repeat(30).trim()

export const text = (of: string, paragraphs = 3): string =>
  Array.from({ length: paragraphs }, (_, i) => paragraph(of, i + 1)).join("\n\n") + "\n"

export const document = (doc_id: string, of = doc_id, paragraphs = 3): VecDocument => ({
  doc_id,
  content: text(of, paragraphs)
})

export const many = (n: number): ReadonlyArray<VecDocument> =>
  Array.from({ length: n }, (_, i) => document(`d${i}.txt`))

/** A sync in a process of its own; what it says of each connector, by name. */
export const synced = (
  world: World,
  options: Partial<SyncOptions> = {},
  around: Around = identity
): Effect.Effect<(name: string) => ConnectorSyncReport, unknown> =>
  Effect.map(world.process(around(sync({ ...defaults, ...options }))), ({ connectors, ok }) => {
    assert.strictEqual(ok, connectors.every(({ status }) => status === "ok"))
    return (name) => {
      const found = connectors.find((connector) => connector.name === name)
      assert.isDefined(found)
      const { changed, failed, listed, moved, skipped, stale, unchanged } = found
      assert.strictEqual(listed, found.new + changed + stale + moved + unchanged + failed.length + skipped.length)
      return found
    }
  })

/** A world with one connector, called notes, of these documents. */
export const notesOf = (
  documents: ReadonlyArray<VecDocument>,
  options: VecOptions & Omit<WorldOptions, "connectors"> = {}
) =>
  Effect.gen(function*() {
    const { connector, control } = yield* make(notes, documents, options)
    const made = yield* withoutDisk({ ...options, connectors: [connector] })
    const run = (more: Partial<SyncOptions> = {}, around?: Around) =>
      Effect.map(synced(made, more, around), (of) => of(notes))
    return { world: made, connector, control, run }
  })

/** What is live, by the projection. */
export const dumped = (world: World): Effect.Effect<ReadonlyArray<DumpLine>, unknown> =>
  world.process(Effect.flatMap(Projection, ({ dump }) => Stream.runCollect(dump({ embeddings: true })))).pipe(
    Effect.map((all) => Chunk.toReadonlyArray(all))
  )

/** The live passages. */
export const passages = (world: World): Effect.Effect<ReadonlyArray<ReferenceDumpLine>, unknown> =>
  Effect.map(dumped(world), (lines) => lines.flatMap((line) => line.kind === "reference" ? [line] : []))

/** The live Records. */
export const archived = (world: World): Effect.Effect<ReadonlyArray<RecordDumpLine>, unknown> =>
  Effect.map(dumped(world), (lines) => lines.flatMap((line) => line.kind === "record" ? [line] : []))

/** The text of each live document, put together again from its passages. */
export const documentsOf = (world: World): Effect.Effect<ReadonlyMap<string, string>, unknown> =>
  Effect.map(passages(world), (all) => {
    const texts = new Map<string, string>()
    for (const { doc_id, text } of all) texts.set(doc_id, (texts.get(doc_id) ?? "") + text)
    return texts
  })

export const idsOf = (world: World): Effect.Effect<ReadonlyArray<string>, unknown> =>
  Effect.map(documentsOf(world), (texts) => [...texts.keys()])

/** The lines of a kind in the log. */
export const linesOf = (world: World, kind: string) =>
  Effect.map(world.lines, (lines) => lines.flatMap(({ record }) => record.kind === kind ? [record] : []))

export const tombstones = (world: World) =>
  Effect.map(
    linesOf(world, "tombstone"),
    (lines) => lines.flatMap((line) => line.kind === "tombstone" ? [line.body] : [])
  )

export const failedOf = (world: World) =>
  world.process(Effect.flatMap(ManifestStore, ({ loadFailed }) => loadFailed(notes)))

/** The power goes with the writer's n-th write, before a byte of it is on disk. */
export const powerCutAt = (n: number) => <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Ref.make(0), (writes) =>
    Effect.updateService(program, LogWriter, (writer) => ({
      ...writer,
      append: (groups) =>
        Effect.flatMap(
          Ref.updateAndGet(writes, (before) => before + 1),
          (write) => write >= n ? Effect.die("the power went") : writer.append(groups)
        )
    })))

/** The same counter and the same length of vectors under another name. */
export const otherModel = Embedder.of({ ...Hashed.make(), fingerprint: EmbedderFingerprint.make("other/1/16") })

export const withEmbedder = (embedder: Embedder["Type"]): Around => (program) =>
  Effect.provideService(program, Embedder, embedder)

/** An embedder that can be told to fail. */
export const faulty = Effect.map(
  Layer.build(Layer.provide(FaultyEmbedder.layer(), Hashed.layer())),
  (context) => ({
    embedder: Layer.succeed(Embedder, Context.get(context, Embedder)),
    inject: Context.get(context, FaultyEmbedder.FaultyEmbedder).inject
  })
)

/** Lets the time pass until the program is done. Pauses that are a little off by chance are exact in here. */
export const inTime = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(Effect.withRandom(program, Random.fixed([0.5])))
    while (Option.isNone(yield* Fiber.poll(fiber))) yield* TestClock.adjust("500 millis")
    return yield* Fiber.join(fiber)
  })

/** An array that only grows in its test, each with its place: for what the types call possibly absent. */
export const first = <A>(all: Iterable<A>): A => {
  for (const one of all) return one
  throw new Error("there is none")
}
