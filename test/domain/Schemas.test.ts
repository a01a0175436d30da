/**
 * The schemas of what is written down: what they refuse, and that every line that the design fixes comes back byte for
 * byte. Scripts of other people read these lines, so the literals here are written by hand and not made by the code.
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Either, Equal, FastCheck, Schema } from "effect"
import { Chunk } from "../../src/domain/Chunk.ts"
import { ChunkReport, ChunkSummary } from "../../src/domain/ChunkReport.ts"
import { DriftReport, Estimate } from "../../src/domain/Drift.ts"
import * as Ids from "../../src/domain/Ids.ts"
import { Level, withWord } from "../../src/domain/Level.ts"
import { bodies, LogRecord } from "../../src/domain/LogRecord.ts"
import { FailedEntry, ManifestEntry, ProgressLine } from "../../src/domain/Manifest.ts"
import { DumpLine, RebuildReport } from "../../src/domain/RebuildReport.ts"
import { Branch, Record, RecordMeta } from "../../src/domain/Record.ts"
import { SearchHit, SearchReport } from "../../src/domain/SearchReport.ts"
import { StatusReport } from "../../src/domain/StatusReport.ts"
import { SyncReport } from "../../src/domain/SyncReport.ts"
import { MadeWellFormed, WellFormed } from "../../src/domain/WellFormed.ts"

const hex64 = "0123456789abcdef".repeat(4)
const hex32 = "0123456789abcdef".repeat(2)
const fingerprint = `sha256:${hex64}`
const moment = "2026-11-29T20:00:00.000Z"

const accepts = <A, I>(schema: Schema.Schema<A, I>, input: unknown): boolean =>
  Either.isRight(Schema.decodeUnknownEither(schema)(input))

const isObject = (json: unknown): json is { readonly [key: string]: unknown } =>
  typeof json === "object" && json !== null && !Array.isArray(json)

const without = (json: unknown, key: string): unknown =>
  isObject(json) ? Object.fromEntries(Object.entries(json).filter(([name]) => name !== key)) : json

/** The same data with the members of every object in the opposite order. */
const reversed = (json: unknown): unknown =>
  Array.isArray(json)
    ? json.map(reversed)
    : isObject(json)
    ? Object.fromEntries(Object.entries(json).reverse().map(([key, value]) => [key, reversed(value)]))
    : json

/** Each string in the data in turn, with its path and the data in which half a character hangs on to it. */
const cutStrings = (json: unknown, path = ""): ReadonlyArray<readonly [path: string, damaged: unknown]> =>
  typeof json === "string"
    ? [[path, `${json}\ud83d`]]
    : Array.isArray(json)
    ? json.flatMap((item, i) =>
      cutStrings(item, `${path}[${i}]`).map(([at, damaged]) => [at, json.with(i, damaged)] as const)
    )
    : isObject(json)
    ? Object.entries(json).flatMap(([key, value]) =>
      cutStrings(value, `${path}.${key}`).map(([at, damaged]) => [at, { ...json, [key]: damaged }] as const)
    )
    : []

/** A line as it stands in a file or on standard output, and what the schema makes of it. */
const sample = <A, I>(name: string, schema: Schema.Schema<A, I>, line: string) => ({
  name,
  line,
  again: (json: unknown) => JSON.stringify(Schema.encodeSync(schema)(Schema.decodeUnknownSync(schema)(json))),
  accepts: (json: unknown) => accepts(schema, json)
})

const loneSurrogates = FastCheck.tuple(
  FastCheck.fullUnicodeString(),
  FastCheck.integer({ min: 0xd800, max: 0xdfff }),
  FastCheck.fullUnicodeString()
).map(([before, half, after]) => before + String.fromCharCode(half) + after)

