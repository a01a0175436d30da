import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { readFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import { ConnectorName, DocId, RecordKey, Seq, Timestamp } from "../../src/domain/Ids.ts"
import type { LogRecord } from "../../src/domain/LogRecord.ts"
import { bodies } from "../../src/domain/LogRecord.ts"
import { Record } from "../../src/domain/Record.ts"
import { Exclusion } from "../../src/domain/Reference.ts"
import * as Codec from "../../src/log/Codec.ts"
import { records } from "../fixtures/golden/records.ts"

const golden = readFileSync(new URL("../fixtures/golden/log.jsonl", import.meta.url))

const goldenLines = golden.toString("utf8").split("\n").slice(0, -1).map((line) => Buffer.from(line))

const encoded = (record: LogRecord): Buffer => Buffer.from(Either.getOrThrow(Codec.encode(record)))

const withoutLineFeed = (line: Buffer): Buffer => line.subarray(0, -1)

/** A line with a right checksum around whatever JSON: what another program, or a later version, might write. */
const sealed = (json: string): Buffer =>
  Buffer.from(`${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}`)

const fault = (line: Uint8Array): string =>
  Either.match(Codec.decode(line), { onLeft: ({ _tag, detail }) => `${_tag}: ${detail}`, onRight: () => "a record" })

const exclusion = (doc_id: string): LogRecord => ({
  v: 1,
  seq: Seq.make(7),
  at: Timestamp.make("2026-11-29T20:00:00.000Z"),
  kind: "exclusion",
  body: new Exclusion({ connector: ConnectorName.make("notes"), doc_id: DocId.make(doc_id), excluded: true })
})

const textRecord = (text: string): LogRecord => ({
  v: 1,
  seq: Seq.make(7),
  at: Timestamp.make("2026-11-29T20:00:00.000Z"),
  kind: "record",
  body: new Record({ key: RecordKey.make("k"), text })
})

const anyText = FastCheck.oneof(
  FastCheck.fullUnicodeString(),
  FastCheck.stringOf(
    FastCheck.constantFrom("\n", "\r", "\u2028", "\"", "\\", "}", ",\"crc\":\"00000000\"}", "\0", "é", "😀")
  )
)

describe("the golden log", () => {
  it("encodes to its bytes", () => {
    assert.deepStrictEqual(Buffer.concat(records.map(encoded)), golden)
  })

  it("decodes to its values", () => {
    const decoded = goldenLines.map((line) => Either.getOrThrow(Codec.decode(line)))
    assert.deepStrictEqual(decoded, records)
  })

  it("holds every kind of line", () => {
    const kinds = new Set<string>(records.map(({ kind }) => kind))
    assert.deepStrictEqual(Object.keys(bodies).filter((kind) => !kinds.has(kind)), [])
  })

  it("keeps the keys of front matter, and pollutes nothing with them", () => {
    const commit = records[5]
    assert.isTrue(commit?.kind === "commit" && Object.hasOwn(Object(commit.body.meta), "__proto__"))
    assert.isFalse("title" in Object.prototype)
  })
})

describe("encode", () => {
  it.prop("is one line, and decodes to the same record", [anyText], ([text]) => {
    const line = encoded(textRecord(text))
    assert.strictEqual(line.indexOf("\n"), line.length - 1)
    assert.deepStrictEqual(Either.getOrThrow(Codec.decode(withoutLineFeed(line))), textRecord(text))
  })

  it("refuses a record above the limit, and takes one just below it", () => {
    const frame = encoded(textRecord("")).length
    const most = encoded(textRecord("a".repeat(Codec.maxLineBytes - frame)))
    assert.strictEqual(most.length, Codec.maxLineBytes)
    const over = Codec.encode(textRecord("a".repeat(Codec.maxLineBytes - frame + 1)))
    assert.strictEqual(
      Either.match(over, { onLeft: ({ message }) => message, onRight: () => "taken" }),
      `a record record of ${Codec.maxLineBytes + 1} bytes is above the log's limit of ${Codec.maxLineBytes}; `
        + "leave out what it came from, or split it at the source"
    )
  })

  it("refuses a lone surrogate that came round the schema", () => {
    const record = textRecord("")
    assert.isTrue(record.kind === "record")
    const smuggled = new Record({ key: RecordKey.make("k"), text: "\uD800" }, { disableValidation: true })
    assert.isTrue(Either.isLeft(Codec.encode({ ...textRecord(""), kind: "record", body: smuggled })))
  })
})

describe("decode", () => {
  it("notices every single flipped bit", () => {
    const line = withoutLineFeed(encoded(exclusion("é")))
    for (let bit = 0; bit < line.length * 8; bit++) {
      const flipped = Buffer.from(line)
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.match(fault(flipped), /^BadChecksum/, `bit ${bit}`)
    }
  })

  it("takes no line that was cut, wherever", () => {
    const line = withoutLineFeed(encoded(exclusion("漢字 😀")))
    for (let length = 0; length < line.length; length++) {
      assert.match(fault(line.subarray(0, length)), /^BadChecksum/, `${length} bytes`)
    }
  })

  it("names both checksums", () => {
    const line = Buffer.from(withoutLineFeed(encoded(exclusion("a"))))
    line.write("b", line.indexOf("\"a\"") + 1)
    assert.match(fault(line), /^BadChecksum: its checksum is [0-9a-f]{8}, it was written as [0-9a-f]{8}$/)
  })

  it("takes the checksum only as the last member, in lower case", () => {
    const json = "{\"v\":1,\"seq\":1,\"at\":\"2026-11-29T20:00:00.000Z\",\"kind\":\"seal\",\"body\":{\"durable_to\":0}}"
    const crc = crc32(json).toString(16).padStart(8, "0")
    assert.strictEqual(fault(sealed(json)), "a record")
    assert.match(fault(Buffer.from(`${json.slice(0, -1)},"crc":"${crc}" }`)), /no checksum/)
    assert.match(fault(Buffer.from(`${json.slice(0, -1)},"crc":"${crc.toUpperCase()}"}`)), /BadChecksum/)
    assert.match(fault(Buffer.from(`{"crc":"${crc}",${json.slice(1)}`)), /no checksum/)
  })

  it("refuses what is whole and no line of this format, apart from what is newer", () => {
    const at = "\"at\":\"2026-11-29T20:00:00.000Z\""
    const seal = "\"body\":{\"durable_to\":0}"
    assert.match(fault(sealed(`{"v":1,"seq":0,${at},"kind":"seal",${seal}}`)), /^Malformed: .*seq/s)
    assert.match(fault(sealed(`{"v":1,"seq":1,${at},"kind":"seal","body":{}}`)), /^Malformed: .*durable_to/s)
    assert.match(fault(sealed("[1,2}")), /^Malformed: not JSON/)
    assert.match(fault(sealed(`{"v":2,"seq":1,${at},"kind":"seal",${seal}}`)), /^Unknown: format version 2$/)
    assert.match(fault(sealed(`{"v":1,"seq":1,${at},"kind":"sael",${seal}}`)), /^Unknown: kind "sael"$/)
    assert.match(fault(sealed(`{"v":1,"seq":1,${at},"kind":"toString",${seal}}`)), /^Unknown: kind "toString"$/)
    assert.strictEqual(fault(sealed(`{"v":1,"seq":1,${at},"kind":"x-later",${seal}}`)), "a record")
  })

  it("refuses bytes that are not UTF-8, however right their checksum is", () => {
    const [head, tail] = ["{\"v\":1,\"a\":\"", "\"}"].map((part) => Buffer.from(part, "latin1"))
    assert.isDefined(head)
    assert.isDefined(tail)
    const json = Buffer.concat([Buffer.from("{\"v\":1,\"a\":\""), Buffer.of(0xff), Buffer.from("\"}")])
    const crc = crc32(json).toString(16).padStart(8, "0")
    const line = Buffer.concat([json.subarray(0, -1), Buffer.from(`,"crc":"${crc}"}`)])
    assert.match(fault(line), /^Malformed: not JSON in UTF-8/)
  })
})
