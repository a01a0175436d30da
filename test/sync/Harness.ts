/**
 * A memory home, a source in it and an embedder that counts, with the real programs around them. Each `process` builds
 * what a run of `mem` builds, runs, and lets go of it again; what is on disk stays.
 */
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Cached from "../../layers/Embedder/Cached.ts"
import * as Counting from "../../layers/Embedder/Counting.ts"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import { ProcessIdentity } from "../../layers/Log/Processes.ts"
import * as Segments from "../../layers/Log/Segments.ts"
import * as NodeLogFs from "../../layers/LogFs/Node.ts"
import * as Simulated from "../../layers/LogFs/Simulated.ts"
import * as Disk from "../../layers/LogFs/SimulatedDisk.ts"
import type * as Simulator from "../../layers/LogFs/SimulatedProcess.ts"
import * as ManifestFiles from "../../layers/ManifestStore/Files.ts"
import * as ProgressFiles from "../../layers/ProgressStore/Files.ts"
import * as MemoryProjection from "../../layers/Projection/Memory.ts"
import * as Sqlite from "../../layers/Projection/Sqlite.ts"
import * as Vec from "../../layers/SourceConnector/Vec.ts"
import { Connectors } from "../../services/Connectors.ts"
import { Embedder } from "../../services/Embedder.ts"
import { LogFs } from "../../services/LogFs.ts"
import { type LocatedRecord, LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import type { ProgressStore } from "../../services/ProgressStore.ts"
import { Projection } from "../../services/Projection.ts"
import type { SourceConnector } from "../../services/SourceConnector.ts"
import { ConnectorError } from "../../src/domain/ConnectorErrors.ts"
import type { ConnectorName, DocId } from "../../src/domain/Ids.ts"
import type { ManifestEntry } from "../../src/domain/Manifest.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

export type Services =
  | Connectors
  | Embedder
  | LogReader
  | LogWriter
  | ManifestStore
  | ProgressStore
  | Projection

export interface World {
  /** Runs in a process of its own, with the writer's lock. */
  readonly process: <A, E>(program: Effect.Effect<A, E, Services>) => Effect.Effect<A, unknown>
  readonly counts: Effect.Effect<{ readonly calls: number; readonly texts: number }>
  readonly lines: Effect.Effect<ReadonlyArray<LocatedRecord>, unknown>
  readonly manifest: (name: ConnectorName) => Effect.Effect<ReadonlyMap<DocId, ManifestEntry>, unknown>
}

/** Connectors by name, without a configuration file; one that is an error cannot be opened. */
export const connectorsOf = (all: ReadonlyArray<SourceConnector["Type"] | ConnectorError>): Layer.Layer<Connectors> => {
  const nameOf = (each: SourceConnector["Type"] | ConnectorError) =>
    each instanceof ConnectorError ? each.connector : each.name
  return Layer.succeed(Connectors, {
    configured: all.map((each) => ({
      name: nameOf(each),
      kind: "vec",
      source_type: each instanceof ConnectorError ? "document" as const : each.source_type
    })),
    get: (name) => {
      const found = all.find((each) => nameOf(each) === name)
      if (found === undefined) return Effect.dieMessage(`no connector ${name}`)
      return found instanceof ConnectorError ? Effect.fail(found) : Effect.succeed(found)
    }
  })
}

export interface WorldOptions {
  readonly connectors: ReadonlyArray<SourceConnector["Type"] | ConnectorError>
  /** With the layer `Cached` around the embedder, as users have it. */
  readonly cached?: boolean
  readonly embedder?: Layer.Layer<Embedder>
  /** What takes the place of the simulated disk's operations. */
  readonly mutant?: (fs: LogFs["Type"]) => LogFs["Type"]
}

export interface Log {
  readonly home: string
  readonly fs: Layer.Layer<LogFs>
  readonly reader: Layer.Layer<LogReader>
  readonly writer: Layer.Layer<LogWriter, unknown>
  /** Where it is not the one in memory. */
  readonly projection?: Layer.Layer<Projection, unknown, LogReader | LogWriter>
}

export const world = (log: Log, options: WorldOptions): Effect.Effect<World> =>
  Effect.gen(function*() {
    const counting = yield* Counting.make.pipe(Effect.provide(options.embedder ?? Hashed.layer()))
    const embedder = Layer.succeed(Embedder, Context.get(counting, Embedder))
    const { counts } = Context.get(counting, Counting.CountingEmbedder)
    const stores = Layer.merge(ManifestFiles.layer({ home: log.home }), ProgressFiles.layer({ home: log.home })).pipe(
      Layer.provide(log.fs)
    )
    // The projection outlives a process, as a file does.
    const projection = log.projection ?? Layer.succeed(Projection, yield* MemoryProjection.make)
    const services = Layer.mergeAll(
      connectorsOf(options.connectors),
      options.cached === true ? Layer.provide(Cached.layer, Layer.merge(embedder, log.reader)) : embedder,
      log.reader,
      log.writer,
      stores,
      Layer.provide(projection, Layer.merge(log.reader, log.writer))
    )
    return {
      process: (program) => Effect.provide(program, services),
      counts,
      lines: Effect.flatMap(LogReader, ({ records }) => Stream.runCollect(records())).pipe(
        Effect.map((all): ReadonlyArray<LocatedRecord> => Chunk.toReadonlyArray(all)),
        Effect.provide(log.reader)
      ),
      manifest: (name) =>
        Effect.flatMap(ManifestStore, ({ load }) => load(name)).pipe(
          Effect.flatten,
          Effect.provide(stores)
        )
    }
  })

/** The log in memory; manifests in a temporary folder. */
export const inMemory = (options: WorldOptions): Effect.Effect<World, never, Scope.Scope> =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const { reader, writer } = yield* MemoryLog.make
    return yield* world({
      home,
      fs: NodeLogFs.layer,
      reader: Layer.succeed(LogReader, reader),
      writer: Layer.succeed(LogWriter, writer)
    }, options)
  })

