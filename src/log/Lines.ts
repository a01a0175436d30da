/**
 * Splits bytes into lines, as a pure step. The line feed (0x0A) is the only separator, so text may hold any other kind
 * of line end. Every line knows its byte offset and whether a line feed closed it: for the log, a line without one
 * does not exist; for a transcript it is pending.
 *
 * A line above the limit is never held in memory: only its place and length are given out.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as List from "effect/List"
import type * as Stream from "effect/Stream"
import { fold, type Step } from "../stream/Fold.ts"

/**
 * `bytes` are those of the line without its line feed, `offset` is that of its first byte, `length` counts its bytes
 * without the line feed.
 *
 * @since 0.1.0
 * @category models
 */
export type Line = Data.TaggedEnum<{
  Line: { readonly bytes: Uint8Array; readonly offset: number; readonly terminated: boolean }
  TooLong: { readonly length: number; readonly offset: number; readonly terminated: boolean }
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const Line = Data.taggedEnum<Line>()

/**
 * The open line: where it began, how long it is, and its pieces, the newest first; no pieces once it is too long.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly offset: number
  readonly length: number
  readonly pieces: List.List<Uint8Array>
}

/**
 * Nothing read yet. `offset` is where the bytes begin in their file.
 *
 * @since 0.1.0
 * @category constructors
 */
export const initial = (offset: number): State => ({ offset, length: 0, pieces: List.nil() })

const lineFeed = 0x0a

const join = (pieces: List.List<Uint8Array>, length: number): Uint8Array => {
  if (List.isCons(pieces) && List.isNil(pieces.tail)) return pieces.head
  const bytes = new Uint8Array(length)
  let at = length
  for (const piece of pieces) bytes.set(piece, at -= piece.length)
  return bytes
}

/**
 * The step. `maxBytes` is the longest line that is given out whole.
 *
 * @since 0.1.0
 * @category steps
 */
export const step = (maxBytes: number): Step<State, Uint8Array, Line> => {
  const add = (state: State, piece: Uint8Array): State => {
    const length = state.length + piece.length
    return { ...state, length, pieces: length > maxBytes ? List.nil() : List.cons(piece, state.pieces) }
  }
  const close = ({ length, offset, pieces }: State, terminated: boolean): Line =>
    length > maxBytes
      ? Line.TooLong({ length, offset, terminated })
      : Line.Line({ bytes: join(pieces, length), offset, terminated })

  return (state, signal) => {
    if (signal._tag === "Flush") {
      return state.length === 0 ? [state, []] : [initial(state.offset + state.length), [close(state, false)]]
    }
    const lines: Array<Line> = []
    let open = state
    for (const bytes of signal.items) {
      let from = 0
      for (let to = bytes.indexOf(lineFeed); to >= 0; to = bytes.indexOf(lineFeed, from)) {
        const whole = add(open, bytes.subarray(from, to))
        lines.push(close(whole, true))
        open = initial(whole.offset + whole.length + 1)
        from = to + 1
      }
      if (from < bytes.length) open = add(open, bytes.subarray(from))
    }
    return [open, lines]
  }
}

/**
 * The lines of a stream of bytes, in the batches that the bytes came in.
 *
 * @since 0.1.0
 * @category combinators
 */
export const lines = (maxBytes: number) => <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Line, E, R> =>
  fold(initial(0), step(maxBytes))(bytes)