describe("ids", () => {
  it("a connector name is safe as part of a file name", () => {
    const taken = ["notes", "a", "0", "claude-code", "my_notes-2", "x".repeat(64)]
    const refused = [
      "",
      "../../etc/x",
      "a/b",
      "a\\b",
      ".",
      "..",
      "a.b",
      "CON",
      "Notes",
      "-rf",
      "_x",
      "a b",
      "a\n",
      "a\0",
      "é",
      "x".repeat(65),
      "x".repeat(300)
    ]
    assert.deepStrictEqual(taken.filter((name) => !accepts(Ids.ConnectorName, name)), [])
    assert.deepStrictEqual(refused.filter((name) => accepts(Ids.ConnectorName, name)), [])
  })

  it("a refused connector name is named, with the rule", () => {
    const error = Either.flip(Schema.decodeUnknownEither(Ids.ConnectorName)("../../etc/x"))
    assert.include(Either.getOrThrow(error).message, "\"../../etc/x\"")
    assert.include(Either.getOrThrow(error).message, "1 to 64")
  })

  it("the two spellings of a sha256 never mix", () => {
    assert.isTrue(accepts(Ids.Sha256, hex64))
    assert.isTrue(accepts(Ids.Fingerprint, fingerprint))
    assert.isFalse(accepts(Ids.Sha256, fingerprint))
    assert.isFalse(accepts(Ids.Fingerprint, hex64))
    for (const digits of [hex64.toUpperCase(), hex64.slice(1), `${hex64}0`, `${hex64}\n`, ` ${hex64}`, ""]) {
      assert.isFalse(accepts(Ids.Sha256, digits), JSON.stringify(digits))
      assert.isFalse(accepts(Ids.Fingerprint, `sha256:${digits}`), JSON.stringify(digits))
    }
  })

  it("one kind of id is no other, by type", () => {
    const chunk = Ids.ChunkId.make(hex32)
    // @ts-expect-error A passage is not a document.
    const id: Ids.DocId = chunk
    assert.isFalse(accepts(Ids.ChunkId, hex64))
    assert.strictEqual<string>(id, hex32)
  })

  it("a timestamp has one spelling", () => {
    const refused = [
      "2026-11-29T20:00:00Z",
      "2026-11-29T20:00:00.000",
      "2026-11-29T20:00:00.000+00:00",
      "2026-11-29T20:00:00.000000Z",
      "2026-11-29 20:00:00.000Z",
      "+012026-11-29T20:00:00.000Z",
      `${moment}\n`,
      "",
      1764446400000,
      null
    ]
    assert.isTrue(accepts(Ids.Timestamp, moment))
    assert.isTrue(accepts(Ids.Timestamp, new Date(0).toISOString()))
    assert.deepStrictEqual(refused.filter((at) => accepts(Ids.Timestamp, at)), [])
  })

  it("a timestamp that no calendar has is refused", () => {
    const refused = ["2026-13-01T00:00:00.000Z", "2026-02-30T00:00:00.000Z", "2026-11-29T25:61:00.000Z"]
    assert.deepStrictEqual(refused.filter((at) => accepts(Ids.Timestamp, at)), [])
  })

  it("a seq counts from 1 and stays exact", () => {
    assert.deepStrictEqual([1, 42, Number.MAX_SAFE_INTEGER].filter((n) => !accepts(Ids.Seq, n)), [])
    assert.deepStrictEqual(
      [0, -1, 1.5, Number.NaN, Infinity, 2 ** 53, "1", null].filter((n) => accepts(Ids.Seq, n)),
      []
    )
  })

  it.prop(
    "a document id is literal",
    [FastCheck.oneof(
      FastCheck.fullUnicodeString({ minLength: 1 }),
      FastCheck.constantFrom(
        "__proto__",
        "constructor",
        "A.md",
        "a.md",
        " ",
        "..",
        "a/../b",
        "x\0y",
        "caf\u00e9",
        "cafe\u0301"
      )
    )],
    ([id]) => assert.strictEqual<string>(Schema.decodeUnknownSync(Ids.DocId)(id), id)
  )

  it("two document ids that differ in a byte stay two", () => {
    const ids = ["caf\u00e9.md", "cafe\u0301.md", "Caf\u00e9.md", "caf\u00e9.md ", "__proto__"]
    assert.strictEqual(new Set(ids.map((id) => Schema.decodeUnknownSync(Ids.DocId)(id))).size, ids.length)
    assert.isFalse(accepts(Ids.DocId, ""))
  })

  it("a level is read with its word", () => {
    assert.deepStrictEqual(Level.literals.map(withWord), [
      "L0 evidence",
      "L1 session memory",
      "L2 consolidated memory",
      "R reference"
    ])
  })
})

