/** The plain function against the schema that it was made of: they must make the same of everything. */
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { readFileSync } from "node:fs"
import { Extension, LogRecord } from "../../src/domain/LogRecord.ts"
import { Vector } from "../../src/domain/Reference.ts"
import { compile } from "../../src/log/Compiled.ts"
import { model, sha } from "../fixtures/LogGroups.ts"

const golden = readFileSync(new URL("../fixtures/golden/log.jsonl", import.meta.url), "utf8").split("\n").slice(0, -1)

const isObject = (json: unknown): json is { readonly [key: string]: unknown } =>
  typeof json === "object" && json !== null && !Array.isArray(json)

const parse = (line: string): { readonly [key: string]: unknown } => {
  const json: unknown = JSON.parse(line)
  return isObject(json) ? json : {}
}

/** A schema of the log, its two readings, and its two writings. */
const pair = (schema: Schema.Schema.AnyNoContext) => {
  const quick = compile(schema)
  const slow = Schema.decodeUnknownEither(schema)
  const quickly = compile(Schema.encodedBoundSchema(schema))
  const encode = Schema.encodeEither(schema)
  return {
    agrees: (json: unknown): boolean => {
      const read = quick(json)
      const expected = slow(json)
      assert.strictEqual(Option.isSome(read), Either.isRight(expected), JSON.stringify(json))
      if (Option.isNone(read) || Either.isLeft(expected)) return false
      assert.deepStrictEqual(read.value, expected.right)
      assert.strictEqual(JSON.stringify(read.value), JSON.stringify(expected.right))
      const written = Option.getOrThrow(quickly(read.value))
      assert.strictEqual(JSON.stringify(written), JSON.stringify(Either.getOrThrow(encode(expected.right))))
      return true
    }
  }
}

const pairs = new Map(
  LogRecord.members.map((member) => {
    const { ast } = member.fields.kind
    return [AST.isLiteral(ast) ? ast.literal : "x", pair(member)] as const
  })
)
const extension = pair(Extension)
const pairOf = (kind: unknown) => pairs.get(typeof kind === "string" ? kind : "") ?? extension

/** Every place in the data. */
const pathsOf = (json: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => [
  path,
  ...(Array.isArray(json) || isObject(json)
    ? Object.entries(json).flatMap(([key, value]) => pathsOf(value, [...path, key]))
    : [])
]

type Change = (value: unknown) => unknown

const changeAt = (json: unknown, [key, ...rest]: ReadonlyArray<string>, change: Change): unknown => {
  if (key === undefined) return change(json)
  if (Array.isArray(json)) return json.map((item, i) => String(i) === key ? changeAt(item, rest, change) : item)
  return isObject(json)
    ? Object.fromEntries(
      Object.entries(json).map(([name, value]) => [name, name === key ? changeAt(value, rest, change) : value])
    )
    : json
}

const odd = FastCheck.constantFrom<Array<unknown>>(
  null,
  undefined,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e300,
  "",
  "x",
  "R",
  "\ud83d",
  "2026-02-30T20:00:00.000Z",
  "2026-11-29T20:00:00.000Z",
  "a".repeat(64),
  "a".repeat(200),
  [],
  [1],
  [1, 2],
  [2, 1],
  [1, 2, 3],
  ["x", "\ud83d"],
  {},
  { x: 1 }
)

const aChange: FastCheck.Arbitrary<Change> = FastCheck.oneof(
  odd.map((value): Change => () => value),
  FastCheck.constant<Change>((value) =>
    Array.isArray(value) ? value.toReversed() : isObject(value)
      ? Object.fromEntries(Object.entries(value).toReversed())
      : value
  ),
  FastCheck.constant<Change>((value) => isObject(value) ? { ...value, more: 1 } : value),
  FastCheck.constant<Change>((value) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).slice(1)) : Array.isArray(value) ? value.slice(1) : value
  )
)

describe("compile", () => {
  it("reads and writes every kind of line as the schema does", () => {
    for (const line of golden) {
      const json = parse(line)
      assert.isTrue(pairOf(json["kind"]).agrees(json), line)
    }
  })

  it.prop(
    "makes of anything what the schema makes of it, and takes nothing that the schema refuses",
    [
      FastCheck.nat(golden.length - 1),
      FastCheck.array(FastCheck.tuple(FastCheck.nat(1000), aChange), { minLength: 1, maxLength: 3 })
    ],
    ([line, changes]) => {
      const start = parse(golden[line] ?? "{}")
      const json = changes.reduce<unknown>((value, [at, change]) => {
        const paths = pathsOf(value)
        return changeAt(value, paths[at % paths.length] ?? [], change)
      }, start)
      pairOf(start["kind"]).agrees(json)
    },
    { fastCheck: { numRuns: 2000 } }
  )

  it("writes members in the schema's order, whatever the order in which they were given", () => {
    const given = new Vector({ data: "AACAPw==", dims: 1, model, embed_sha256: sha("x") }, { disableValidation: true })
    assert.strictEqual(Object.keys(given)[0], "data")
    const written = compile(Schema.encodedBoundSchema(Vector))(given)
    assert.deepStrictEqual(Object.keys(Object(Option.getOrThrow(written))), ["embed_sha256", "model", "dims", "data"])
  })

  it("never takes a text for another one that it took before", () => {
    const read = compile(Schema.String.pipe(Schema.pattern(/^[a-z]+$/)))
    for (const [text, taken] of [["abc", true], ["abc", true], ["ABC", false], ["abc", true], ["1", false]] as const) {
      assert.strictEqual(Option.isSome(read(text)), taken, text)
    }
    const long = "a".repeat(5000)
    for (const text of [long, `${long}1`, long]) assert.strictEqual(Option.isSome(read(text)), text === long)
  })

  it("asks the schema itself where it has no faster way", () => {
    const schemas = [
      [Schema.Record({ key: Schema.String, value: Schema.Number }), { a: 1 }, { a: "x" }],
      [Schema.Union(Schema.Struct({ a: Schema.Number }), Schema.Struct({ a: Schema.String })), { a: "x" }, { a: true }],
      [Schema.Struct({ at: Schema.DateFromString }), { at: "2026-11-29" }, { at: 5 }],
      [Schema.Struct({ n: Schema.optionalWith(Schema.Number, { default: () => 7 }) }), {}, { n: "x" }],
      [Schema.Tuple(Schema.NumberFromString, Schema.String), ["1", "x"], ["1"]],
      [Schema.Struct({}), 5, null]
    ] as const
    for (const [schema, good, bad] of schemas) {
      const read = compile<unknown, unknown>(Schema.asSchema<Schema.Schema.AnyNoContext>(schema))
      const expected = Schema.decodeUnknownEither(Schema.asSchema<Schema.Schema.AnyNoContext>(schema))
      assert.deepStrictEqual(Option.getOrThrow(read(good)), Either.getOrThrow(expected(good)))
      assert.isTrue(Option.isNone(read(bad)))
    }
  })
})
