/**
 * What a writer does before it trusts a log: cut off a torn tail (kept in quarantine), refuse a damaged one, and put
 * on disk for certain what only the page cache may hold. It may be cut short at any step and is then done again.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { LogFile, LogFs } from "../../services/LogFs.ts"
import type { LogReadError } from "../../services/LogReader.ts"
import type { LogFsError } from "../../src/domain/LogErrors.ts"
import { decode } from "../../src/log/Codec.ts"
import { nextSeq } from "../../src/log/Gap.ts"
import * as Scan from "../../src/log/Scan.ts"
import { nameOf } from "../../src/log/SegmentFile.ts"
import { writeAll } from "../LogFs/WriteAll.ts"
import { pathsOf } from "./Paths.ts"
import { segmentNumbers } from "./SegmentBytes.ts"
import { failureOf, lastLine, scan } from "./SegmentReader.ts"

/**
 * Where the next line goes: the last segment (0: there is none yet), its size in bytes, and the `seq` of that line.
 * `unproved` is where bytes begin that may be in the page cache only; they are written again before the first append.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogEnd {
  readonly segment: number
  readonly size: number
  readonly seq: number
  readonly unproved: number
  /** A tail was cut off. */
  readonly recovered: boolean
}

const copyBytes = 1024 * 1024

const copy = (from: LogFile, offset: number, to: LogFile, path: string): Effect.Effect<number, LogFsError> =>
  Effect.gen(function*() {
    let copied = 0
    for (;;) {
      const bytes = yield* from.read(offset + copied, copyBytes)
      if (bytes.length === 0) return copied
      yield* writeAll(to, path, copied, bytes)
      copied += bytes.length
    }
  })

/**
 * Puts what is in the file from there on through to the disk: what a read saw may have been in the cache alone.
 *
 * @since 0.1.0
 * @category recovery
 */
export const prove = (file: LogFile, path: string, from: number): Effect.Effect<void, LogFsError> =>
  Effect.gen(function*() {
    let at = from
    for (;;) {
      const bytes = yield* file.read(at, copyBytes)
      if (bytes.length === 0) break
      yield* writeAll(file, path, at, bytes)
      at += bytes.length
    }
    yield* file.sync
  })

/** What stands there is kept: an earlier run may have been torn at the same place, or its recovery cut short. */
const createNext = (fs: LogFs["Type"], path: string, number = 1): Effect.Effect<
  { readonly path: string; readonly file: LogFile },
  LogFsError,
  Scope.Scope
> => {
  const name = number === 1 ? path : `${path}.${number}`
  return fs.open(name, "create").pipe(
    Effect.map((file) => ({ path: name, file })),
    Effect.catchIf(({ reason }) => reason === "AlreadyExists", () => createNext(fs, path, number + 1))
  )
}

const quarantine = (fs: LogFs["Type"], home: string, segment: number, file: LogFile, offset: number) =>
  Effect.scoped(Effect.gen(function*() {
    const { log, quarantine } = pathsOf(home)
    yield* fs.makeDir(quarantine)
    const { file: kept, path } = yield* createNext(fs, `${quarantine}/${nameOf(segment)}.${offset}.torn`)
    const bytes = yield* copy(file, offset, kept, path)
    yield* kept.sync
    yield* fs.syncDir(quarantine)
    // The folder itself may be new.
    yield* fs.syncDir(log)
    yield* Effect.logWarning(
      `${nameOf(segment)} ended in ${bytes} bytes of a write that was never finished; they were moved to ${path}`
    )
  }))

interface Examined {
  readonly seq: Option.Option<number>
  /** Up to here the bytes were known to be on disk. */
  readonly durable: number
  readonly verdict: Option.Option<Scan.Scanned>
}

/** Scans the last segment whole. Each earlier one was on disk before the next was begun. */
const examine = (segment: number, file: LogFile): Effect.Effect<Examined, LogFsError> =>
  Stream.runFold(
    scan(file, 0, Scan.fromStart(segment, Option.none())),
    { seq: Option.none(), durable: 0, verdict: Option.none() },
    (seen: Examined, scanned): Examined =>
      scanned._tag === "Record"
        ? {
          ...seen,
          seq: Option.some(nextSeq(scanned.record)),
          durable: Math.max(seen.durable, Math.min(scanned.offset, Scan.knewDurable(scanned.record)))
        }
        : { ...seen, verdict: Option.some(scanned) }
  )

/** The `seq` behind a seal. One that stands elsewhere than where it was written vouches for nothing before it. */
const sealed = (line: Uint8Array, offset: number): Option.Option<number> =>
  Option.flatMap(
    Either.getRight(decode(line)),
    (record) =>
      record.kind === "seal" && record.body.durable_to === offset ? Option.some(record.seq + 1) : Option.none()
  )

/**
 * Finds the end of the log and makes it safe to append to. A log that was closed cleanly is read by its last line only.
 *
 * @since 0.1.0
 * @category recovery
 */
export const recover = (fs: LogFs["Type"], home: string): Effect.Effect<LogEnd, LogReadError> =>
  Effect.gen(function*() {
    const { segments } = pathsOf(home)
    const segment = (yield* segmentNumbers(fs, segments)).at(-1)
    if (segment === undefined) return { segment: 0, size: 0, seq: 1, unproved: 0, recovered: false }
    const path = `${segments}/${nameOf(segment)}`

    const end = yield* Effect.scoped(Effect.gen(function*() {
      const file = yield* fs.open(path, "write")
      const size = yield* file.size
      const seal = Option.flatMap(
        yield* lastLine(file),
        ({ line, offset }) => Option.map(sealed(line, offset), (seq) => ({ seq, offset }))
      )
      if (Option.isSome(seal)) {
        return Option.some<LogEnd>({
          segment,
          size,
          seq: seal.value.seq,
          unproved: seal.value.offset,
          recovered: false
        })
      }
      // Whoever began this segment may have ended before its entry in the folder was on disk.
      yield* fs.syncDir(segments)
      const found = yield* examine(segment, file)
      const failure = Option.flatMap(found.verdict, (scanned) => failureOf(path, scanned, true))
      if (Option.isSome(failure)) return yield* failure.value
      const torn = Option.flatMap(
        found.verdict,
        (scanned) => scanned._tag === "Torn" ? Option.some(scanned.offset) : Option.none()
      )
      const whole = Option.getOrElse(torn, () => size)
      if (Option.isSome(torn)) {
        yield* quarantine(fs, home, segment, file, whole)
        yield* file.truncate(whole)
        yield* file.sync
      }
      if (Option.isNone(found.seq)) return Option.none<LogEnd>()
      yield* prove(file, path, found.durable)
      return Option.some<LogEnd>({
        segment,
        size: whole,
        seq: found.seq.value,
        unproved: whole,
        recovered: true
      })
    }))
    if (Option.isSome(end)) return end.value

    // Not even its first line is whole: it was being created when the run ended, and nothing of it was acknowledged.
    yield* fs.unlink(path)
    yield* fs.syncDir(segments)
    return { ...(yield* recover(fs, home)), recovered: true }
  })
