/**
 * The transform of M0.3: a stream of Records becomes a stream of Chunks.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { TokenCounter } from "../../services/TokenCounter.ts"
import type { Chunk } from "../domain/Chunk.ts"
import type { ChunkPolicy } from "../domain/ChunkPolicy.ts"
import type { Record } from "../domain/Record.ts"
import { fold } from "../stream/Fold.ts"
import { foldOrIdle } from "../stream/FoldOrIdle.ts"
import { initial, isOpen, step } from "./Step.ts"

/**
 * Groups the Records of one session into Chunks under the policy's token budget.
 *
 * Nothing is lost, split or reordered: the Chunks' Records, one after the other, are the source's. Memory is one
 * Chunk, so the source may never end. A failing source fails the result with its own error, after the Chunks that were
 * complete before it. Run it once per session: `t` counts from 1.
 *
 * Under the flush trigger `OrIdle` a Chunk is given out, too, when no Record has come for so long. That costs a fibre a
 * batch, so it is for live tails.
 *
 * The source's batches decide the speed; it should emit 64 Records or more at a time.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { ChunkPolicy, chunks, RecordSource } from "poimen-memory"
 *
 * export const program = Effect.gen(function*() {
 *   const source = yield* RecordSource
 *   const policy = yield* ChunkPolicy.from({ max_tokens: 2000 })
 *   return yield* source.records.pipe(chunks(policy), Stream.runCount)
 * })
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const chunks =
  (policy: ChunkPolicy) => <E, R>(records: Stream.Stream<Record, E, R>): Stream.Stream<Chunk, E, R | TokenCounter> =>
    Stream.unwrap(Effect.map(TokenCounter, ({ count }) => {
      const { flush } = policy
      return flush._tag === "Tokens"
        ? fold(initial, step(policy, count))(records)
        : foldOrIdle(initial, step(policy, count), { idle: flush.idle, isOpen })(records)
    }))
