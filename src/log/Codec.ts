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
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { crc32 } from "node:zlib"
import { LogRecordTooLarge } from "../domain/LogErrors.ts"
import { Extension, formatVersion, LogRecord } from "../domain/LogRecord.ts"
import { compile } from "./Compiled.ts"

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

interface KindCodec {
  /** The JSON that the record is, its keys in order; nothing where the schema has to be asked. */
  readonly quickEncode: (record: unknown) => Option.Option<unknown>
  readonly quickDecode: (json: unknown) => Option.Option<LogRecord>
  readonly decode: (json: unknown) => Either.Either<LogRecord, ParseResult.ParseError>
}

const codecOf = (member: Schema.Schema.AnyNoContext): KindCodec => ({
  quickEncode: compile(Schema.encodedBoundSchema(member)),
  quickDecode: compile(member),
  decode: Schema.decodeUnknownEither(member)
})

/** By kind: a union would try one after the other, and report of each why it is not that. */
const codecs: ReadonlyMap<unknown, KindCodec> = new Map(
  LogRecord.members.flatMap((member) => {
    const { ast } = member.fields.kind
    return AST.isLiteral(ast) ? [[ast.literal, codecOf(member)] as const] : []
  })
)

const extension = codecOf(Extension)

const codec = (kind: unknown): KindCodec => codecs.get(kind) ?? extension

const encodeSlowly = Schema.encodeEither(LogRecord)

const encodeRecord = (record: LogRecord): Either.Either<unknown, ParseResult.ParseError> => {
  const quick = codec(record.kind).quickEncode(record)
  return Option.isSome(quick) ? Either.right(quick.value) : encodeSlowly(record)
}

const decodeRecord = (kind: unknown, json: unknown): Either.Either<LogRecord, ParseResult.ParseError> => {
  const { decode, quickDecode } = codec(kind)
  const quick = quickDecode(json)
  return Option.isSome(quick) ? Either.right(quick.value) : decode(json)
}

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

const checksumFault = (bytes: Buffer): LineFault | undefined => {
  const end = bytes.length - crcMemberBytes
  const written = crcMember.exec(bytes.toString("latin1", Math.max(end, 0)))?.[1]
  if (written === undefined) return LineFault.BadChecksum({ detail: "no checksum at its end" })
  const found = crc32(closingBrace, crc32(bytes.subarray(0, end)))
  return found === Number.parseInt(written, 16)
    ? undefined
    : LineFault.BadChecksum({ detail: `its checksum is ${hex(found)}, it was written as ${written}` })
}

const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const parse = (bytes: Uint8Array): Either.Either<unknown, LineFault> =>
  Either.try({
    try: (): unknown => JSON.parse(text.decode(bytes)),
    catch: (cause) => LineFault.Malformed({ detail: `not JSON in UTF-8 (${String(cause)})` })
  })

const known = (kind: unknown): boolean => codecs.has(kind) || (Predicate.isString(kind) && kind.startsWith("x-"))

const recordOf = (json: unknown): Either.Either<LogRecord, LineFault> => {
  if (!Predicate.isRecord(json)) return Either.left(LineFault.Malformed({ detail: "not a JSON object" }))
  const { kind, v } = json
  if (v !== formatVersion) {
    return Either.left(LineFault.Unknown({ detail: `format version ${JSON.stringify(v)}` }))
  }
  if (!known(kind)) return Either.left(LineFault.Unknown({ detail: `kind ${JSON.stringify(kind)}` }))
  const decoded = decodeRecord(kind, json)
  return Either.isRight(decoded)
    ? Either.right(decoded.right)
    : Either.left(LineFault.Malformed({ detail: ParseResult.TreeFormatter.formatErrorSync(decoded.left) }))
}

/**
 * The record that these bytes (without the line feed) are, or why they are none.
 *
 * @since 0.1.0
 * @category decoding
 */
export const decode = (line: Uint8Array): Either.Either<LogRecord, LineFault> => {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength)
  const fault = checksumFault(bytes)
  if (fault !== undefined) return Either.left(fault)
  const json = parse(bytes)
  return Either.isRight(json) ? recordOf(json.right) : Either.left(json.left)
}