/** All of it on a real disk, in this folder. */
export const onDiskAt = (
  home: string,
  options: WorldOptions,
  writesTo: Layer.Layer<LogFs> = NodeLogFs.layer
): Effect.Effect<World> =>
  world({
    home,
    fs: NodeLogFs.layer,
    reader: Layer.provide(Segments.reader({ home }), NodeLogFs.layer),
    writer: Layer.provide(Segments.writer({ home }), writesTo),
    projection: Sqlite.layer({ home })
  }, options)

/** All of it on a real disk. */
export const onDisk = (options: WorldOptions): Effect.Effect<World, never, Scope.Scope> =>
  Effect.flatMap(temporaryHome, (home) => onDiskAt(home, options))

/** What happens to a process on the simulated disk. */
export interface Ending extends Pick<Simulator.Options, "crashAt" | "failAt" | "shortWriteAt" | "seed"> {
  /** Seed of what the power cut leaves that follows, where the process was ended by this. */
  readonly power?: number | undefined
}

export interface Ended<A> {
  readonly exit: Exit.Exit<A, unknown>
  readonly crashed: boolean
  /** What the process tried to change. */
  readonly steps: ReadonlyArray<Simulator.Step>
}

export interface SimulatedWorld extends World {
  /** As `process`, and it may be cut short. The next process finds what that left. */
  readonly run: <A, E>(program: Effect.Effect<A, E, Services>, ending?: Ending) => Effect.Effect<Ended<A>>
  /** Ends the process that runs now: nothing that it does from here on reaches the disk. */
  readonly kill: Effect.Effect<void>
  readonly disk: Effect.Effect<Disk.Disk>
  /** The log's bytes that had been synced when a write was last acknowledged. */
  readonly acked: Effect.Effect<Uint8Array>
}

const simulatedHome = "/home"

/** The bytes of all segments, one behind the other. */
export const logBytes = (disk: Disk.Disk, side: "cached" | "durable"): Uint8Array =>
  Buffer.concat(
    [...Disk.files(disk, side)].filter(([path]) => path.startsWith(`${simulatedHome}/log/segments/`)).map((
      [, bytes]
    ) => bytes)
  )

/** The disk if none of its folders had to be synced: what was synced in a file, whatever becomes of its name. */
const withNames = (disk: Disk.Disk): Disk.Disk => ({
  ...disk,
  nodes: new Map(
    [...disk.nodes].map(([id, node]) =>
      [id, node._tag === "Folder" ? { ...node, durable: node.cached } : node] as const
    )
  )
})

/** All of it on one simulated disk, kept between processes; each process finds the lock of a dead one taken over. */
export const onSimulatedDisk = (options: WorldOptions): Effect.Effect<SimulatedWorld> =>
  Effect.gen(function*() {
    const start = yield* Simulated.make()
    yield* Effect.orDie(Effect.zipRight(start.service.makeDir(simulatedHome), start.service.syncDir("/")))
    const disk = yield* Ref.make(yield* start.disk)
    const current = yield* Ref.make(start)
    const acked = yield* Ref.make<Uint8Array>(new Uint8Array())
    const started = yield* Ref.make(0)
    const fs = Layer.effect(LogFs, Effect.map(Ref.get(current), ({ service }) => options.mutant?.(service) ?? service))
    const remember = Effect.flatMap(
      Effect.flatMap(Ref.get(current), (process) => process.disk),
      (now) => Ref.set(acked, logBytes(withNames(now), "durable"))
    )
    const segments = Layer.unwrapEffect(Effect.map(Ref.get(started), (n) =>
      Segments.writer({
        home: simulatedHome,
        processes: {
          self: new ProcessIdentity({
            pid: n,
            boot_id: "boot",
            start_ticks: `${n}`,
            host: "simulated",
            command: "mem"
          }),
          lives: () => Effect.succeed(false)
        }
      })))
    const writer = Layer.effect(
      LogWriter,
      Effect.map(LogWriter, ({ append, appendAlone }) => ({
        append: (groups) => Effect.tap(append(groups), remember),
        appendAlone: (entries) => Effect.tap(appendAlone(entries), remember)
      }))
    ).pipe(Layer.provide(segments))
    const inner = yield* world({
      home: simulatedHome,
      fs,
      reader: Layer.provide(Segments.reader({ home: simulatedHome }), fs),
      writer: Layer.provide(writer, fs)
    }, options)

    const begin = (ending: Ending = {}) =>
      Effect.gen(function*() {
        const nth = yield* Ref.updateAndGet(started, (n) => n + 1)
        const process = yield* Simulated.make({ disk: yield* Ref.get(disk), seed: nth, ...ending })
        yield* Ref.set(current, process)
        return process
      })

    const run: SimulatedWorld["run"] = (program, ending = {}) =>
      Effect.gen(function*() {
        const process = yield* begin(ending)
        const exit = yield* Effect.exit(inner.process(program))
        const crashed = yield* process.crashed
        const ended = crashed || Exit.isFailure(exit)
        const left = yield* process.disk
        yield* Ref.set(disk, ended && ending.power !== undefined ? Disk.powerLoss(left, ending.power) : left)
        yield* begin()
        return { exit, crashed, steps: yield* process.steps }
      })

    return {
      ...inner,
      process: (program) => Effect.flatMap(run(program), ({ exit }) => exit),
      run,
      kill: Effect.flatMap(Ref.get(current), ({ processLoss }) => processLoss),
      disk: Ref.get(disk),
      acked: Ref.get(acked)
    }
  })

export const vec = Vec.make
