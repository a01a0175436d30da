/**
 * A memory home, a source in it and an embedder that counts, with the real programs around them. Each `process` builds
 * what a run of `mem` builds, runs, and lets go of it again; what is on disk stays.
 */
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Cached from "../../layers/Embedder/Cached.ts"
import * as Counting from "../../layers/Embedder/Counting.ts"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import * as Segments from "../../layers/Log/Segments.ts"
import * as NodeLogFs from "../../layers/LogFs/Node.ts"
import * as ManifestFiles from "../../layers/ManifestStore/Files.ts"
import * as ProgressFiles from "../../layers/ProgressStore/Files.ts"
import * as MemoryProjection from "../../layers/Projection/Memory.ts"
import * as Vec from "../../layers/SourceConnector/Vec.ts"
import { Connectors } from "../../services/Connectors.ts"
import { Embedder } from "../../services/Embedder.ts"
import type { LogFs } from "../../services/LogFs.ts"
import { type LocatedRecord, LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import type { ProgressStore } from "../../services/ProgressStore.ts"
import { Projection } from "../../services/Projection.ts"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
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
export const connectorsOf = (all: ReadonlyArray<DocumentConnector | ConnectorError>): Layer.Layer<Connectors> => {
  const nameOf = (each: DocumentConnector | ConnectorError) =>
    each instanceof ConnectorError ? each.connector : each.name
  return Layer.succeed(Connectors, {
    configured: all.map((each) => ({ name: nameOf(each), kind: "vec", source_type: "document" as const })),
    get: (name) => {
      const found = all.find((each) => nameOf(each) === name)
      if (found === undefined) return Effect.dieMessage(`no connector ${name}`)
      return found instanceof ConnectorError ? Effect.fail(found) : Effect.succeed(found)
    }
  })
}

export interface WorldOptions {
  readonly connectors: ReadonlyArray<DocumentConnector | ConnectorError>
  /** With the layer `Cached` around the embedder, as users have it. */
  readonly cached?: boolean
  readonly embedder?: Layer.Layer<Embedder>
}

interface Log {
  readonly home: string
  readonly fs: Layer.Layer<LogFs>
  readonly reader: Layer.Layer<LogReader>
  readonly writer: Layer.Layer<LogWriter, unknown>
}

const world = (log: Log, options: WorldOptions): Effect.Effect<World> =>
  Effect.gen(function*() {
    const counting = yield* Counting.make.pipe(Effect.provide(options.embedder ?? Hashed.layer()))
    const embedder = Layer.succeed(Embedder, Context.get(counting, Embedder))
    const { counts } = Context.get(counting, Counting.CountingEmbedder)
    const stores = Layer.merge(ManifestFiles.layer({ home: log.home }), ProgressFiles.layer({ home: log.home })).pipe(
      Layer.provide(log.fs)
    )
    // The projection outlives a process, as a file would.
    const projection = Layer.succeed(Projection, yield* MemoryProjection.make)
    const services = Layer.mergeAll(
      connectorsOf(options.connectors),
      options.cached === true ? Layer.provide(Cached.layer, Layer.merge(embedder, log.reader)) : embedder,
      log.reader,
      log.writer,
      stores,
      projection
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

/** All of it on a real disk. */
export const onDisk = (options: WorldOptions): Effect.Effect<World, never, Scope.Scope> =>
  Effect.flatMap(temporaryHome, (home) =>
    world({
      home,
      fs: NodeLogFs.layer,
      reader: Layer.provide(Segments.reader({ home }), NodeLogFs.layer),
      writer: Layer.provide(Segments.writer({ home }), NodeLogFs.layer)
    }, options))

export const vec = Vec.make
