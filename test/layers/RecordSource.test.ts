import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Jsonl from "../../layers/RecordSource/Jsonl.ts"
import type { LineSource } from "../../layers/RecordSource/LineSource.ts"
import * as TextLines from "../../layers/RecordSource/TextLines.ts"
import { VecSource } from "../../layers/RecordSource/Vec.ts"
import type { RecordSource } from "../../services/RecordSource.ts"
import type { RecordSourceError } from "../../src/domain/ConnectorErrors.ts"
import { Record } from "../../src/domain/Record.ts"
import { contract } from "../contracts/RecordSource.ts"

const encode = Schema.encodeSync(Schema.parseJson(Record))

const source = (
  content: string | Uint8Array,
  onBadLine: LineSource["onBadLine"] = Effect.fail
): LineSource => ({ file: "a.jsonl", bytes: Stream.make(new Uint8Array(Buffer.from(content))), onBadLine })

contract("Vec", VecSource)
contract("Jsonl", (records) => Jsonl.layer(source(records.map((record) => `${encode(record)}\n`).join(""))))

/** What came, in order: the text of a Record, or the message of the failure that ended it. */
const read = (make: (source: LineSource) => RecordSource["Type"], from: LineSource) =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    const result = yield* make(from).records.pipe(
      Stream.runForEach(({ text }) => Effect.sync(() => seen.push(text))),
      Effect.either
    )
    return Either.match(result, { onLeft: ({ message }) => [...seen, `! ${message}`], onRight: () => seen })
  })

const one = (make: (source: LineSource) => RecordSource["Type"], content: string) =>
  Effect.map(Stream.runCollect(make(source(content)).records), Chunk.toReadonlyArray)

