/**
 * The projection as one file of SQLite, `<home>/projection/index.sqlite`: live passages, their words and their vectors,
 * and where the log keeps every vector. Searching and the cache's index work on the same tables.
 *
 * The file follows from the log alone. A writer that finds an old, foreign, damaged or missing one begins an empty one,
 * which the next `catchUp` fills. Readers use `Readable.ts`, which changes nothing.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ArtifactRegistry } from "../../services/ArtifactRegistry.ts"
import { LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { MemoryIndex } from "../../services/MemoryIndex.ts"
import { Projection } from "../../services/Projection.ts"
import { RecordIndex } from "../../services/RecordIndex.ts"
import { Search } from "../../services/Search.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import type { ProjectionError } from "../../src/domain/StoreErrors.ts"
import { type Engine, photostructure } from "./Sqlite/Database.ts"
import * as Dump from "./Sqlite/Dump.ts"
import * as Feed from "./Sqlite/Feed.ts"
import * as Folded from "./Sqlite/Folded.ts"
import * as Paragraphs from "./Sqlite/Paragraphs.ts"
import * as RecordPositions from "./Sqlite/RecordPositions.ts"
import * as Searching from "./Sqlite/Searching.ts"
import { statusOf } from "./Sqlite/Status.ts"
import * as Store from "./Sqlite/Store.ts"
import * as Unembedded from "./Sqlite/Unembedded.ts"
import * as VectorPositions from "./Sqlite/VectorPositions.ts"

/**
 * `engine` is the SQLite to use. Which one it is does not show in what is found.
 *
 * @since 0.1.0
 * @category options
 */
export interface EngineOptions {
  readonly engine?: Effect.Effect<Engine, ProjectionError>
}

/**
 * `home` is the memory home, the folder that holds `log`.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options extends EngineOptions {
  readonly home: string
}

/** Documents that are read at a time for a dump. */
const together = 64

/**
 * What an index is good for.
 *
 * @since 0.1.0
 * @category models
 */
export type Services = ArtifactRegistry | MemoryIndex | Projection | RecordIndex | Search | VectorIndex

/**
 * All of it over one index.
 *
 * @since 0.1.0
 * @category constructors
 */
export const over = (
  store: Store.Store
): Effect.Effect<Context.Context<Services>, never, LogReader> =>
  Effect.gen(function*() {
    const log = yield* LogReader
    const { apply, clear } = Feed.make(store, log)
    const last = store.read(Folded.get)
    const projection = Projection.of({
      status: Effect.provideService(Effect.flatMap(last, (line) => statusOf(store.path, line)), LogReader, log),
      last,
      dump: (options) =>
        Stream.fromIterableEffect(store.read(Dump.everything)).pipe(
          Stream.rechunk(together),
          Stream.mapChunksEffect((rows) =>
            store.read((database) =>
              Chunk.flatMap(rows, (row) => Chunk.unsafeFromArray(Dump.linesOf(database, row, options)))
            )
          )
        ),
      apply,
      clear
    })
    return Context.make(Projection, projection).pipe(
      Context.add(Search, Searching.make(store)),
      Context.add(MemoryIndex, Unembedded.make(store)),
      Context.add(VectorIndex, yield* VectorPositions.make(store, log)),
      Context.add(RecordIndex, yield* RecordPositions.make(store, log)),
      Context.add(ArtifactRegistry, yield* Paragraphs.make(store, log))
    )
  })

/**
 * An index in memory: as good as a file, and gone with its scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeInMemory = (
  { engine = photostructure() }: EngineOptions = {}
): Effect.Effect<Context.Context<Services>, ProjectionError, LogReader | Scope.Scope> =>
  Effect.flatMap(Effect.flatMap(engine, Store.inMemory), over)

/**
 * The index of a home, to be read and written. It asks for the writer of the log, who holds the lock.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  { engine = photostructure(), home }: Options
): Layer.Layer<Services, ProjectionError, LogReader | LogWriter> =>
  Layer.scopedContext(Effect.gen(function*() {
    yield* LogWriter
    return yield* over(yield* Store.ofHome(yield* engine, home))
  }))

/**
 * @since 0.1.0
 * @category layers
 */
export const memory = (
  options: EngineOptions = {}
): Layer.Layer<Services, ProjectionError, LogReader> => Layer.scopedContext(makeInMemory(options))
