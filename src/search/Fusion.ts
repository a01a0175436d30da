/**
 * Fuses what was found by meaning with what was found by words: `score = cosine + 0.1 * bm25 / max`, max being the best
 * bm25 of this question. Fusing by ranks instead would let a list of words that hit nothing drown the meaning. Pure.
 *
 * @since 0.1.0
 */
import type { ChunkId } from "../domain/Ids.ts"

/**
 * How much the words weigh beside the meaning.
 *
 * @since 0.1.0
 * @category constants
 */
export const wordWeight = 0.1

/**
 * A passage that one of the lists named. `cosine` is absent where it has no vector that can be compared, `bm25` where
 * it has none of the words; either counts as 0 then.
 *
 * @since 0.1.0
 * @category models
 */
export interface Candidate {
  readonly id: number
  readonly chunk_id: ChunkId
  readonly cosine?: number
  readonly bm25?: number
}

/**
 * What is known of the passages that neither list names: no cosine among them is above the one bound, no bm25 above the
 * other. A bound is absent where its list names all that there are.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rest {
  readonly cosine?: number
  readonly bm25?: number
}

/**
 * A passage and its score.
 *
 * @since 0.1.0
 * @category models
 */
export interface Scored {
  readonly id: number
  readonly chunk_id: ChunkId
  readonly score: number
}

/**
 * The best `k`, ties by chunk_id. `complete` says that no passage outside of the candidates can be among them; else
 * longer lists are needed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Fused {
  readonly best: ReadonlyArray<Scored>
  readonly complete: boolean
}

const order = (a: Scored, b: Scored): number =>
  a.score !== b.score ? b.score - a.score : a.chunk_id < b.chunk_id ? -1 : a.chunk_id > b.chunk_id ? 1 : 0

/** What a passage may score at most that neither list names. */
const boundOf = ({ bm25, cosine }: Rest, scoreOf: (cosine: number, bm25: number) => number): number => {
  // One without a vector counts as 0, and one whose vector is far off as less.
  const withWords = bm25 === undefined ? -Infinity : scoreOf(Math.max(cosine ?? 0, 0), bm25)
  const without = cosine === undefined ? -Infinity : scoreOf(cosine, 0)
  return Math.max(withWords, without)
}

/** More than two ways to compute one cosine ever differ by. */
const rounding = 1e-5

/**
 * @since 0.1.0
 * @category fusing
 */
export const fuse = (
  candidates: ReadonlyArray<Candidate>,
  rest: Rest,
  k: number,
  weight: number = wordWeight
): Fused => {
  const max = candidates.reduce((most, { bm25 = 0 }) => Math.max(most, bm25), 0)
  const scoreOf = (cosine: number, bm25: number): number => cosine + (max > 0 ? weight * bm25 / max : 0)
  const scored = candidates
    .map(({ bm25 = 0, chunk_id, cosine = 0, id }) => ({ id, chunk_id, score: scoreOf(cosine, bm25) }))
    .sort(order)
  const best = scored.slice(0, k)
  const bound = boundOf(rest, scoreOf)
  const last = best.at(-1)
  const full = best.length === k && last !== undefined && last.score > bound + rounding
  return { best, complete: k === 0 || bound === -Infinity || full }
}
