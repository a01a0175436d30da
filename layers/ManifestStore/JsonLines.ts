/**
 * Files of one JSON object a line, read and made in slices: between two of them others get their turn, so that a
 * manifest of 100,000 lines stalls nobody.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { LogFile, LogFs } from "../../services/LogFs.ts"
import type { LogFsError } from "../../src/domain/LogErrors.ts"
import { maxLineBytes } from "../../src/log/Codec.ts"
import { type Line, lines } from "../../src/log/Lines.ts"

const pieceBytes = 128 * 1024
const sliceLines = 2000

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const bytesOf = (file: LogFile): Stream.Stream<Uint8Array, LogFsError> =>
  Stream.unfoldEffect(0, (offset) =>
    Effect.map(
      file.read(offset, pieceBytes),
      (piece) => piece.length === 0 ? Option.none() : Option.some([piece, offset + piece.length] as const)
    ))

const textOf = Option.liftThrowable((bytes: Uint8Array) => utf8.decode(bytes))

/**
 * What each line of the file says, a piece of the file at a time; none for a line that cannot be read: no such JSON,
 * not UTF-8, or the last one without its line feed.
 *
 * @since 0.1.0
 * @category reading
 */
export const read = <A, I>(
  fs: LogFs["Type"],
  path: string,
  schema: Schema.Schema<A, I>
): Stream.Stream<Option.Option<A>, LogFsError> => {
  const decode = Schema.decodeUnknownOption(Schema.parseJson(schema))
  const valueOf = (line: Line): Option.Option<A> =>
    line._tag === "Line" && line.terminated ? Option.flatMap(textOf(line.bytes), (text) => decode(text)) : Option.none()
  return fs.open(path, "read").pipe(
    Effect.map(bytesOf),
    Stream.unwrapScoped,
    lines(maxLineBytes),
    Stream.map(valueOf)
  )
}

/**
 * The entries' lines, each with these members in this order, sorted by id as UTF-16 units, which no language setting
 * changes; a slice at a time. Entries are flat, and valid since they were made: to encode each by its schema again
 * takes five times as long.
 *
 * @since 0.1.0
 * @category writing
 */
export const slices = function*<K extends string>(
  members: ReadonlyArray<string>,
  entries: ReadonlyMap<K, object>
): Generator<Uint8Array, void, void> {
  const order = Array.from(members)
  const ids = Array.from(entries.keys()).sort()
  for (let from = 0; from < ids.length; from += sliceLines) {
    const lines = ids.slice(from, from + sliceLines).map((id) => {
      // The caller may have taken it out since the last slice.
      const entry = entries.get(id)
      return entry === undefined ? "" : `${JSON.stringify(entry, order)}\n`
    })
    yield Buffer.from(lines.join(""))
  }
}