describe("WellFormed", () => {
  const Held = Schema.Struct({ text: WellFormed })

  it.prop("takes any text that UTF-8 can hold, as it is", [FastCheck.fullUnicodeString()], ([text]) => {
    assert.strictEqual(Schema.decodeUnknownSync(WellFormed)(text), text)
    assert.strictEqual(Buffer.from(text, "utf8").toString("utf8"), text)
  })

  it.prop("refuses a lone surrogate wherever a text enters", [loneSurrogates], ([text]) => {
    assert.isFalse(accepts(WellFormed, text))
    assert.isTrue(Either.isLeft(Schema.encodeEither(WellFormed)(text)))
    assert.throws(() => Held.make({ text }), /lone surrogate/)
    assert.throws(() => new Record({ key: Ids.RecordKey.make("r1"), text }), /lone surrogate/)
  })

  it.prop(
    "text that was made well-formed is accepted, and loses nothing else",
    [FastCheck.oneof(FastCheck.string16bits(), loneSurrogates)],
    ([text]) => {
      const made = Schema.decodeUnknownSync(MadeWellFormed)(text)
      assert.strictEqual(made, text.toWellFormed())
      assert.isTrue(accepts(WellFormed, made))
      assert.strictEqual(Schema.encodeSync(MadeWellFormed)(made), made)
    }
  )
})

describe("Record", () => {
  const full =
    "{\"key\":\"5f2c:0.d1\",\"source\":\"claude-code\",\"session_key\":\"9b1d\",\"seq\":7,\"role\":\"tool\"," +
    "\"kind\":\"tool_result\",\"text\":\"exit 1\\n\\u0000 caf\u00e9 \ud83d\ude80\",\"tool_name\":\"Bash\",\"tool_call_id\":\"toolu_01\"," +
    `"is_error":true,"at":"${moment}","parent_key":"5f2b:0","branch":{"sidechain":true,"on_leaf":false},` +
    "\"derived\":{\"by\":\"artifact\",\"artifact_id\":\"a1\"},\"supersedes\":\"5f2a:0\"," +
    `"origin":{"path":"/s/9b1d.jsonl","byte_offset":0,"byte_length":120,"line_sha256":"${hex64}"},` +
    "\"meta\":{\"cwd\":\"/app\",\"git_branch\":\"main\",\"model\":\"m-1\"}}"

  const again = (json: unknown): unknown =>
    JSON.parse(JSON.stringify(Schema.encodeSync(Record)(Schema.decodeUnknownSync(Record)(json))))

  it("of a key and a text has the documented defaults", () => {
    const record = new Record({ key: Ids.RecordKey.make("r1"), text: "hello" })
    assert.strictEqual(
      JSON.stringify(Schema.encodeSync(Record)(record)),
      "{\"key\":\"r1\",\"source\":\"unknown\",\"session_key\":\"default\",\"seq\":0,\"role\":\"user\",\"kind\":\"text\"," +
        "\"text\":\"hello\",\"at\":null,\"branch\":{\"sidechain\":false,\"on_leaf\":true},\"derived\":false,\"meta\":{}}"
    )
  })

  it("keeps the order of its keys, whatever order they came in", () => {
    const json: unknown = JSON.parse(full)
    assert.strictEqual(JSON.stringify(again(json)), full)
    assert.strictEqual(JSON.stringify(again(reversed(json))), full)
    const { branch, derived, meta, ...rest } = Schema.decodeUnknownSync(Record)(json)
    assert.strictEqual(
      JSON.stringify(
        Schema.encodeSync(Record)(
          new Record({ meta: new RecordMeta(meta), derived, branch: new Branch(branch), ...rest })
        )
      ),
      full
    )
  })

  const text = {
    key: "k",
    source: "pi",
    session_key: "s",
    seq: 0,
    role: "user",
    kind: "text",
    text: "",
    at: null,
    branch: { sidechain: false, on_leaf: true },
    derived: false,
    origin: { path: "s.jsonl", byte_offset: 12, byte_length: 30, line_sha256: hex64 },
    meta: {}
  }
  const shapes: { readonly [name: string]: unknown } = {
    "a user's text": { ...text, text: "why?", at: moment },
    "an assistant's text": { ...text, role: "assistant", text: "because", meta: { model: "m-1" } },
    "a system text": { ...text, role: "system" },
    "a thought": { ...text, role: "assistant", kind: "thinking", text: "hm" },
    "a tool call": { ...text, role: "assistant", kind: "tool_call", tool_name: "Bash", tool_call_id: "t1" },
    "a tool's answer": { ...text, role: "tool", kind: "tool_result", tool_call_id: "t1", is_error: false },
    "a tool's failure": { ...text, role: "tool", kind: "tool_result", tool_call_id: "t1", is_error: true },
    "a compaction's recap": { ...text, kind: "summary", derived: { by: "compaction" } },
    "a title": { ...text, kind: "summary", derived: { by: "title" } },
    "injected memory": { ...text, key: "k.d1", derived: { by: "injected-memory" } },
    "what the harness wrote": { ...text, key: "k.d2", derived: { by: "harness" } },
    "an artifact that came back": { ...text, derived: { by: "artifact", artifact_id: "a1" } },
    "an image": { ...text, kind: "attachment", text: "[image image/png 183 KB sha256:0123]" },
    "a side chain": { ...text, parent_key: "k0", branch: { sidechain: true, on_leaf: true } },
    "an abandoned branch": { ...text, parent_key: "k0", branch: { sidechain: false, on_leaf: false } },
    "a longer form of a known one": { ...text, supersedes: "k0" },
    "a place in a tree without circumstances": { ...text, meta: { cwd: "/app", git_branch: "main" } },
    "all members at once": JSON.parse(full)
  }
  it.each(Object.entries(shapes))("holds %s", (_, json) => {
    assert.deepStrictEqual(again(json), json)
  })

  it.each([
    "key",
    "source",
    "session_key",
    "seq",
    "role",
    "kind",
    "text",
    "at",
    "branch",
    "derived",
    "meta"
  ])("at rest is refused without its %s", (key) => {
    assert.isTrue(accepts(Record, text))
    assert.isFalse(accepts(Record, without(text, key)))
  })

  it("refuses words that it does not know", () => {
    assert.isFalse(accepts(Record, { ...text, role: "developer" }))
    assert.isFalse(accepts(Record, { ...text, kind: "image" }))
    assert.isFalse(accepts(Record, { ...text, derived: true }))
    assert.isFalse(accepts(Record, { ...text, derived: { by: "nobody" } }))
    assert.isFalse(accepts(Record, { ...text, seq: -1 }))
  })
})

