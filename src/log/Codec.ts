/**
 * A log record as a line of bytes, and back. Pure: what a fault means (a torn tail, damage, a newer log) is decided by
 * who knows where the line stood.
 *
 * The checksum is the last member, `,"crc":"1a2b3c4d"`, eight lower-case hex digits of the CRC-32 (zlib) over the
 * line's bytes with that member taken out and without the line feed. So it is checked before anything is parsed, and
 * `jq` still reads the line.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { crc32 } from "node:zlib"
import { LogRecordTooLarge } from "../domain/LogErrors.ts"
import { bodies, formatVersion, LogRecord } from "../domain/LogRecord.ts"

/**
 * Longest line of the log, line feed included, in bytes: 32 MiB. Above it nothing is written, and nothing is held in
 * memory when reading.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxLineBytes = 32 * 1024 * 1024

/**
 * Why bytes are no record. `BadChecksum`: they are not what was written. `Malformed`: they are, and are no line of
 * this format. `Unknown`: they are a line of a version or kind that is not known here.
 *
 * @since 0.1.0
 * @category models
 */
export type LineFault = Data.TaggedEnum<{
  BadChecksum: { readonly detail: string }
  Malformed: { readonly detail: string }
  Unknown: { readonly detail: string }
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const LineFault = Data.taggedEnum<LineFault>()

const crcMember = /^,"crc":"([0-9a-f]{8})"\}$/
const crcMemberBytes = 18
const closingBrace = Buffer.from("}")

const hex = (crc: number): string => crc.toString(16).padStart(8, "0")

const encodeRecord = Schema.encodeEither(LogRecord)
const decodeRecord = Schema.decodeUnknownEither(LogRecord)

/**
 * The record's line, line feed included. It fails where the line would be too long, or where the record breaks its
 * own schema (a lone surrogate in a text, say).
 *
 * @since 0.1.0
 * @category encoding
 */
export const encode = (record: LogRecord): Either.Either<Uint8Array, LogRecordTooLarge | ParseResult.ParseError> =>
  Either.flatMap(encodeRecord(record), (encoded) => {
    const json = JSON.stringify(encoded)
    const line = Buffer.from(`${json.slice(0, -1)},"crc":"${hex(crc32(json))}"}\n`)
    return line.length > maxLineBytes
      ? Either.left(new LogRecordTooLarge({ kind: record.kind, bytes: line.length, limit: maxLineBytes }))
      : Either.right(line)
  })

const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const parse = (bytes: Uint8Array): Either.Either<unknown, LineFault> =>
  Either.try({
    try: (): unknown => JSON.parse(text.decode(bytes)),
    catch: (cause) => LineFault.Malformed({ detail: `not JSON in UTF-8 (${String(cause)})` })
  })

const known = (kind: unknown): boolean =>
  Predicate.isString(kind) && (Object.hasOwn(bodies, kind) || kind.startsWith("x-"))

/**
 * The record that these bytes (without the line feed) are, or why they are none.
 *
 * @since 0.1.0
 * @category decoding
 */
export const decode = (line: Uint8Array): Either.Either<LogRecord, LineFault> =>
  Either.gen(function*() {
    const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength)
    const end = bytes.length - crcMemberBytes
    const written = crcMember.exec(bytes.toString("latin1", Math.max(end, 0)))?.[1]
    if (written === undefined) return yield* Either.left(LineFault.BadChecksum({ detail: "no checksum at its end" }))
    const found = hex(crc32(closingBrace, crc32(bytes.subarray(0, end))))
    if (found !== written) {
      return yield* Either.left(
        LineFault.BadChecksum({ detail: `its checksum is ${found}, it was written as ${written}` })
      )
    }
    const json = yield* parse(bytes)
    if (!Predicate.isRecord(json)) return yield* Either.left(LineFault.Malformed({ detail: "not a JSON object" }))
    if (json["v"] !== formatVersion) {
      return yield* Either.left(LineFault.Unknown({ detail: `format version ${JSON.stringify(json["v"])}` }))
    }
    if (!known(json["kind"])) {
      return yield* Either.left(LineFault.Unknown({ detail: `kind ${JSON.stringify(json["kind"])}` }))
    }
    return yield* Either.mapLeft(
      decodeRecord(json),
      (error) => LineFault.Malformed({ detail: ParseResult.TreeFormatter.formatErrorSync(error) })
    )
  })
