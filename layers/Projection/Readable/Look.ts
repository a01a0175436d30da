/**
 * Whether the index's file can be used: looked at once, and again when the file has changed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SynchronizedRef from "effect/SynchronizedRef"
import { LogReader } from "../../../services/LogReader.ts"
import type { RecordIndex } from "../../../services/RecordIndex.ts"
import type { VectorIndex } from "../../../services/VectorIndex.ts"
import { ProjectionStatus } from "../../../src/domain/StatusReport.ts"
import type { ProjectionError } from "../../../src/domain/StoreErrors.ts"
import type { Engine } from "../Sqlite/Database.ts"
import { attempt } from "../Sqlite/Failure.ts"
import * as File from "../Sqlite/File.ts"
import * as Folded from "../Sqlite/Folded.ts"
import * as RecordPositions from "../Sqlite/RecordPositions.ts"
import { linesOfLog, logFailure, statusOf } from "../Sqlite/Status.ts"
import * as Store from "../Sqlite/Store.ts"
import * as VectorPositions from "../Sqlite/VectorPositions.ts"

/**
 * A file that can be used. `said` warns where it is behind the log, the first time.
 *
 * @since 0.1.0
 * @category models
 */
export interface Usable {
  readonly _tag: "Usable"
  readonly store: Pick<Store.Store, "path" | "read">
  readonly vectors: VectorIndex["Type"]
  readonly records: RecordIndex["Type"]
  readonly said: Effect.Effect<void>
}

/**
 * One that cannot.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unusable {
  readonly _tag: "Unusable"
  readonly state: "missing" | "foreign" | "damaged"
  readonly detail: string
}

/**
 * @since 0.1.0
 * @category models
 */
export type Look = Usable | Unusable

interface Looked {
  /** Of the file as it was. */
  readonly key: Option.Option<string>
  readonly look: Look
  readonly scope: Scope.CloseableScope
}

const unusable = (state: Unusable["state"], detail: string): Unusable => ({ _tag: "Unusable", state, detail })

const ofError = ({ damaged, detail }: ProjectionError): Unusable =>
  unusable(damaged === true ? "damaged" : "foreign", detail)

const warn = (path: string, { detail, state }: Unusable) =>
  Effect.logWarning(
    `the search index at ${path} ${
      state === "missing" ? "is not made yet" : `cannot be used (${detail})`
    }, so the log is read as a whole; "mem sync" or "mem rebuild --from-log" mends it`
  )

const isEmpty = Effect.flatMap(
  LogReader,
  ({ records }) => Effect.match(Stream.runHead(records()), { onFailure: () => false, onSuccess: Option.isNone })
)

const look = (engine: Effect.Effect<Engine, ProjectionError>, path: string) =>
  Effect.gen(function*() {
    const log = yield* LogReader
    const store = yield* Store.readOnly(yield* engine, path)
    const last = store.read(Folded.get)
    const status = Effect.provideService(Effect.flatMap(last, (line) => statusOf(path, line)), LogReader, log)
    const { state } = yield* status
    if (state === "missing") return unusable("missing", "nothing is folded yet")
    if (state === "foreign") return unusable("foreign", "it was made from another log")
    const once = yield* Ref.make(false)
    const said = Effect.gen(function*() {
      const behind = yield* Effect.match(status, { onFailure: () => 0, onSuccess: (now) => now.behind })
      if (behind === 0 || (yield* Ref.getAndSet(once, true))) return
      yield* Effect.logWarning(
        `the search index lacks the last ${behind} lines of the log; what they hold is found after the next "mem sync"`
      )
    })
    const vectors = yield* VectorPositions.make(store, log)
    const records = yield* RecordPositions.make(store, log)
    return { _tag: "Usable" as const, store, vectors, records, said }
  }).pipe(Effect.catchAll((error): Effect.Effect<Look> => Effect.succeed(ofError(error))))

/**
 * Whoever looks, looks at the file as it is now. One that fails while it is used is discarded as long as it stays the
 * same.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  engine: Effect.Effect<Engine, ProjectionError>,
  path: string
): Effect.Effect<
  {
    readonly current: Effect.Effect<Look>
    readonly discard: (look: Usable, error: ProjectionError) => Effect.Effect<void>
  },
  never,
  LogReader | Scope.Scope
> =>
  Effect.gen(function*() {
    const log = yield* LogReader
    const looked = yield* SynchronizedRef.make(Option.none<Looked>())
    const close = Effect.flatMap(
      SynchronizedRef.get(looked),
      Option.match({ onNone: () => Effect.void, onSome: ({ scope }) => Scope.close(scope, Exit.void) })
    )
    yield* Effect.addFinalizer(() => close)

    const lookAt = (key: Option.Option<string>) =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const found: Look = Option.isNone(key)
          ? unusable("missing", "there is none")
          : yield* Scope.extend(look(engine, path), scope)
        // Before the first sync there is nothing that an index could lack.
        if (found._tag === "Unusable" && !(found.state === "missing" && (yield* isEmpty))) yield* warn(path, found)
        return { key, look: found, scope }
      }).pipe(Effect.provideService(LogReader, log))

    const current = SynchronizedRef.updateAndGetEffect(looked, (before) =>
      Effect.gen(function*() {
        const key = yield* Effect.orElseSucceed(attempt(path, () => File.stateOf(path)), () => Option.none<string>())
        if (Option.exists(before, (old) => Equal.equals(old.key, key))) return before
        yield* close
        return Option.some(yield* lookAt(key))
      })).pipe(Effect.flatMap(Effect.orDie), Effect.map((now) => now.look))

    const discard = (used: Usable, error: ProjectionError) =>
      SynchronizedRef.updateEffect(looked, (before) => {
        if (!Option.exists(before, (old) => old.look === used)) return Effect.succeed(before)
        const instead = ofError(error)
        return Effect.as(warn(path, instead), Option.map(before, (old) => ({ ...old, look: instead })))
      })

    return { current, discard }
  })

/**
 * How the file stands to the log. Nothing is folded to know it.
 *
 * @since 0.1.0
 * @category reading
 */
export const status = (path: string) => (found: Look): Effect.Effect<ProjectionStatus, ProjectionError, LogReader> =>
  found._tag === "Usable"
    ? Effect.flatMap(found.store.read(Folded.get), (last) => statusOf(path, last))
    : Effect.mapBoth(linesOfLog, {
      onFailure: logFailure(path),
      onSuccess: (behind) => new ProjectionStatus({ state: found.state, behind })
    })