describe("RecordSource/Jsonl", () => {
  it.effect("needs the text alone: the key is file and line, the rest the defaults of a Record", () =>
    Effect.gen(function*() {
      const records = yield* one(Jsonl.make, "{\"text\":\"a\"}\n\n{\"text\":\"b\",\"role\":\"tool\"}")
      assert.deepStrictEqual(
        records.map(({ key, role, seq, session_key, source }) => [key, role, seq, session_key, source]),
        [["a.jsonl:1", "user", 1, "a.jsonl", "jsonl"], ["a.jsonl:3", "tool", 3, "a.jsonl", "jsonl"]]
      )
      assert.deepStrictEqual(records.map(({ at, derived, kind }) => [kind, derived, at]), [
        ["text", false, null],
        ["text", false, null]
      ])
    }))

  it.effect("bears a BOM, CRLF, blank lines and a last line without an end", () =>
    Effect.map(
      read(Jsonl.make, source("\uFEFF{\"text\":\"a\"}\r\n \t\r\n{\"text\":\"b\"}\r\n{\"text\":\"c\"}")),
      (seen) => assert.deepStrictEqual(seen, ["a", "b", "c"])
    ))

  it.effect("makes a text well-formed", () =>
    Effect.map(
      read(Jsonl.make, source("{\"text\":\"a\\ud83d\"}\n")),
      (seen) => assert.deepStrictEqual(seen, ["a\uFFFD"])
    ))

  it.effect("lets no key of a line reach a prototype", () =>
    Effect.gen(function*() {
      const [record] = yield* one(Jsonl.make, "{\"__proto__\":{\"role\":\"tool\"},\"constructor\":1,\"text\":\"a\"}")
      assert.strictEqual(record?.role, "user")
      assert.instanceOf(record, Record)
    }))

  const badLines: ReadonlyArray<readonly [line: string | Uint8Array, says: RegExp]> = [
    ["nonsense", /^! a\.jsonl:2: not JSON \(.*\); one JSON object a line is expected, with a "text"/],
    ["{\"text\":\"cut", /^! a\.jsonl:2: not JSON/],
    ["42", /^! a\.jsonl:2: not a JSON object;/],
    ["[{\"text\":\"a\"}]", /^! a\.jsonl:2: not a JSON object;/],
    ["null", /^! a\.jsonl:2: not a JSON object;/],
    ["{}", /^! a\.jsonl:2: it has no "text" \(it has nothing\); one JSON object a line is expected/],
    ["{\"role\":1,\"content\":2}", /^! a\.jsonl:2: it has no "text" \(it has role, content\);/],
    ["{\"text\":1}", /^! a\.jsonl:2: its "text" is no string;/],
    [
      "{\"text\":\"a\",\"role\":\"human\"}",
      /^! a\.jsonl:2: role: expected one of user, assistant, tool, system, found "human"; correct it/
    ],
    ["{\"text\":\"a\",\"key\":\"\"}", /^! a\.jsonl:2: key: /],
    [Buffer.from("{\"text\":\"\xff\"}", "latin1"), /^! a\.jsonl:2: not UTF-8; convert the file to UTF-8$/]
  ]

  it.effect("fails at a bad line with its number and the reason, after the Records before it", () =>
    Effect.forEach(badLines, ([line, says]) =>
      Effect.gen(function*() {
        const content = Buffer.concat(
          ["{\"text\":\"a\"}\n", line, "\n{\"text\":\"b\"}\n"].map((part) => Buffer.from(part))
        )
        const [text, failure = "", ...rest] = yield* read(Jsonl.make, source(content))
        assert.strictEqual(text, "a")
        assert.match(failure, says)
        assert.deepStrictEqual(rest, [])
      }), { discard: true }))

  it.effect("calls a line bad whose members are nested beyond any stack, and shortens what it shows of one", () =>
    Effect.gen(function*() {
      const deep = `{"text":"a","meta":${"{\"cwd\":".repeat(100_000)}1${"}".repeat(100_000)}}`
      const [first = ""] = yield* read(Jsonl.make, source(deep))
      assert.match(first, /^! a\.jsonl:1: (meta|a member of it is nested too deep)/)
      const [second = ""] = yield* read(Jsonl.make, source(`{"text":"a","role":"${"x".repeat(1_000_000)}"}`))
      assert.isBelow(second.length, 400)
    }))

  it.effect("hands each bad line over at its place, and goes on if it may", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const note = (error: RecordSourceError) => Effect.sync(() => void seen.push(`bad ${error.position}`))
      const content = "x\n{\"text\":\"a\"}\ny\nz\n{\"text\":\"b\"}\n"
      yield* Jsonl.make(source(content, note)).records.pipe(
        Stream.rechunk(1),
        Stream.runForEach(({ text }) => Effect.sync(() => seen.push(text)))
      )
      assert.deepStrictEqual(seen, ["bad 1", "a", "bad 3", "bad 4", "b"])
    }))

  it.effect("names a line that is too long, and reads the next one", () =>
    Effect.gen(function*() {
      const mebibyte = new Uint8Array(1024 * 1024).fill(0x61)
      const bad: Array<string> = []
      const records = Jsonl.make({
        file: "a.jsonl",
        bytes: Stream.concat(
          Stream.fromIterable(Array.from({ length: 33 }, () => mebibyte)),
          Stream.make(new Uint8Array(Buffer.from("\n{\"text\":\"b\"}\n")))
        ),
        onBadLine: ({ message }) => Effect.sync(() => void bad.push(message))
      }).records
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(yield* Stream.runCollect(records)).map(({ key }) => key),
        ["a.jsonl:2"]
      )
      assert.deepStrictEqual(bad, [
        "a.jsonl:1: a line of 34603008 bytes; 33554432 is the most that a record may have"
      ])
    }))
})

describe("RecordSource/TextLines", () => {
  const lines = FastCheck.array(FastCheck.fullUnicodeString().map((text) => text.replaceAll(/[\n\r]/g, "")))

  it.effect.prop("is a Record a line, blank ones too", [lines], ([lines]) =>
    Effect.gen(function*() {
      const seen = yield* read(TextLines.make, source(lines.map((line) => `${line}\n`).join("")))
      assert.deepStrictEqual(seen, lines)
    }))

  it.effect("is keyed by file and line", () =>
    Effect.map(
      one(TextLines.make, "a\n\nb"),
      (records) => assert.deepStrictEqual(records.map(({ key }) => key), ["a.jsonl:1", "a.jsonl:2", "a.jsonl:3"])
    ))

  it.effect("says which line is not UTF-8", () =>
    Effect.map(
      read(TextLines.make, source(Buffer.from("a\n\xff\n", "latin1"))),
      (seen) => assert.deepStrictEqual(seen, ["a", "! a.jsonl:2: not UTF-8; convert the file to UTF-8"])
    ))
})
