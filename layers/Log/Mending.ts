/**
 * Repairs a log that is damaged anywhere but in its tail, under the writer's lock: segment by segment, from the first on,
 * a copy of what is damaged goes to `log/quarantine/`, then the repaired segment takes its place in one step. A segment
 * behind a changed one names its sha256, so its first line is written anew; all else in it stays byte for byte.
 *
 * All segments are looked at before anything is written: a line of a later version and a file that cannot be read end the
 * repair there. It may be cut short at any step, and is taken up by the next one: whatever is in its final place is right,
 * and what becomes of the rest does not hang on it. It holds the places of one segment's lines in memory, and a mebibyte
 * of its bytes.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import type { LogFile, LogFs } from "../../services/LogFs.ts"
import type { LogReadError } from "../../services/LogReader.ts"
import { Seq, Sha256, Timestamp } from "../../src/domain/Ids.ts"
import { type LogFsError, type LogLocked, LogTooNew } from "../../src/domain/LogErrors.ts"
import { formatVersion, type LogEntry } from "../../src/domain/LogRecord.ts"
import { Gap, Seal, Segment } from "../../src/domain/Maintenance.ts"
import { encode, maxLineBytes } from "../../src/log/Codec.ts"
import * as Inspect from "../../src/log/Inspect.ts"
import * as Lines from "../../src/log/Lines.ts"
import type { Loss } from "../../src/log/Loss.ts"
import * as Mend from "../../src/log/Mend.ts"
import { nameOf } from "../../src/log/SegmentFile.ts"
import { fold } from "../../src/stream/Fold.ts"
import { acquire } from "./Lock.ts"
import { pathsOf } from "./Paths.ts"
import * as Processes from "./Processes.ts"
import { type Append, rewrite } from "./Rewrite.ts"
import { bytesFrom, notFoundIs, segmentNumbers } from "./SegmentBytes.ts"

/**
 * `home` is the memory home, the folder that holds `log`; `processes` are those of this host.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly home: string
  readonly processes?: Processes.Processes
}

const copyBytes = 1024 * 1024
const manifest = ".manifest.jsonl"

/** What a segment holds, and the sha256 of its file as it is. */
interface Looked {
  readonly seen: Mend.Seen
  readonly sha256: Sha256
}

type Begin = Extract<Mend.Piece, { readonly _tag: "Begin" }>

/** What was seen of each segment, from the first on; none of one whose file is missing. */
interface Survey {
  readonly summary: Mend.Summary
  readonly sha256: Sha256
}

const copyTo = (file: LogFile, offset: number, length: number, append: Append): Effect.Effect<void, LogFsError> =>
  Effect.gen(function*() {
    for (let at = offset; at < offset + length;) {
      const bytes = yield* file.read(at, Math.min(copyBytes, offset + length - at))
      if (bytes.length === 0) return
      yield* append(bytes)
      at += bytes.length
    }
  })

const now: Effect.Effect<Timestamp> = Effect.clockWith((clock) =>
  Effect.map(clock.currentTimeMillis, (millis) => Timestamp.make(new Date(millis).toISOString()))
)

const lineOf = (at: Timestamp, seq: number, entry: LogEntry): Uint8Array =>
  Either.getOrThrow(encode({ v: formatVersion, seq: Seq.make(seq), at, ...entry }))

/**
 * Repairs the log below this home; its value is what could not be kept. Nothing is written, and no lock taken, where
 * there is nothing to repair; a torn tail alone is left to the next writer.
 *
 * @since 0.1.0
 * @category repairing
 */
