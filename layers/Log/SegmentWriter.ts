/**
 * Appends to the segment files: one fibre drains a queue, writes what is there in one go, and answers when it is on
 * disk. A write is never interrupted, never half done as far as anybody can see, and never tried again after a failed
 * fsync: what the page cache says then proves nothing.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import type { LogFile, LogFs } from "../../services/LogFs.ts"
import type { LogReadError } from "../../services/LogReader.ts"
import type { AppendError, LogWriter } from "../../services/LogWriter.ts"
import { Seq, Timestamp } from "../../src/domain/Ids.ts"
import {
  type LogFsError,
  type LogLocked,
  LogPoisoned,
  type LogRecordTooLarge,
  LogWriteError
} from "../../src/domain/LogErrors.ts"
import type { LogRecord } from "../../src/domain/LogRecord.ts"
import { Seal, Segment } from "../../src/domain/Maintenance.ts"
import { encode } from "../../src/log/Codec.ts"
import * as Compose from "../../src/log/Compose.ts"
import { nameOf } from "../../src/log/SegmentFile.ts"
import { writeAll } from "../LogFs/WriteAll.ts"
import { acquire } from "./Lock.ts"
import { pathsOf } from "./Paths.ts"
import * as Processes from "./Processes.ts"
import { type LogEnd, prove, recover } from "./Recovery.ts"
import { notFoundIs } from "./SegmentBytes.ts"
import { begin, sha256Of } from "./SegmentStart.ts"
import { poison, writeError } from "./WriteFailure.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface WriterOptions {
  readonly home: string
  /** A segment is closed before it grows above this many bytes, unless a single write does. */
  readonly segmentBytes: number
  /** Who writes, and who else may live: what the lock asks. */
  readonly processes: Processes.Processes
}

/**
 * What stands where nothing is said: segments of 128 MiB, the processes of this host.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaults: Omit<WriterOptions, "home"> = { segmentBytes: 128 * 1024 * 1024, processes: Processes.live }

const mostRequests = 512
const mostBytes = 4 * 1024 * 1024
/** A file system that is nearly full fails in odd places; this much more than the write must be free. */
const headroom = 4

interface Request {
  readonly compose: (place: Compose.Place) => ReadonlyArray<LogRecord>
  readonly done: Deferred.Deferred<ReadonlyArray<LogRecord>, AppendError>
}

/** A request with its lines, ready to be written. */
interface Encoded {
  readonly request: Request
  readonly records: ReadonlyArray<LogRecord>
  readonly bytes: Uint8Array
}

type EncodeFault = LogRecordTooLarge | ParseResult.ParseError

const encodeAll = (records: ReadonlyArray<LogRecord>): Either.Either<Uint8Array, EncodeFault> =>
  Either.map(Either.all(records.map(encode)), (lines) => Buffer.concat(lines))

const now: Effect.Effect<Timestamp> = Effect.clockWith((clock) =>
  Effect.map(clock.currentTimeMillis, (millis) => Timestamp.make(new Date(millis).toISOString()))
)

/** A run that could not store what it paid for should not begin: manifests and quarantine are in folders of their own. */
const ensureWritable = (fs: LogFs["Type"], home: string): Effect.Effect<void, LogFsError> => {
  const { connectors, log, quarantine, segments } = pathsOf(home)
  return Effect.forEach([log, segments, connectors, quarantine], (dir) => notFoundIs(undefined)(fs.writable(dir)), {
    discard: true
  })
}