const manifest =
  `{"doc_id":"k8s.md","source_uri":"file:///vault/k8s.md","content_hash":"${fingerprint}","chunk_count":12,` +
  `"synced_at":"${moment}"}`

const hit = `{"score":0.25,"level":"R","connector":"notes","doc_id":"k8s.md","source_uri":"file:///vault/k8s.md",` +
  `"heading_path":["Kubernetes","Probes"],"lines":[3,9],"text":"caf\u00e9 \\"x\\"","chunk_id":"${hex32}","stale":false}`

const dump =
  `{"kind":"reference","level":"R","connector":"notes","doc_id":"k8s.md","source_uri":"file:///vault/k8s.md",` +
  `"content_hash":"${fingerprint}","ordinal":0,"chunk_id":"${hex32}","heading_path":[],"lines":[1,1],"tokens":3,"text":"x"`

const synced =
  "{\"name\":\"notes\",\"kind\":\"folder\",\"source_type\":\"document\",\"status\":\"ok\",\"listed\":6,\"new\":1," +
  "\"changed\":1,\"stale\":1,\"moved\":1,\"unchanged\":2,\"removed\":0,\"failed\":[],\"skipped\":[],\"resumed\":0,\"fetched\":3," +
  "\"embed_texts\":9,\"embed_calls\":2,\"reused\":4,\"chunks_added\":13,\"chunks_tombstoned\":5}"

const syncedPartly =
  "{\"name\":\"claude\",\"kind\":\"claude-code\",\"source_type\":\"session\",\"status\":\"partial\"," +
  "\"error\":{\"code\":\"ConnectorError\",\"message\":\"m\"},\"listed\":2,\"new\":0,\"changed\":0,\"stale\":0,\"moved\":0," +
  "\"unchanged\":0,\"removed\":0," +
  "\"failed\":[{\"doc_id\":\"a.md\",\"error\":\"DocumentError\",\"message\":\"gone\",\"retryable\":false}]," +
  "\"skipped\":[{\"doc_id\":\"b.md\",\"reason\":\"excluded\"}],\"resumed\":0,\"fetched\":0,\"embed_texts\":0,\"embed_calls\":0," +
  "\"reused\":0,\"chunks_added\":0,\"chunks_tombstoned\":0,\"records\":5,\"duplicates\":4,\"derived\":3,\"bad_lines\":2," +
  "\"model_calls\":1}"

const drifted =
  "{\"name\":\"notes\",\"status\":\"ok\",\"new\":1,\"changed\":1,\"stale\":1,\"moved\":1,\"unchanged\":2,\"removed\":1," +
  "\"documents\":{\"new\":[\"n.md\"],\"changed\":[\"c.md\"],\"stale\":[\"s.md\"],\"moved\":[\"m.md\"],\"removed\":[\"r.md\"]}"

