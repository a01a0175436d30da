/**
 * The reading of one transcript: all of it, or what was added behind a cursor. Memory is that of one batch, whatever the
 * file's size; and what was added costs what was added, and a bounded look back.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { RecordSourceError } from "../../../src/domain/ConnectorErrors.ts"
import type { Cursor } from "../../../src/domain/Cursor.ts"
import { Record } from "../../../src/domain/Record.ts"
import type { SessionItem } from "../../../src/domain/SessionRead.ts"
import type { Line } from "../../../src/log/Lines.ts"
import type { TranscriptFile } from "../../../src/transcript/Draft.ts"
import type { Format } from "../../../src/transcript/Format.ts"
import { isObject } from "../../../src/transcript/Json.ts"
import * as Reader from "../../../src/transcript/Reader.ts"
import { parse } from "../../../src/transcript/Salvage.ts"
import { reach } from "../../../src/transcript/Window.ts"
import { type FileError, Files, type OpenFile, unreadable } from "./File.ts"
import { cursorAt, fits, foldLines, type Front, frontAt, nextLines, openLine } from "./Position.ts"

/**
 * What is read, and how.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reading<S> {
  readonly format: Format<S>
  readonly file: TranscriptFile
  /** What an output that stands in a file of its own becomes. */
  readonly fetchSaved?: (elsewhere: Reader.Elsewhere) => Effect.Effect<ReadonlyArray<SessionItem>>
  /** Where what is no copy of another transcript begins. */
  readonly beginsAt?: (file: OpenFile) => Effect.Effect<number, FileError>
}

/** A batch, and with it a cursor, comes after so many Records or bytes. */
const enoughItems = 256
const enoughBytes = 1024 * 1024

interface At<S> {
  readonly front: Front
  readonly state: Reader.State<S>
  /** The byte behind the last line feed that was read. */
  readonly offset: number
}

const endOf = (line: Line): number =>
  line.offset + (line._tag === "Line" ? line.bytes.length : line.length) + (line.terminated ? 1 : 0)

/** What a line that is not closed yet says, where it could be a whole one. Nothing of it is remembered. */
const pending = <S>(reading: Reading<S>, { front, state }: At<S>): ReadonlyArray<Reader.Said> => {
  const line = openLine(front)
  if (line?._tag !== "Line") return []
  const json = parse(line.bytes)
  return json._tag === "Right" && isObject(json.right) ? Reader.step(reading.format, reading.file)(state, line)[1] : []
}

/** What a reader knows who comes to this place: of the file's head, of the lines in reach, of all that lie ahead. */
const stateAt = <S>({ file, format }: Reading<S>, open: OpenFile, offset: number, seq: number) =>
  Effect.gen(function*() {
    const step = Reader.step(format, file)
    const through = (state: Reader.State<S>, line: Line) => step(state, line)[0]
    const { head, survey } = format
    const initial = Reader.initial(format)
    const ahead = survey === undefined ? initial : {
      ...initial,
      format: yield* foldLines(
        open,
        offset,
        open.size,
        initial.format,
        (state, line) => line._tag === "Line" ? survey(state, line) : state
      )
    }
    const back = Math.max(0, offset - reach)
    const near = back <= head ? 0 : back
    const begun = near === 0 ? ahead : yield* foldLines(open, 0, head, ahead, through)
    const state = yield* foldLines(open, near, offset, begun, through)
    return { ...state, seq }
  })

const add = <S>(
  { fetchSaved }: Reading<S>,
  said: ReadonlyArray<Reader.Said>,
  into: Array<SessionItem>
): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (const one of said) {
      if (!("_tag" in one)) into.push(one)
      else if (fetchSaved !== undefined) into.push(...(yield* fetchSaved(one)))
    }
  })

/** The next batch; nothing, where there are no more bytes. */
const batch = <S>(reading: Reading<S>, open: OpenFile, begin: At<S>, beginsAt: number) =>
  Effect.gen(function*() {
    const step = Reader.step(reading.format, reading.file)
    const items: Array<SessionItem> = []
    let { front, offset, state } = begin
    const isEnough = () => offset >= beginsAt && (items.length >= enoughItems || offset - begin.offset >= enoughBytes)
    let next = yield* nextLines(open, front, open.size)
    while (next !== undefined) {
      front = next[0]
      for (const line of next[1]) {
        const [after, said] = step(state, line)
        const isCopy = line.offset < beginsAt
        state = isCopy ? { ...after, seq: state.seq } : after
        offset = endOf(line)
        if (!isCopy) yield* add(reading, said, items)
      }
      if (isEnough()) break
      next = yield* nextLines(open, front, open.size)
    }
    const ended = next === undefined || front.position >= open.size
    const at: At<S> = { front, state, offset }
    if (ended) yield* add(reading, pending(reading, at), items)
    items.push(yield* cursorAt(open, reading.file.path, offset, state.seq))
    return [Chunk.unsafeFromArray(items), ended ? Option.none<At<S>>() : Option.some(at)] as const
  })

/**
 * What the transcript holds behind the cursor, and all of it where there is none, or it no longer fits.
 *
 * @since 0.1.0
 * @category constructors
 */
export const items = <S>(
  reading: Reading<S>,
  cursor: Cursor | undefined
): Stream.Stream<SessionItem, RecordSourceError> =>
  Effect.gen(function*() {
    const { path } = reading.file
    const open = yield* (yield* Files).open(path)
    const fitting = cursor !== undefined && (yield* fits(open, path, cursor)) ? cursor : undefined
    const offset = fitting?.offset ?? 0
    if (offset === open.size) return Stream.empty
    const state = yield* stateAt(reading, open, offset, fitting?.next_seq ?? 0)
    const beginsAt = fitting === undefined && reading.beginsAt !== undefined ? yield* reading.beginsAt(open) : 0
    const begin: At<S> = { front: frontAt(offset), state, offset }
    return Stream.paginateChunkEffect(begin, (at) => batch(reading, open, at, beginsAt))
  }).pipe(
    Stream.unwrapScoped,
    Stream.mapError(unreadable(reading.file.path))
  )

/**
 * The Records alone, of the whole transcript; what became none is logged.
 *
 * @since 0.1.0
 * @category constructors
 */
export const recordsOf = <S>(reading: Reading<S>): Stream.Stream<Record, RecordSourceError> =>
  items(reading, undefined).pipe(
    Stream.mapChunksEffect((chunk) =>
      Effect.as(
        Effect.forEach(
          chunk,
          (item) =>
            "reason" in item
              ? Effect.logWarning(`${item.path}: ${item.byte_length} bytes at ${item.byte_offset}: ${item.detail}`)
              : Effect.void,
          { discard: true }
        ),
        Chunk.filter(chunk, (item) => item instanceof Record)
      )
    )
  )
