/**
 * Places in a transcript: whether a file is still the one that a cursor was taken of, and the lines between two places.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { Cursor } from "../../../src/domain/Cursor.ts"
import { Sha256 } from "../../../src/domain/Ids.ts"
import * as Lines from "../../../src/log/Lines.ts"
import { Signal } from "../../../src/stream/Fold.ts"
import { maxLineBytes } from "../../../src/transcript/Reader.ts"
import type { FileError, OpenFile } from "./File.ts"

const blockSize = 64 * 1024
const tailSize = 4096

/**
 * All of the bytes of a stretch; fewer, where the file has become shorter.
 *
 * @since 0.1.0
 * @category reading
 */
export const bytesOf = (file: OpenFile, from: number, length: number): Effect.Effect<Uint8Array, FileError> =>
  Effect.gen(function*() {
    const bytes = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const piece = yield* file.read(from + filled, length - filled)
      if (piece.length === 0) break
      bytes.set(piece, filled)
      filled += piece.length
    }
    return bytes.subarray(0, filled)
  })

const tailHash = (file: OpenFile, offset: number): Effect.Effect<Sha256, FileError> => {
  const from = Math.max(0, offset - tailSize)
  return Effect.map(bytesOf(file, from, offset - from), (bytes) => Sha256.make(hash("sha256", bytes, "hex")))
}

/**
 * The cursor that stands at this place.
 *
 * @since 0.1.0
 * @category cursors
 */
export const cursorAt = (
  file: OpenFile,
  path: string,
  offset: number,
  next_seq: number
): Effect.Effect<Cursor, FileError> =>
  Effect.map(tailHash(file, offset), (tail_sha256) => new Cursor({ path, offset, tail_sha256, next_seq }))

/**
 * Whether what is before the cursor is what was there when it was taken.
 *
 * @since 0.1.0
 * @category cursors
 */
export const fits = (file: OpenFile, path: string, cursor: Cursor): Effect.Effect<boolean, FileError> =>
  cursor.path === path && cursor.offset <= file.size
    ? Effect.map(tailHash(file, cursor.offset), (tail) => tail === cursor.tail_sha256)
    : Effect.succeed(false)

/**
 * How far lines were read: what is behind `position` was not read at all, `lines` holds what is open.
 *
 * @since 0.1.0
 * @category models
 */
export interface Front {
  readonly position: number
  readonly lines: Lines.State
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const frontAt = (offset: number): Front => ({ position: offset, lines: Lines.initial(offset) })

const step = Lines.step(maxLineBytes)

/**
 * The lines of the next block, up to a place; undefined where there are no more bytes.
 *
 * @since 0.1.0
 * @category reading
 */
export const nextLines = (
  file: OpenFile,
  { lines, position }: Front,
  to: number
): Effect.Effect<readonly [Front, ReadonlyArray<Lines.Line>] | undefined, FileError> => {
  const length = Math.min(blockSize, to - position)
  if (length <= 0) return Effect.succeed(undefined)
  return Effect.map(file.read(position, length), (bytes) => {
    if (bytes.length === 0) return undefined
    const [open, found] = step(lines, Signal.Batch({ items: [bytes] }))
    return [{ position: position + bytes.length, lines: open }, found] as const
  })
}

/**
 * The line that no line feed has closed yet.
 *
 * @since 0.1.0
 * @category reading
 */
export const openLine = ({ lines }: Front): Lines.Line | undefined => step(lines, Signal.Flush())[1][0]

/**
 * Folds the closed lines that stand wholly within a stretch. What begins before it is left out, unless it is the file's
 * front.
 *
 * @since 0.1.0
 * @category reading
 */
export const foldLines = <A>(
  file: OpenFile,
  from: number,
  to: number,
  initial: A,
  add: (a: A, line: Lines.Line) => A
): Effect.Effect<A, FileError> =>
  Effect.gen(function*() {
    let folded = initial
    let front = frontAt(Math.max(0, from - 1))
    for (;;) {
      const next = yield* nextLines(file, front, to)
      if (next === undefined) return folded
      front = next[0]
      for (const line of next[1]) if (line.offset >= from) folded = add(folded, line)
    }
  })