/** Least and full form of each line: members with a `?` in the design are absent from the first, there in the second. */
const lines = [
  sample("ManifestEntry, the specification's five fields", ManifestEntry, manifest),
  sample(
    "ManifestEntry, all fields",
    ManifestEntry,
    `${manifest.slice(0, -1)},"revision":"12-1764446400000000000-7","pipeline":"${fingerprint}","seq":41}`
  ),
  sample("ProgressLine, an entry", ProgressLine, `{"entry":${manifest}}`),
  sample("ProgressLine, a removal", ProgressLine, "{\"removed\":\"__proto__\",\"seq\":41}"),
  sample(
    "FailedEntry",
    FailedEntry,
    `{"doc_id":"a.md","outcome":"failed","error":"DocumentError","message":"m","retryable":true,"attempts":2,"last_at":"${moment}"}`
  ),
  sample(
    "SyncReport, nothing configured",
    SyncReport,
    "{\"command\":\"sync\",\"ok\":true,\"connectors\":[],\"duration_ms\":0}"
  ),
  sample("SyncReport", SyncReport, `{"command":"sync","ok":true,"connectors":[${synced}],"duration_ms":1234}`),
  sample(
    "SyncReport, with all that may be there",
    SyncReport,
    `{"command":"sync","ok":false,"connectors":[${synced},${syncedPartly}],"duration_ms":1234}`
  ),
  sample(
    "DriftReport",
    DriftReport,
    `{"command":"drift","ok":true,"drift":true,"connectors":[${drifted}}]}`
  ),
  sample(
    "DriftReport, with an estimate",
    DriftReport,
    `{"command":"drift","ok":true,"drift":true,"connectors":[${drifted},` +
      "\"estimate\":{\"documents\":3,\"passages\":30,\"tokens\":4000,\"embed_texts\":28}}]}"
  ),
  sample(
    "DriftReport, with a price",
    DriftReport,
    `{"command":"drift","ok":true,"drift":true,"connectors":[${drifted},` +
      "\"estimate\":{\"documents\":3,\"passages\":30,\"tokens\":4000,\"embed_texts\":28,\"cost_usd\":0.0001}}]}"
  ),
  sample(
    "StatusReport",
    StatusReport,
    "{\"command\":\"status\",\"ok\":true,\"connectors\":[" +
      "{\"name\":\"notes\",\"kind\":\"folder\",\"source_type\":\"document\",\"documents\":3,\"chunks\":30," +
      `"last_sync":"${moment}",` +
      "\"failed\":[{\"doc_id\":\"a.md\",\"error\":\"DocumentError\",\"message\":\"m\",\"retryable\":true}]," +
      "\"skipped\":[{\"doc_id\":\"b.md\",\"reason\":\"too large\"}],\"pending\":1}," +
      "{\"name\":\"new\",\"kind\":\"git\",\"source_type\":\"document\",\"documents\":0,\"chunks\":0,\"last_sync\":null," +
      "\"failed\":[],\"skipped\":[],\"pending\":0}]," +
      "\"log\":{\"segments\":1,\"bytes\":4096,\"records\":33,\"dead\":2},\"projection\":{\"state\":\"behind\",\"behind\":4}}"
  ),
  sample(
    "SearchReport",
    SearchReport,
    `{"command":"search","ok":true,"query":"probes","mode":"hybrid","hits":[${hit}]}`
  ),
  sample(
    "ChunkReport",
    ChunkReport,
    "{\"command\":\"chunk\",\"ok\":true,\"max_tokens\":120,\"counter\":\"chars-over-four/1\",\"files\":[{\"file\":\"-\"," +
      "\"chunks\":[{\"t\":1,\"tokens\":7,\"over_budget\":false,\"record_keys\":[\"1\",\"2\"]}]}]}"
  ),
  sample(
    "ChunkReport, of a document",
    ChunkReport,
    "{\"command\":\"chunk\",\"ok\":true,\"max_tokens\":240,\"counter\":\"chars-over-four/1\",\"files\":[{\"file\":\"k8s.md\"," +
      "\"passages\":[{\"ordinal\":0,\"start\":0,\"end\":5,\"lines\":[1,1],\"heading_path\":[\"A\"],\"context\":\"A\"," +
      "\"tokens\":2,\"over_budget\":false,\"text\":\"# A\\nb\"}]}]}"
  ),
  sample(
    "ChunkSummary, a line of --jsonl",
    ChunkSummary,
    "{\"t\":2,\"tokens\":900,\"over_budget\":true,\"record_keys\":[\"3\"]}"
  ),
  sample(
    "RebuildReport",
    RebuildReport,
    `{"command":"rebuild","ok":true,"records":33,"live_chunks":12,"live_records":4,"live_memory":5,"embed_calls":0,"state_sha256":"${hex64}"}`
  ),
  sample("DumpLine", DumpLine, `${dump}}`),
  sample("DumpLine, with its embedding", DumpLine, `${dump},"embedding":"AACAPw=="}`)
]