/**
 * A writer of the log below this home: takes the lock, recovers what a cut-off run has left, and with its scope seals
 * the log, where it wrote anything, and gives the lock back.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  fs: LogFs["Type"],
  { home, processes, segmentBytes }: WriterOptions
): Effect.Effect<LogWriter["Type"], LogLocked | LogReadError, Scope.Scope> =>
  Effect.gen(function*() {
    const { log, segments } = pathsOf(home)
    const pathOf = (segment: number) => `${segments}/${nameOf(segment)}`
    yield* fs.makeDir(segments)
    yield* ensureWritable(fs, home)
    yield* fs.syncDir(home)
    yield* fs.syncDir(log)
    yield* acquire(fs, home, processes)

    const end = yield* Ref.make<LogEnd>(yield* recover(fs, home))
    const dirty = yield* Ref.make((yield* Ref.get(end)).recovered)
    const fatal = yield* Ref.make(Option.none<AppendError>())
    const files = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const current = yield* Ref.make(Option.none<LogFile>())
    /** Of this run: what an earlier one has written, a cache around the embedder knows. */
    const vectors = new Set<string>()

    const place = Effect.all({ end: Ref.get(end), at: now }).pipe(
      Effect.map(({ at, end }): Compose.Place => ({ at, seq: end.seq, durable_to: end.size }))
    )

    /** The file that is written to; opened by the first append. */
    const open = Effect.gen(function*() {
      const opened = yield* Ref.get(current)
      if (Option.isSome(opened)) return opened.value
      const { segment, size, unproved } = yield* Ref.get(end)
      const path = pathOf(segment)
      const file = yield* Effect.mapError(Scope.extend(fs.open(path, "write"), files), writeError())
      if (unproved < size) yield* Effect.mapError(prove(file, path, unproved), poison)
      yield* Ref.set(current, Option.some(file))
      return file
    })

    /** Before anything is begun: a disk that is nearly full fails in odd places. */
    const ensureRoom = (path: string, bytes: number): Effect.Effect<number, LogWriteError> =>
      Effect.gen(function*() {
        const free = yield* Effect.mapError(fs.free(segments), writeError())
        const needed = bytes * headroom
        return free < needed ? yield* new LogWriteError({ path, reason: "NoSpace", needed, free }) : free
      })

    /** Closes the segment for good and begins the next one with the line that vouches for it. */
    const roll: Effect.Effect<void, LogWriteError | LogPoisoned> = Effect.gen(function*() {
      const { segment, seq } = yield* Ref.get(end)
      const before = segment === 0 ? Option.none<LogFile>() : Option.some(yield* open)
      const previous_sha256 = Option.isNone(before) ? null : yield* Effect.zipRight(
        Effect.mapError(before.value.sync, poison),
        Effect.mapError(sha256Of(before.value), writeError())
      )
      const body = new Segment({ format: "mem-log/1", number: segment + 1, previous_sha256 })
      const line = Either.getOrThrow(
        encodeAll(Compose.alone([{ kind: "segment", body }], { at: yield* now, seq, durable_to: 0 }))
      )
      const file = yield* Scope.extend(begin(fs, segments, segment + 1, line), files)
      yield* Ref.set(current, Option.some(file))
      yield* Ref.set(end, {
        segment: segment + 1,
        size: line.length,
        seq: seq + 1,
        unproved: line.length,
        recovered: false
      })
    })

    /** All of these bytes on disk, or none of them in the file. */
    const persist = (bytes: Uint8Array): Effect.Effect<void, LogWriteError | LogPoisoned> =>
      Effect.gen(function*() {
        const { segment, size } = yield* Ref.get(end)
        const path = pathOf(segment)
        const file = yield* open
        const found = yield* Effect.mapError(file.size, writeError())
        if (found !== size) {
          return yield* new LogPoisoned({ path, cause: `it has ${found} bytes, ${size} were written by this process` })
        }
        const free = yield* ensureRoom(path, bytes.length)
        const rollBack = Effect.mapError(Effect.zipRight(file.truncate(size), file.sync), poison)
        yield* Effect.catchAll(
          writeAll(file, path, size, bytes),
          (error) => Effect.zipRight(rollBack, Effect.fail(writeError(bytes.length, free)(error)))
        )
        yield* Effect.mapError(file.datasync, poison)
      })

    /** As many of the requests as fit into one write, encoded from this place on; each that cannot be is answered. */
    const encodeSome = (requests: ReadonlyArray<Request>, from: Compose.Place) =>
      Effect.gen(function*() {
        const encoded: Array<Encoded> = []
        let seq = from.seq
        let bytes = 0
        let taken = 0
        const written = new Set<string>()
        const hasVector = (key: string) => written.has(key) || vectors.has(key)
        for (const request of requests) {
          if (bytes >= mostBytes) break
          taken += 1
          const records = request.compose({ ...from, seq, hasVector })
          const lines = encodeAll(records)
          if (Either.isLeft(lines)) {
            // A record that breaks its own schema is a bug of who made it; one that is too large is not.
            const { left } = lines
            yield* left._tag === "ParseError" ? Deferred.die(request.done, left) : Deferred.fail(request.done, left)
            continue
          }
          encoded.push({ request, records, bytes: lines.right })
          for (const key of Compose.vectorKeys(records)) written.add(key)
          seq += records.length
          bytes += lines.right.length
        }
        return { encoded, bytes, seq, rest: requests.slice(taken) }
      })

    const write = (requests: ReadonlyArray<Request>): Effect.Effect<ReadonlyArray<Request>> =>
      Effect.gen(function*() {
        let batch = yield* encodeSome(requests, yield* place)
        if (batch.encoded.length === 0) return batch.rest
        const answer = Effect.gen(function*() {
          const { segment, size } = yield* Ref.get(end)
          if (batch.bytes === 0) return
          if (segment === 0 || size + batch.bytes > segmentBytes) {
            yield* ensureRoom(pathOf(segment + 1), batch.bytes)
            yield* roll
            // Their places have moved behind the new segment's first line.
            batch = yield* encodeSome(requests, yield* place)
          }
          yield* persist(Buffer.concat(batch.encoded.map(({ bytes }) => bytes)))
          yield* Ref.update(end, (before) => {
            const after = before.size + batch.bytes
            return { ...before, size: after, unproved: after, seq: batch.seq }
          })
          for (const { records } of batch.encoded) for (const key of Compose.vectorKeys(records)) vectors.add(key)
          yield* Ref.set(dirty, true)
        })
        const result = yield* Effect.either(answer)
        if (Either.isLeft(result)) yield* Ref.set(fatal, Option.some(result.left))
        yield* Effect.forEach(batch.encoded, ({ records, request }) =>
          Deferred.complete(
            request.done,
            Either.match(result, { onLeft: Effect.fail, onRight: () => Effect.succeed(records) })
          ))
        return batch.rest
      })

    const drain = (requests: ReadonlyArray<Request>): Effect.Effect<void> =>
      Effect.gen(function*() {
        const ended = yield* Ref.get(fatal)
        if (Option.isSome(ended)) {
          return yield* Effect.forEach(requests, ({ done }) => Deferred.fail(done, ended.value), { discard: true })
        }
        const rest = yield* write(requests)
        if (rest.length > 0) yield* drain(rest)
      })

    yield* Effect.addFinalizer(() =>
      Effect.gen(function*() {
        const { segment, size } = yield* Ref.get(end)
        const worth = (yield* Ref.get(dirty)) && segment > 0 && Option.isNone(yield* Ref.get(fatal))
        if (!worth) return
        const seal = Compose.alone([{ kind: "seal", body: new Seal({ durable_to: size }) }], yield* place)
        yield* persist(Either.getOrThrow(encodeAll(seal)))
      }).pipe(Effect.catchAll((error) => Effect.logWarning(error.message)))
    )

    const queue = yield* Queue.unbounded<Request>()
    const writer = yield* Queue.takeBetween(queue, 1, mostRequests).pipe(
      Effect.flatMap((requests) =>
        drain(Chunk.toReadonlyArray(requests)).pipe(
          // A writer that died no longer knows where the log ends: a seal might stand in the wrong place.
          Effect.onError(() => Ref.set(dirty, false)),
          Effect.uninterruptible
        )
      ),
      Effect.forever,
      Effect.forkScoped
    )

    const submit = (compose: Request["compose"]): Effect.Effect<ReadonlyArray<LogRecord>, AppendError> =>
      Effect.gen(function*() {
        const done = yield* Deferred.make<ReadonlyArray<LogRecord>, AppendError>()
        yield* Queue.offer(queue, { compose, done })
        // A writer that died answers nobody: whoever waits fails with its cause.
        return yield* Effect.raceFirst(Deferred.await(done), Fiber.join(writer))
      })

    return {
      // Nothing to append is no write: it begins no segment and makes no seal necessary.
      append: (groups) =>
        groups.length === 0 ? Effect.succeed([]) : Effect.map(
          submit((from) => Compose.groups(groups, from)),
          (records) => records.flatMap((record) => record.kind === "commit" ? [Seq.make(record.seq)] : [])
        ),
      appendAlone: (entries) =>
        entries.length === 0 ? Effect.void : Effect.asVoid(submit((from) => Compose.alone(entries, from)))
    }
  })
