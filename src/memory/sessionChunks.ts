/**
 * The Chunks of a session, out of the archive: the Records that are evidence, in the order in which they were archived.
 *
 * Chunks that the loop has read end where they ended then, so that of a session that has grown only what is new is read
 * again; the rest is cut by the policy.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { chunks } from "../chunk/chunks.ts"
import { Chunk } from "../domain/Chunk.ts"
import type { ChunkPolicy } from "../domain/ChunkPolicy.ts"
import type { RecordKey, Sha256 } from "../domain/Ids.ts"
import type { Record } from "../domain/Record.ts"
import type { RecordPlace, Session, Turn } from "./Sessions.ts"

/**
 * Behind how many Records each Chunk ends that was read before: as far as the same Records still follow one another.
 *
 * @since 0.1.0
 * @category borders
 */
export const borders = (
  keys: ReadonlyArray<RecordKey>,
  turns: ReadonlyMap<number, ReadonlyArray<Turn>> | undefined
): ReadonlyArray<number> => {
  const ends: Array<number> = []
  let at = 0
  // Whether all windows of the last one were shown cannot be told, so it is cut anew.
  const whole = (t: number): ReadonlyArray<number> =>
    turns?.get(t - 1)?.some(({ window }) => window !== undefined) === true ? ends.slice(0, -1) : ends
  for (let t = 1;; t++) {
    const windows = turns?.get(t)
    if (windows === undefined) return whole(t)
    const shown = [...new Set(windows.flatMap(({ record_keys }) => record_keys))]
    if (shown.length === 0 || shown.some((key, i) => key !== keys[at + i])) return whole(t)
    at += shown.length
    ends.push(at)
  }
}

/** Lines of the log are read side by side, so many at a time. */
const readsInFlight = 16

const read = (places: ReadonlyArray<RecordPlace>) =>
  Effect.flatMap(LogReader, ({ at }) =>
    Effect.map(
      Effect.forEach(
        places,
        ({ position }) => Effect.map(at(position), (line) => line.kind === "record" ? [line.body] : []),
        { concurrency: readsInFlight }
      ),
      (records): ReadonlyArray<Record> => records.flat()
    ))

/** As a source of Records should: the chunker works on batches. */
const batch = 64

/**
 * Nothing but the open Chunk is held. `reading` names the way of reading whose borders are kept.
 *
 * @since 0.1.0
 * @category streams
 */
export const sessionChunks = (
  { records, turns }: Session,
  reading: Sha256,
  policy: ChunkPolicy
): Stream.Stream<Chunk, LogReadError, LogReader | TokenCounter> => {
  const ends = borders([...records.keys()], turns.get(reading))
  const places = [...records.values()]

  const before = Stream.mapEffect(
    Stream.fromIterable(ends.map((end, i) => [i + 1, places.slice(ends[i - 1] ?? 0, end)] as const)),
    ([t, group]) =>
      Effect.gen(function*() {
        const { count } = yield* TokenCounter
        const shown = yield* read(group)
        const tokens = shown.reduce((sum, { text }) => sum + count(text), 0)
        return new Chunk(
          { t, tokens, over_budget: shown.length === 1 && tokens > policy.max_tokens, records: shown },
          { disableValidation: true }
        )
      })
  )

  const rest = Stream.fromIterable(places.slice(ends.at(-1) ?? 0)).pipe(
    Stream.rechunk(batch),
    Stream.chunks,
    Stream.mapEffect((some) => read([...some])),
    Stream.flattenIterables,
    chunks(policy),
    Stream.map((chunk) => new Chunk({ ...chunk, t: chunk.t + ends.length }, { disableValidation: true }))
  )

  return Stream.concat(before, rest)
}