describe("lines and reports", () => {
  // The order of the keys is the schema's own, or a line would depend on who made it.
  it.each(lines)("$name: comes back byte for byte, whatever order its keys came in", ({ again, line }) => {
    assert.strictEqual(again(JSON.parse(line)), line)
    assert.strictEqual(again(reversed(JSON.parse(line))), line)
  })

  it.each(lines.filter(({ line, name }) => !name.includes(",") && line.startsWith("{\"command\"")))(
    "$name: each member is asked for",
    ({ accepts, line }) => {
      const json: unknown = JSON.parse(line)
      assert.deepStrictEqual(
        isObject(json) ? Object.keys(json).filter((key) => accepts(without(json, key))) : json,
        []
      )
    }
  )

  it("the specification's fields of a manifest are asked for", () => {
    const json: unknown = JSON.parse(manifest)
    for (const key of ["doc_id", "source_uri", "content_hash", "chunk_count", "synced_at"]) {
      assert.isFalse(accepts(ManifestEntry, without(json, key)), key)
    }
  })

  it("a number that JSON cannot hold is refused before it is printed as null", () => {
    const found = Schema.decodeUnknownSync(SearchHit)(JSON.parse(hit))
    const cost = { documents: 1, passages: 1, tokens: 1, embed_texts: 1 }
    assert.strictEqual(new Estimate({ ...cost, cost_usd: 0.5 }).cost_usd, 0.5)
    for (const bad of [Number.NaN, Infinity]) {
      assert.throws(() => new SearchHit({ ...found, score: bad }), /score/)
      assert.throws(() => new Estimate({ ...cost, cost_usd: bad }), /cost_usd/)
    }
  })

  it("a chunk's summary names its records in order", () => {
    const record = (key: string) => new Record({ key: Ids.RecordKey.make(key), text: key })
    const summary = ChunkSummary.of(
      new Chunk({ t: 3, tokens: 2, over_budget: true, records: [record("b"), record("a")] })
    )
    assert.strictEqual(
      JSON.stringify(Schema.encodeSync(ChunkSummary)(summary)),
      "{\"t\":3,\"tokens\":2,\"over_budget\":true,\"record_keys\":[\"b\",\"a\"]}"
    )
  })
})

const commit =
  `{"connector":"notes","doc_id":"k8s.md","source_uri":"file:///vault/k8s.md","content_hash":"${fingerprint}",` +
  "\"revision\":\"r1\",\"meta\":{\"tags\":[\"a\",\"b\"]}," +
  `"cursor":{"path":"s.jsonl","offset":4096,"tail_sha256":"${hex64}"},"pipeline":"${fingerprint}","embedder":"none",` +
  `"chunk_count":2,"synced_at":"${moment}","removed":false,"n":3,"durable_to":512}`

const l1 = "\"level\":\"L1\""
const session = "\"connector\":\"claude\",\"session_key\":\"s\",\"profile\":\"default\""
const citations = "\"citations\":[{\"span\":[0,5],\"ids\":[\"e1\",\"e2\"]}]"

const json = FastCheck.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)))

/** A body as it stands in a line, and whether any value of its kind comes back from one. */
const body = <A, I>(
  name: keyof typeof bodies,
  schema: Schema.Schema<A, I>,
  line: string,
  values: FastCheck.Arbitrary<A> = Arbitrary.make(schema)
) => ({
  ...sample(name, schema, line),
  anyValue: () =>
    FastCheck.assert(FastCheck.property(values, (value) => {
      const written = JSON.stringify(Schema.encodeSync(schema)(value))
      const read = Schema.decodeUnknownSync(schema)(JSON.parse(written))
      assert.isTrue(Schema.is(schema)(read))
      // An absent member and one that is undefined are the same thing, so both sides are compared as data.
      assert.deepStrictEqual(JSON.parse(JSON.stringify(read)), JSON.parse(JSON.stringify(value)))
      assert.strictEqual(JSON.stringify(Schema.encodeSync(schema)(read)), written)
    }))
})