export const mend = (
  fs: LogFs["Type"],
  { home, processes = Processes.live }: Options
): Effect.Effect<ReadonlyArray<Loss>, LogLocked | LogReadError> => {
  const { connectors, log, quarantine, segments } = pathsOf(home)
  const pathOf = (segment: number) => `${segments}/${nameOf(segment)}`

  const look = (segment: number): Effect.Effect<Looked, LogReadError> =>
    Effect.scoped(Effect.gen(function*() {
      const path = pathOf(segment)
      const file = yield* fs.open(path, "read")
      const hash = createHash("sha256")
      const seen = yield* bytesFrom(file, 0).pipe(
        Stream.tap((bytes) => Effect.sync(() => hash.update(bytes))),
        fold(Lines.initial(0), Lines.step(maxLineBytes)),
        fold(Inspect.initial(segment, Option.none()), Inspect.step),
        Stream.runFoldEffect(Mend.nothing(segment), (seen, found) =>
          found._tag === "Fault" && found.kind === "too-new"
            ? new LogTooNew({ path, offset: found.offset, detail: found.detail })
            : Effect.succeed(Mend.see(seen, found)))
      )
      return { seen, sha256: Sha256.make(hash.digest("hex")) }
    }))

  const survey: Effect.Effect<ReadonlyArray<Option.Option<Survey>>, LogReadError> = Effect.gen(function*() {
    const numbers = yield* segmentNumbers(fs, segments)
    const there = new Set(numbers)
    return yield* Effect.forEach(
      Array.from({ length: numbers.at(-1) ?? 0 }, (_, i) => i + 1),
      (segment) =>
        there.has(segment)
          ? Effect.map(look(segment), ({ seen, sha256 }) => Option.some({ summary: Mend.summaryOf(seen), sha256 }))
          : Effect.succeed(Option.none<Survey>())
    )
  })

  /** The copy is named by what it holds, so a repair that is taken up finds it, and names it in the same words. */
  const keep = (segment: number, sha256: Sha256): Effect.Effect<string, LogFsError> =>
    Effect.gen(function*() {
      const name = `${nameOf(segment)}.${sha256.slice(0, 16)}.damaged`
      const path = `${quarantine}/${name}`
      yield* fs.makeDir(quarantine)
      const there = yield* Effect.scoped(fs.open(path, "read")).pipe(Effect.as(true), notFoundIs(false))
      yield* there ? fs.syncDir(quarantine) : rewrite(fs, path, (append) =>
        Effect.scoped(Effect.gen(function*() {
          const file = yield* fs.open(pathOf(segment), "read")
          yield* copyTo(file, 0, yield* file.size, append)
        })))
      // The folder itself may be new.
      yield* fs.syncDir(log)
      return `quarantine/${name}`
    })

  const write = (
    segment: number,
    { pieces }: Mend.Plan,
    { at, kept, previous }: { readonly at: Timestamp; readonly kept: string; readonly previous: Sha256 | null }
  ): Effect.Effect<Sha256, LogFsError> => {
    const begin = ({ seq, was }: Begin, file: Option.Option<LogFile>, append: Append) =>
      Option.match(Option.all([file, Option.filter(was, ({ record }) => record.body.previous_sha256 === previous)]), {
        onNone: () =>
          append(lineOf(Option.match(was, { onNone: () => at, onSome: ({ record }) => record.at }), seq, {
            kind: "segment",
            body: new Segment({ format: "mem-log/1", number: segment, previous_sha256: previous })
          })),
        onSome: ([from, { length, offset }]) => copyTo(from, offset, length, append)
      })
    return rewrite(fs, pathOf(segment), (append) =>
      Effect.scoped(Effect.gen(function*() {
        const copies = pieces.some((piece) =>
          piece._tag === "Keep" || (piece._tag === "Begin" && Option.isSome(piece.was))
        )
        const file = copies ? Option.some(yield* fs.open(pathOf(segment), "read")) : Option.none()
        let size = 0
        const add: Append = (bytes) => Effect.tap(append(bytes), (now) => Effect.sync(() => size = now))
        for (const piece of pieces) {
          switch (piece._tag) {
            case "Keep":
              if (Option.isSome(file)) yield* copyTo(file.value, piece.offset, piece.length, add)
              break
            case "Begin":
              yield* begin(piece, file, add)
              break
            case "Gap": {
              const { first, last, length, offset } = piece
              const body = new Gap({
                first_seq: Seq.make(first),
                last_seq: Seq.make(last),
                segment,
                offset,
                length,
                quarantine: kept
              })
              yield* add(lineOf(at, first, { kind: "gap", body }))
              break
            }
            case "Seal":
              yield* add(lineOf(at, piece.seq, { kind: "seal", body: new Seal({ durable_to: size }) }))
          }
        }
      })))
  }

  /** Until a manifest was made anew from the log, the next sync must not take it as it is. */
  const distrustManifests = Effect.gen(function*() {
    const names = yield* notFoundIs<ReadonlyArray<string>>([])(fs.list(connectors))
    for (const name of names) {
      if (!name.endsWith(manifest)) continue
      yield* rewrite(fs, `${connectors}/${name.slice(0, -manifest.length)}.progress.jsonl`, () => Effect.void)
    }
  })

  interface State {
    readonly first: number
    readonly previous: Sha256 | null
    readonly losses: ReadonlyArray<Loss>
  }

  /** What has to be done about a segment, if anything has to. */
  const decide = (all: ReadonlyArray<Option.Option<Survey>>, segment: number, { first, previous }: State) => {
    const isLast = segment === all.length
    const later = all.slice(segment).map((each, i) => {
      const tail = segment + i + 1 === all.length
      return Option.map(
        // Of one that is torn from its first byte on nothing counts: the next writer takes it away.
        Option.filter(each, ({ summary }) => Mend.endOf(summary, tail) > 0),
        ({ summary }) => summary
      )
    })
    const found = all[segment - 1] ?? Option.none<Survey>()
    const end = Option.flatMap(found, ({ summary }) => summary.next)
    const bounds: Mend.Bounds = { first, behind: Mend.behind(first, end, later), isLast }
    if (Option.isNone(found)) return { _tag: "Missing", plan: Mend.missing(segment, bounds) } as const
    const { sha256, summary } = found.value
    const next = Option.getOrElse(summary.next, () => first)
    if (isLast && Mend.endOf(summary, isLast) === 0) return { _tag: "Right", sha256, next } as const
    if (!Mend.isWhole(summary, bounds)) return { _tag: "Damaged", bounds, sha256 } as const
    const head = Option.filter(summary.head, ({ record }) => segment > 1 && record.body.previous_sha256 !== previous)
    return Option.isNone(head)
      ? { _tag: "Right", sha256, next } as const
      : { _tag: "Unchained", plan: Mend.chained(summary, head.value) } as const
  }

  const isRight = (all: ReadonlyArray<Option.Option<Survey>>): boolean => {
    let state: State = { first: 1, previous: null, losses: [] }
    for (const segment of all.keys()) {
      const decided = decide(all, segment + 1, state)
      if (decided._tag !== "Right") return false
      state = { ...state, first: decided.next, previous: decided.sha256 }
    }
    return true
  }

  const step = (all: ReadonlyArray<Option.Option<Survey>>, segment: number, at: Timestamp) => (before: State) =>
    Effect.gen(function*() {
      const decided = decide(all, segment, before)
      if (decided._tag === "Right") return { ...before, first: decided.next, previous: decided.sha256 }
      const damaged = decided._tag === "Damaged"
      const plan = damaged ? Mend.plan((yield* look(segment)).seen, decided.bounds) : decided.plan
      const kept = damaged ? yield* keep(segment, decided.sha256) : ""
      const previous = yield* write(segment, plan, { at, kept, previous: before.previous })
      return { first: plan.next, previous, losses: [...before.losses, ...plan.losses] }
    })

  const repair = Effect.scoped(Effect.gen(function*() {
    yield* acquire(fs, home, processes)
    const all = yield* survey
    if (isRight(all)) return []
    yield* distrustManifests
    const at = yield* now
    let state: State = { first: 1, previous: null, losses: [] }
    for (const segment of all.keys()) state = yield* step(all, segment + 1, at)(state)
    return state.losses
  }))

  return Effect.flatMap(survey, (all) => isRight(all) ? Effect.succeed([]) : repair)
}
