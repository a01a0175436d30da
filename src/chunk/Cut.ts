/**
 * Cuts a span that is over budget into Pieces that fit it.
 *
 * Each Piece ends at the furthest place that fits, of the coarsest kind that has one: the seams that the caller names
 * (lines, say), then sentence, word, grapheme cluster. Only a single cluster that is too long alone, or with the blanks
 * around it, stays over budget. No Piece is blank, every step consumes input, and the Pieces partition the span.
 *
 * A Piece is counted on its exact embedded text before it counts as fitting. Where to look is guessed from the counts
 * before it, and nothing much longer than a guess is ever counted, so the work is linear in the text.
 *
 * @since 0.1.0
 */
import { bodySpan } from "./EmbeddedText.ts"
import type { Measure, Piece } from "./Measure.ts"
import { clusterStarts, sentenceStarts, wordStarts } from "./Segments.ts"
import { firstInk, isBlankAt, lastInk, lowerBound } from "./TextLines.ts"

/** Units a token, before anything has been counted. */
const firstRate = 4

/** How far beyond the guess an end may lie and still be counted at once. */
const farther = 1.5

/** Guesses before halving takes over, which bounds the counts where guessing fails. */
const guesses = 4

/**
 * @since 0.1.0
 * @category models
 */
export interface Cuttable {
  readonly measure: Measure
  readonly start: number
  readonly end: number
  /** Where to cut first: ascending offsets of line starts or larger, by kind, the coarsest first. */
  readonly seams: ReadonlyArray<ReadonlyArray<number>>
}

/** The search for the end of one Piece; it learns as it counts. */
interface Search {
  readonly measure: Measure
  readonly start: number
  /** Where the body begins, behind blank lines and what is not embedded. */
  readonly body: number
  /** The first unit of the body that is not blank: an end must lie behind it. */
  readonly ink: number
  /** An end that is known not to fit. */
  limit: number
  /** Units a token, as last seen. */
  rate: number
}

const furthest = (search: Search, ends: ReadonlyArray<number>): Piece | undefined => {
  const { ink, measure, start } = search
  const { max_characters, max_tokens } = measure.budget
  let best: Piece | undefined
  let low = lowerBound(ends, ink + 1)
  let high = lowerBound(ends, search.limit)
  let known = 1
  for (let probes = 0; low < high; probes += 1) {
    const reach = Math.max(known, Math.min(search.rate * max_tokens, max_characters))
    const guess = probes < guesses ? lowerBound(ends, ink + reach + 1) - 1 : (low + high) >> 1
    const index = Math.min(Math.max(guess, low), high - 1)
    const wanted = ends[index] ?? start
    const stop = Math.min(wanted, Math.ceil(ink + farther * reach))
    const piece = measure.isTooLong(start, stop) ? undefined : measure.piece(start, stop)
    if (piece !== undefined) search.rate = (stop - ink) / Math.max(piece.tokens, 0.5)
    if (piece === undefined || piece.over_budget) {
      search.limit = stop
      high = lowerBound(ends, stop)
    } else if (stop === wanted) {
      best = piece
      low = index + 1
    } else {
      known = stop - ink
    }
  }
  return best
}

/** The seams failed: the Piece ends within its first line. Blanks stay with what precedes them. */
const withinLine = (search: Search, end: number): Piece => {
  const { body, ink, measure, start } = search
  const { text } = measure
  const clustersBefore = (limit: number) =>
    clusterStarts(text, body, limit).filter((offset, i, starts) => {
      const blank = isBlankAt(text, offset) && ((starts[i + 1] ?? limit) === offset + 1 || isBlankAt(text, offset + 1))
      return offset > ink && !blank
    })

  let limit = search.limit
  let clusters = clustersBefore(limit)
  for (const startsOf of [sentenceStarts, wordStarts, () => clusters]) {
    const starts = startsOf(text, body, search.limit)
    const piece = furthest(search, starts.filter((offset) => clusters[lowerBound(clusters, offset)] === offset))
    if (piece !== undefined) return piece
  }
  while (clusters.length === 0 && limit < end) {
    limit = Math.min(end, start + 2 * (limit - start))
    clusters = clustersBefore(limit)
  }
  return measure.piece(start, clusters[0] ?? end)
}

/**
 * The Pieces of a span that is not blank.
 *
 * @since 0.1.0
 * @category cutting
 */
export const cut = ({ end, measure, seams, start }: Cuttable): ReadonlyArray<Piece> => {
  const { text, top } = measure
  const last = lastInk(text, start, end)
  const kinds = (seams.length === 0 ? [[]] : seams).map((offsets) => [...offsets.filter((at) => at <= last), end])
  const pieces: Array<Piece> = []
  let rate = firstRate
  for (let from = start; from < end;) {
    const [body] = bodySpan(text, top, from, last + 1)
    const search: Search = { measure, start: from, body, ink: firstInk(text, body, end), limit: end + 1, rate }
    let piece: Piece | undefined
    for (const ends of kinds) piece ??= furthest(search, ends)
    piece ??= withinLine(search, end)
    pieces.push(piece)
    from = piece.end
    rate = search.rate
  }
  return pieces
}
