/**
 * The projection for who only reads: the index's file where it can be used, else the log folded in memory, which is said
 * as a warning. No byte is changed and no file made; a writer mends what is wrong with the file.
 *
 * A file that is behind the log is taken as it is, and the warning says by how much: it shows the log as it was at the
 * end of some document. A sync brings it up; folding the rest for each question would cost more than it tells.
 *
 * Nothing is opened before the first question. A file that is replaced or written meanwhile is looked at again.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ArtifactRegistry } from "../../services/ArtifactRegistry.ts"
import { LogReader } from "../../services/LogReader.ts"
import type { MemoryIndex } from "../../services/MemoryIndex.ts"
import { Projection } from "../../services/Projection.ts"
import { RecordIndex } from "../../services/RecordIndex.ts"
import { Search } from "../../services/Search.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { type EmbedderMismatch, ProjectionError } from "../../src/domain/StoreErrors.ts"
import * as ArtifactsFromLog from "../ArtifactRegistry/FromLog.ts"
import * as RecordsFromLog from "../RecordIndex/FromLog.ts"
import * as VectorsFromLog from "../VectorIndex/FromLog.ts"
import * as InMemory from "./Readable/InMemory.ts"
import * as Look from "./Readable/Look.ts"
import type { Options, Services } from "./Sqlite.ts"
import { photostructure } from "./Sqlite/Database.ts"
import * as Dump from "./Sqlite/Dump.ts"
import { pathOf } from "./Sqlite/File.ts"
import * as Folded from "./Sqlite/Folded.ts"
import * as Searching from "./Sqlite/Searching.ts"

/**
 * What a reader may ask. What memory lacks a vector is the business of who writes.
 *
 * @since 0.1.0
 * @category models
 */
export type Readers = Exclude<Services, MemoryIndex>

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  { engine = photostructure(), home }: Options
): Effect.Effect<Context.Context<Readers>, never, LogReader | Scope.Scope> =>
  Effect.gen(function*() {
    const path = pathOf(home)
    const loaded = yield* Effect.cached(engine)
    const { current, discard } = yield* Look.make(loaded, path)
    const folded = yield* InMemory.make(loaded, path)
    const vectors = yield* VectorsFromLog.make
    const records = yield* RecordsFromLog.make

    /** What the file says, or where that fails, what the log says. */
    const either = <A, E>(
      fromFile: (look: Look.Usable) => Effect.Effect<A, E>,
      inMemory: (services: InMemory.Services) => Effect.Effect<A, E | ProjectionError>
    ): Effect.Effect<A, E | ProjectionError> =>
      Effect.gen(function*() {
        const look = yield* current
        const answer = look._tag === "Unusable" ? Option.none() : yield* fromFile(look).pipe(
          Effect.asSome,
          Effect.catchIf(
            (error) => error instanceof ProjectionError,
            (error) => Effect.as(discard(look, error), Option.none())
          )
        )
        return Option.isSome(answer) ? answer.value : yield* Effect.flatMap(folded, inMemory)
      })

    const refused = new ProjectionError({
      path,
      detail: "it was opened to be read alone",
      advice: "write to it under the lock of the log"
    })

    const projection = Projection.of({
      status: Effect.flatMap(current, Look.status(path)).pipe(Effect.provideService(LogReader, yield* LogReader)),
      last: either(({ store }) => store.read(Folded.get), ({ projection }) => projection.last),
      // All at once, so that it is one state, and no lock is held while somebody takes his time over it.
      dump: (options) =>
        Stream.unwrap(either(
          ({ said, store }) =>
            Effect.zipRight(
              said,
              store.read((database) =>
                Stream.fromIterable(
                  Dump.everything(database).flatMap((row) => Dump.linesOf(database, row, options))
                )
              )
            ),
          ({ projection }) => Effect.succeed(projection.dump(options))
        )),
      apply: () => refused,
      clear: refused
    })

    const search = Search.of({
      search: (query) =>
        either<Effect.Effect.Success<ReturnType<Search["Type"]["search"]>>, ProjectionError | EmbedderMismatch>(
          ({ said, store }) => Effect.zipRight(said, Searching.make(store).search(query)),
          ({ search }) => Effect.flatMap(search, (service) => service.search(query))
        ),
      records: (query) =>
        either<Effect.Effect.Success<ReturnType<Search["Type"]["records"]>>, ProjectionError>(
          ({ said, store }) => Effect.zipRight(said, Searching.make(store).records(query)),
          ({ search }) => Effect.flatMap(search, (service) => service.records(query))
        )
    })

    const vectorIndex = VectorIndex.of({
      positions: (kind, texts) =>
        Effect.flatMap(current, (look) => (look._tag === "Usable" ? look.vectors : vectors).positions(kind, texts))
    })

    const recordIndex = RecordIndex.of({
      positions: (connector, keys) =>
        Effect.flatMap(current, (look) => (look._tag === "Usable" ? look.records : records).positions(connector, keys))
    })

    return Context.make(Projection, projection).pipe(
      Context.add(Search, search),
      Context.add(VectorIndex, vectorIndex),
      Context.add(RecordIndex, recordIndex),
      Context.add(ArtifactRegistry, yield* ArtifactsFromLog.make)
    )
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Readers, never, LogReader> => Layer.scopedContext(make(options))
