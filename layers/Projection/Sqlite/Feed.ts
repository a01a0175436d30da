/**
 * Folds lines of the log into the index: whole groups only, in one transaction with the place of the last of them. A
 * group whose commit is still to come waits in memory; the index says that it stands before it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { LocatedRecord, LogPosition, LogReader } from "../../../services/LogReader.ts"
import type { LogRecord } from "../../../src/domain/LogRecord.ts"
import { ProjectionError } from "../../../src/domain/StoreErrors.ts"
import * as Float32 from "../../../src/log/Float32.ts"
import { gather, type Open, settle } from "../../../src/log/Gather.ts"
import type { Database } from "./Database.ts"
import * as Documents from "./Documents.ts"
import { attempt } from "./Failure.ts"
import * as Folded from "./Folded.ts"
import * as Memories from "./Memories.ts"
import * as Paragraphs from "./Paragraphs.ts"
import type { Store } from "./Store.ts"
import * as Vectors from "./Vectors.ts"

const placeOf = ({ offset, segment }: LogPosition): string => `${segment} ${offset}`

interface Changed {
  /** Live passages that may need another vector. */
  readonly passages: ReadonlySet<number>
  /** The vectors of these lines, by where they stand. */
  readonly vectors: ReadonlyMap<string, Uint8Array>
}

const fold = (database: Database, lines: ReadonlyArray<LocatedRecord>): Changed => {
  const passages = new Set<number>()
  const vectors = new Map<string, Uint8Array>()
  let open: Open = Option.none()
  for (const line of lines) {
    const [next, counted] = gather(open, line)
    open = next
    if (line.record.kind === "artifact") Paragraphs.register(database, line.record.body)
    if (Option.isNone(counted)) continue
    if (counted.value._tag === "Group") {
      Paragraphs.note(database, counted.value)
      for (const id of Documents.commit(database, counted.value)) passages.add(id)
    } else if (counted.value._tag === "Memory") {
      for (const id of Memories.take(database, counted.value.lines)) passages.add(id)
    } else if (counted.value._tag === "Vector") {
      const { position, vector } = counted.value
      const noted = Vectors.note(database, vector, position)
      if (Option.isNone(noted)) continue
      vectors.set(placeOf(position), noted.value.bytes)
      for (const id of noted.value.passages) passages.add(id)
    }
  }
  return { passages, vectors }
}

/** The bytes of the vector that the line holds, if it is the one that is looked for. */
const bytesOf = (record: LogRecord, { embed_sha256, fingerprint }: Vectors.Outdated): Option.Option<Uint8Array> =>
  record.kind === "vector" && record.body.embed_sha256 === embed_sha256 && record.body.model === fingerprint
    && Either.isRight(Float32.usable(record.body.data, record.body.dims))
    ? Option.some(Buffer.from(record.body.data, "base64"))
    : Option.none()

/** What the log does not give back as it was is left out, and said: the passage is found by its words all the same. */
const fromLog = (store: Store, log: LogReader["Type"], outdated: Vectors.Outdated, position: LogPosition) =>
  log.at(position).pipe(
    Effect.map((record) => bytesOf(record, outdated)),
    Effect.catchTags({
      LogDamaged: () => Effect.succeedNone,
      LogTooNew: () => Effect.succeedNone,
      LogFsError: (cause) =>
        new ProjectionError({ path: store.path, detail: cause.message, advice: "run the command again", cause })
    }),
    Effect.tap((bytes) =>
      Option.isSome(bytes) ? Effect.void : Effect.logWarning(
        "a passage has no vector in the search index, for the log does not give it back"
      ).pipe(Effect.annotateLogs({ ...position, embed_sha256: outdated.embed_sha256 }))
    )
  )

/** Vectors of these lines are at hand; earlier ones are read from the log, one by one. */
const bring = (store: Store, log: LogReader["Type"], database: Database, { passages, vectors }: Changed) =>
  Effect.gen(function*() {
    for (const outdated of yield* attempt(store.path, () => Vectors.outdated(database, passages))) {
      const { passage, wanted } = outdated
      if (Option.isNone(wanted)) {
        yield* attempt(store.path, () => Vectors.detach(database, passage))
        continue
      }
      const near = vectors.get(placeOf(wanted.value.position))
      const bytes = near === undefined
        ? yield* fromLog(store, log, outdated, wanted.value.position)
        : Option.some(near)
      yield* attempt(store.path, () =>
        Option.match(bytes, {
          onNone: () => Vectors.detach(database, passage),
          onSome: (found) => Vectors.attach(database, passage, wanted.value, found)
        }))
    }
    yield* attempt(store.path, () => Vectors.sweep(database))
  })

/**
 * What feeds this index.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (store: Store, log: LogReader["Type"]) => {
  let waiting: ReadonlyArray<LocatedRecord> = []

  const apply = (lines: ReadonlyArray<LocatedRecord>): Effect.Effect<void, ProjectionError> =>
    Effect.suspend(() => {
      const next = settle(waiting, lines)
      const last = next.settled.at(-1)
      const folded = last === undefined ? Effect.void : store.write((database) =>
        Effect.gen(function*() {
          const changed = yield* attempt(store.path, () => fold(database, next.settled))
          yield* bring(store, log, database, changed)
          yield* attempt(store.path, () => Folded.set(database, last))
        })
      )
      return Effect.zipRight(folded, Effect.sync(() => void (waiting = next.waiting)))
    })

  const clear = Effect.zipRight(Effect.sync(() => void (waiting = [])), store.renew)

  return { apply, clear }
}
