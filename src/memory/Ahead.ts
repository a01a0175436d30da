/**
 * What the log will say of sessions once a sync has archived what is new: the same fold, which Records are told to that
 * nobody has written. Of each of them only its size is kept.
 *
 * Who reads a session takes such a Record for one of the log, with a stand-in for its text that counts as many tokens; so
 * the archive and what is ahead are cut into Chunks by one and the same program.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { LanguageModel } from "../../services/LanguageModel.ts"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import type { Chunk } from "../domain/Chunk.ts"
import type { ChunkPolicy } from "../domain/ChunkPolicy.ts"
import { type ConnectorName, type DocId, Seq, type Sha256, Timestamp } from "../domain/Ids.ts"
import { formatVersion, type LogRecord } from "../domain/LogRecord.ts"
import { Record } from "../domain/Record.ts"
import { documentKey } from "../log/Live.ts"
import * as Fitting from "./Fitting.ts"
import { type LiveMemory, liveMemory } from "./LiveMemory.ts"
import { sessionChunks } from "./sessionChunks.ts"
import type { Session } from "./Sessions.ts"
import { windowsOf } from "./Windows.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Ahead {
  readonly live: LiveMemory
  /** Takes in Records that the log does not have, in the order in which they would be archived. */
  readonly take: (connector: ConnectorName, doc_id: DocId, records: ReadonlyArray<Record>) => void
  /** Says at how many places another order than that could cut a connector's sessions once more. */
  readonly mayCut: (connector: ConnectorName, places: number) => void
  readonly cuts: (connector: ConnectorName) => number
  /** The Chunks of a session, as they would be then. */
  readonly chunks: (session: Session, reading: Sha256) => Stream.Stream<Chunk, LogReadError>
  /** What each window of a Chunk shows, piece by piece, where not all of it is archived; none where all is. */
  readonly shown: (chunk: Chunk) => Option.Option<ReadonlyArray<ReadonlyArray<Fitting.Weight>>>
}

/** What a Record counts, and the piece of it that each of its windows shows. */
interface Size {
  readonly tokens: number
  readonly windows: ReadonlyArray<Fitting.Weight>
}

/** Segments are counted from 1, so no line stands here. */
const nowhere = 0

/** Behind every step: none can have shown it. */
const later = Number.MAX_SAFE_INTEGER

const nobodySays = (n: number): string => `\u0000ahead ${n}`

const lineOf = (body: Record): LogRecord => ({
  v: formatVersion,
  seq: Seq.make(later),
  at: Timestamp.make("1970-01-01T00:00:00.000Z"),
  kind: "record",
  body
})

/**
 * What the log says now, with nothing ahead.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  policy: ChunkPolicy
): Effect.Effect<Ahead, LogReadError, LanguageModel | LogReader | TokenCounter> =>
  Effect.gen(function*() {
    const log = yield* LogReader
    const counter = yield* TokenCounter
    const { catchUp, memory: live } = yield* liveMemory
    yield* catchUp
    const { count } = counter
    const { weigh } = yield* Fitting.make
    const standIns: Array<Record> = []
    const sizes = new Map<string, Size>()
    const cuts = new Map<ConnectorName, number>()

    const sizeOf = (record: Record): Size => {
      const tokens = count(record.text)
      const windows = windowsOf(
        { over_budget: tokens > policy.max_tokens, records: [record] },
        policy.max_tokens,
        count
      )
      return { tokens, windows: windows.flat().map(weigh) }
    }

    const reader = LogReader.of({
      ...log,
      at: (position) => {
        const record = position.segment === nowhere ? standIns[position.offset] : undefined
        return record === undefined ? log.at(position) : Effect.succeed(lineOf(record))
      }
    })
    const counting = TokenCounter.of({ ...counter, count: (text) => sizes.get(text)?.tokens ?? count(text) })

    return {
      live,
      take: (connector, doc_id, records) =>
        live.archive(
          connector,
          documentKey(connector, doc_id),
          records.map((record) => {
            const offset = standIns.length
            const text = nobodySays(offset)
            const { derived, key, kind } = record
            sizes.set(text, sizeOf(record))
            standIns.push(new Record({ key, kind, derived, text }, { disableValidation: true }))
            return { position: { segment: nowhere, offset }, seq: later, record }
          })
        ),
      mayCut: (connector, places) => {
        cuts.set(connector, (cuts.get(connector) ?? 0) + places)
      },
      cuts: (connector) => cuts.get(connector) ?? 0,
      chunks: (session, reading) =>
        sessionChunks(session, reading, policy).pipe(
          Stream.provideService(LogReader, reader),
          Stream.provideService(TokenCounter, counting)
        ),
      shown: ({ over_budget, records }) => {
        const known = records.map(({ text }) => sizes.get(text))
        if (known.every((size) => size === undefined)) return Option.none()
        const windows = records.flatMap((record, i) => (known[i] ?? sizeOf(record)).windows)
        return Option.some(over_budget ? windows.map((piece) => [piece]) : [windows])
      }
    }
  })