const logBodies = [
  body("segment", bodies.segment, "{\"format\":\"mem-log/1\",\"number\":1,\"previous_sha256\":null}"),
  body("segment", bodies.segment, `{"format":"mem-log/1","number":2,"previous_sha256":"${hex64}"}`),
  body("vector", bodies.vector, `{"embed_sha256":"${hex64}","model":"minilm-fp16/384","dims":1,"data":"AACAPw=="}`),
  body(
    "reference",
    bodies.reference,
    `{"level":"R","connector":"notes","doc_id":"k8s.md","chunk_id":"${hex32}","ordinal":0,"text":"\ufeff# A\\n",` +
      `"context":"A","heading_path":["A"],"lines":[1,1],"start":0,"end":5,"tokens":2,"over_budget":false,"embed_sha256":"${hex64}"}`
  ),
  body(
    "tombstone",
    bodies.tombstone,
    `{"connector":"notes","doc_id":"k8s.md","chunk_id":"${hex32}","reason":"removed"}`
  ),
  ...["changed", "excluded"].map((reason) =>
    body(
      "tombstone",
      bodies.tombstone,
      `{"connector":"notes","doc_id":"k8s.md","chunk_id":"${hex32}","reason":"${reason}"}`
    )
  ),
  body(
    "commit",
    bodies.commit,
    commit,
    // The meta is the source's own, so the schema can make no example of it that JSON carries.
    FastCheck.tuple(Arbitrary.make(bodies.commit), json).map(([made, meta]) => new bodies.commit({ ...made, meta }))
  ),
  body("exclusion", bodies.exclusion, "{\"connector\":\"notes\",\"doc_id\":\"k8s.md\",\"excluded\":true}"),
  body(
    "record",
    bodies.record,
    "{\"key\":\"k\",\"source\":\"pi\",\"session_key\":\"s\",\"seq\":0,\"role\":\"user\",\"kind\":\"text\",\"text\":\"t\"," +
      `"tool_name":"n","tool_call_id":"c","is_error":false,"at":"${moment}","parent_key":"p",` +
      "\"branch\":{\"sidechain\":false,\"on_leaf\":true},\"derived\":{\"by\":\"artifact\",\"artifact_id\":\"a\"},\"supersedes\":\"o\"," +
      `"origin":{"path":"s.jsonl","byte_offset":0,"byte_length":1,"line_sha256":"${hex64}"},` +
      "\"meta\":{\"cwd\":\"c\",\"git_branch\":\"g\",\"model\":\"m\"}}"
  ),
  body(
    "memory",
    bodies.memory,
    "{\"level\":\"L0\",\"entry\":\"evidence\",\"id\":\"e1\",\"connector\":\"claude\",\"session_key\":\"s\",\"profile\":\"default\"," +
      `"record_key":"k","span":[0,5],"span_sha256":"${hex64}","t":1}`
  ),
  body(
    "artifact",
    bodies.artifact,
    `{"artifact_id":"a1","text_sha256":"${hex64}","level":"L1","kind":"export","inputs":["m1"],` +
      `"profile_sha256":"${hex64}","prompt_sha256":"${hex64}","model":"m","path":"out.md","at":"${moment}","status":"live"}`
  ),
  body(
    "gap",
    bodies.gap,
    "{\"first_seq\":5,\"last_seq\":7,\"segment\":1,\"offset\":100,\"length\":300,\"quarantine\":\"quarantine/1\"}"
  ),
  body(
    "rewrite",
    bodies.rewrite,
    `{"segment":1,"erased":[5,6],"reason":"asked for","before_sha256":"${hex64}","after_sha256":"${hex64}","at":"${moment}"}`
  ),
  body("seal", bodies.seal, "{\"durable_to\":4096}"),
  ...[
    `{${l1},"entry":"step",${session},"profile_sha256":"${hex64}","prompt_sha256":"${hex64}","model":"m","t":2,"window":1,` +
    `"record_keys":["k"],"chunk_sha256":"${hex64}","memory_before_sha256":"${hex64}","memory_after_sha256":"${hex64}",` +
    "\"update\":true,\"exit\":false,\"malformed\":false,\"prompt_tokens\":900,\"completion_tokens\":90,\"duration_ms\":1200}",
    `{${l1},"entry":"memory","id":"m1",${session},"t":2,"text":"they",${citations},"supersedes":"m0"}`,
    `{"level":"L2","entry":"memory","id":"c1","profile":"default","profile_sha256":"${hex64}","prompt_sha256":"${hex64}",` +
    `"model":"m","inputs":["m1"],"evidence":["e1"],"text":"they",${citations},"supersedes":"c0"}`
  ].map((line) => body("memory", bodies.memory, line))
]

const oneOfEach = logBodies.filter(({ name }, i) => logBodies.findIndex((other) => other.name === name) === i)

