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
 * A span in which no Piece ends that began in it, as long as anything behind it fits.
 *
 * @since 0.1.0
 * @category models
 */
export interface Glued {
  readonly start: number
  readonly end: number
}

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
  /** Ascending and disjoint; where one ends, another may begin. */
  readonly glued?: ReadonlyArray<Glued>
}

/** The search for the end of one Piece; it learns as it counts. */
interface Search {
  readonly measure: Measure
  readonly start: number
  /** Where the body begins, behind blank lines and what is not embedded. */
  readonly body: number
  /** The first unit of the body that is not blank. */
  readonly ink: number
  /** An end must lie behind this: the ink, or what is glued to it. */
  behind: number
  /** An end that is known not to fit. */
  limit: number
  /** Units a token, as last seen. */
  rate: number
}

const furthest = (search: Search, ends: ReadonlyArray<number>): Piece | undefined => {
  const { behind, ink, measure, start } = search
  const { max_characters, max_tokens } = measure.budget
  let best: Piece | undefined
  let low = lowerBound(ends, behind + 1)
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

/** Where clusters begin behind the search's bound and before `limit`. Blanks stay with what precedes them. */
const clustersBefore = ({ behind, body, measure: { text } }: Search, limit: number): ReadonlyArray<number> =>
  behind >= limit ? [] : clusterStarts(text, body, limit).filter((offset, i, starts) => {
    const blank = isBlankAt(text, offset) && ((starts[i + 1] ?? limit) === offset + 1 || isBlankAt(text, offset + 1))
    return offset > behind && !blank
  })

/** The seams failed: the furthest Piece that ends within its first line. */
const withinLine = (search: Search): Piece | undefined => {
  const { body, measure: { text } } = search
  const clusters = clustersBefore(search, search.limit)
  if (clusters.length === 0) return undefined
  for (const startsOf of [sentenceStarts, wordStarts, () => clusters]) {
    const starts = startsOf(text, body, search.limit)
    const piece = furthest(search, starts.filter((offset) => clusters[lowerBound(clusters, offset)] === offset))
    if (piece !== undefined) return piece
  }
  return undefined
}

/** Nothing fits: the first cluster, with the blanks around it. */
const oneCluster = (search: Search, end: number): Piece => {
  const { measure, start } = search
  let { limit } = search
  let [next] = clustersBefore(search, limit)
  while (next === undefined && limit < end) {
    limit = Math.min(end, start + 2 * (limit - start))
    next = clustersBefore(search, limit)[0]
  }
  return measure.piece(start, next ?? end)
}

/** Where the spans end that are glued to an offset, one to the other; the offset itself if there is none. */
const gluedTo = (glued: ReadonlyArray<Glued>) => {
  const ends = glued.map(({ end }) => end)
  return (offset: number): number => {
    let to = offset
    for (let i = lowerBound(ends, offset + 1); i < glued.length; i += 1) {
      const span = glued[i]
      if (span === undefined || span.start > to) break
      to = span.end
    }
    return to
  }
}

/**
 * The Pieces of a span that is not blank.
 *
 * @since 0.1.0
 * @category cutting
 */
export const cut = ({ end, glued = [], measure, seams, start }: Cuttable): ReadonlyArray<Piece> => {
  const { text, top } = measure
  const last = lastInk(text, start, end)
  const kinds = (seams.length === 0 ? [[]] : seams).map((offsets) => [...offsets.filter((at) => at <= last), end])
  const keptWith = gluedTo(glued)
  const pieces: Array<Piece> = []
  let rate = firstRate
  for (let from = start; from < end;) {
    const [body] = bodySpan(text, top, from, last + 1)
    const ink = firstInk(text, body, end)
    const kept = Math.max(ink, keptWith(from))
    const search: Search = { measure, start: from, body, ink, behind: kept, limit: end + 1, rate }
    const fitting = (): Piece | undefined => {
      let piece: Piece | undefined
      for (const ends of kinds) piece ??= furthest(search, ends)
      return piece ?? withinLine(search)
    }
    let piece = fitting()
    if (piece === undefined && kept > ink) {
      search.behind = ink
      piece = fitting()
    }
    piece ??= oneCluster(search, end)
    pieces.push(piece)
    from = piece.end
    rate = search.rate
  }
  return pieces
}