describe("log bodies", () => {
  it.each(logBodies)("$name: comes back byte for byte, whatever order its keys came in", ({ again, line }) => {
    assert.strictEqual(again(JSON.parse(line)), line)
    assert.strictEqual(again(reversed(JSON.parse(line))), line)
  })

  it.each(logBodies)("$name: holds no text that UTF-8 cannot", ({ accepts, line, name }) => {
    // The meta of a commit has a test of its own below.
    const damaged = cutStrings(JSON.parse(line)).filter(([path]) => name !== "commit" || !path.startsWith(".meta"))
    assert.deepStrictEqual(damaged.filter(([, json]) => accepts(json)).map(([path]) => path), [])
  })

  it("a commit needs neither revision, meta, cursor nor removed", () => {
    const least = ["revision", "meta", "cursor", "removed"].reduce(without, JSON.parse(commit) as unknown)
    assert.strictEqual(sample("", bodies.commit, "").again(least), JSON.stringify(least))
  })

  it("names of Object's own in a commit's meta survive and pollute nothing", () => {
    const meta =
      "{\"__proto__\":{\"polluted\":true},\"constructor\":{\"prototype\":{\"polluted\":true}},\"toString\":\"x\"}"
    const line = commit.replace(/"meta":\{.*?\}/, `"meta":${meta}`)
    const decoded = Schema.decodeUnknownSync(bodies.commit)(JSON.parse(line))
    assert.strictEqual(JSON.stringify(Schema.encodeSync(bodies.commit)(decoded)), line)
    assert.notProperty({}, "polluted")
    assert.notProperty(decoded, "polluted")
    assert.isTrue(isObject(decoded.meta) && Object.hasOwn(decoded.meta, "__proto__"))
  })

  // What JSON drops or changes would read back as another commit than was written, and a bigint or a circle would
  // throw in the middle of the writer.
  it("a commit's meta holds what JSON holds, and nothing else", () => {
    const made = Schema.decodeUnknownSync(bodies.commit)(JSON.parse(commit))
    const holds = (meta: unknown): boolean =>
      Either.isRight(
        Schema.encodeEither(bodies.commit)(new bodies.commit({ ...made, meta }, { disableValidation: true }))
      )
    const foreign = { bigint: 1n, function: () => 0, date: new Date(0), nan: Number.NaN, surrogate: "\ud83d" }
    assert.isTrue(holds({ title: "x", tags: [1, null, true, { a: [] }] }))
    assert.deepStrictEqual(Object.entries(foreign).filter(([, value]) => holds({ value })).map(([name]) => name), [])
  })

  it.each(oneOfEach)("$name: any value comes back equal", ({ anyValue }) => {
    anyValue()
  })

  it("each kind is here", () => {
    assert.deepStrictEqual(oneOfEach.map(({ name }) => name), Object.keys(bodies))
  })

  it("decoded bodies are values", () => {
    const line = "{\"connector\":\"notes\",\"doc_id\":\"k8s.md\",\"excluded\":true}"
    const decode = () => Schema.decodeUnknownSync(bodies.exclusion)(JSON.parse(line))
    assert.isTrue(Equal.equals(decode(), decode()))
  })
})

describe("LogRecord", () => {
  const line = `{"v":1,"seq":42,"at":"${moment}","kind":"seal","txn":41,"body":{"durable_to":4096}}`
  const { accepts, again } = sample("LogRecord", LogRecord, line)

  it("has the design's envelope", () => {
    const json: unknown = JSON.parse(line)
    assert.strictEqual(again(json), line)
    assert.strictEqual(again(reversed(json)), line)
    assert.strictEqual(again(without(json, "txn")), line.replace("\"txn\":41,", ""))
    assert.deepStrictEqual(["v", "seq", "at", "kind", "body"].filter((key) => accepts(without(json, key))), [])
  })

  it("passes over what begins with x- and refuses other kinds, versions and bodies", () => {
    const extension = line.replace("seal", "x-note").replace("{\"durable_to\":4096}", "[1,{\"a\":null}]")
    assert.strictEqual(again(JSON.parse(extension)), extension)
    for (const kind of ["future", "X-note", "", "__proto__", "constructor"]) {
      assert.isFalse(accepts(JSON.parse(line.replace("seal", kind))), kind)
    }
    assert.isFalse(accepts(JSON.parse(line.replace("\"v\":1", "\"v\":2"))))
    assert.isFalse(accepts(JSON.parse(line.replace("4096", "-1"))))
  })
})
