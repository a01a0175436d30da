/** What every search keeps: the best by meaning, by words or by both, of all that the filter leaves. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import type { LogReader } from "../../services/LogReader.ts"
import type { LogGroup, LogWriter } from "../../services/LogWriter.ts"
import type { Projection } from "../../services/Projection.ts"
import { type RecordQuery, Search, type SearchQuery } from "../../services/Search.ts"
import { ConnectorName, DocId, EmbedderFingerprint, MemoryId, RecordKey, Timestamp } from "../../src/domain/Ids.ts"
import type { Level } from "../../src/domain/Level.ts"
import type { LogEntry } from "../../src/domain/LogRecord.ts"
import { Record, RecordMeta } from "../../src/domain/Record.ts"
import { Reference, Vector } from "../../src/domain/Reference.ts"
import type { Hit, SearchHit } from "../../src/domain/SearchReport.ts"
import { encode } from "../../src/log/Float32.ts"
import { piecesOf } from "../../src/memory/Pieces.ts"
import { append, appendAlone, commit, passageId, sha } from "../fixtures/LogGroups.ts"
import {
  consolidated,
  embeddedBy,
  evidence,
  mark,
  remembered,
  session,
  sessionMemory
} from "../fixtures/MemoryLines.ts"

type Services = Projection | Search | LogReader | LogWriter

export interface Fixture {
  readonly layer: Layer.Layer<Services, unknown>
  readonly caughtUp: Effect.Effect<unknown, unknown, Services>
}

interface Passage {
  readonly text: string
  readonly vector?: ReadonlyArray<number>
  readonly context?: string
}

interface Document {
  readonly id: string
  readonly connector?: string
  readonly model?: string
  readonly version?: number
  readonly passages: ReadonlyArray<Passage>
}

/** Like text, like vector: the text's own is part of what is hashed. */
const hashOf = ({ text, vector = [] }: Passage) => sha(`${text} ${vector.join()}`)

export const documentGroup = (
  { connector = "notes", id, model = "m/1", passages, version = 1 }: Document
): LogGroup => {
  const name = ConnectorName.make(connector)
  const entries = passages.flatMap((passage, ordinal): ReadonlyArray<LogEntry> => [
    ...(passage.vector === undefined ? [] : [{
      kind: "vector" as const,
      body: new Vector({
        embed_sha256: hashOf(passage),
        model: EmbedderFingerprint.make(model),
        dims: passage.vector.length,
        data: encode(Float32Array.from(passage.vector))
      })
    }]),
    {
      kind: "reference" as const,
      body: new Reference({
        level: "R",
        connector: name,
        doc_id: DocId.make(id),
        chunk_id: passageId(`${connector} ${id}`, version, ordinal),
        ordinal,
        text: passage.text,
        context: passage.context ?? "",
        heading_path: passage.context === undefined ? [] : [passage.context],
        lines: [1 + ordinal, 2 + ordinal],
        start: 0,
        end: passage.text.length,
        tokens: 1,
        over_budget: false,
        embed_sha256: hashOf(passage)
      })
    }
  ])
  return {
    entries,
    commit: {
      ...commit(id, version, passages.length),
      connector: name,
      embedder: EmbedderFingerprint.make(model)
    }
  }
}

const removal = ({ connector = "notes", id }: Document): LogGroup => ({
  entries: [],
  commit: { ...commit(id, 1, 0), connector: ConnectorName.make(connector), removed: true }
})

export const vectorOf = (values: ReadonlyArray<number>, model = "m/1"): NonNullable<SearchQuery["vector"]> => ({
  values: Float32Array.from(values),
  fingerprint: EmbedderFingerprint.make(model)
})

const findAny = (text: string, query: Partial<SearchQuery> = {}) =>
  Effect.flatMap(Search, ({ search }) => search({ text, mode: "hybrid", k: 10, ...query }))

const find = (text: string, query: Partial<SearchQuery> = {}) =>
  Effect.map(findAny(text, query), (hits) => hits.flatMap((hit) => hit.level === "R" ? [hit] : []))

const where = (hits: ReadonlyArray<SearchHit>): ReadonlyArray<string> =>
  hits.map(({ connector, doc_id, lines: [line] }) => `${connector}:${doc_id}:${line}`)

const rounded = (hits: ReadonlyArray<SearchHit>): ReadonlyArray<number> =>
  hits.map(({ score }) => Math.round(score * 1e4) / 1e4)

const harbour: ReadonlyArray<Document> = [
  {
    id: "ports/lease.md",
    passages: [
      { text: "The harbour lease ends in spring.", vector: [1, 0, 0] },
      { text: "Rent is due monthly.", vector: [0.8, 0.6, 0], context: "Harbours" }
    ]
  },
  { id: "ports/tide.md", passages: [{ text: "High water at noon.", vector: [0.6, 0, 0.8] }] },
  { id: "animals.md", passages: [{ text: "Foxes run; the running fox hides.", vector: [0, 1, 0] }] },
  { id: "lease.md", connector: "papers", passages: [{ text: "A lease of a car.", vector: [0, 0, 1] }] }
]

export const contract = (name: string, fixture: Effect.Effect<Fixture, unknown, Scope.Scope>): void => {
  const test = (
    title: string,
    documents: ReadonlyArray<Document>,
    body: (caughtUp: Effect.Effect<unknown, unknown, Services>) => Effect.Effect<void, unknown, Services>
  ) =>
    it.scopedLive(title, () =>
      Effect.flatMap(fixture, ({ caughtUp, layer }) =>
        Effect.provide(
          Effect.gen(function*() {
            yield* append(...documents.map(documentGroup))
            yield* caughtUp
            yield* body(caughtUp)
          }),
          Layer.merge(layer, Logger.remove(Logger.defaultLogger))
        )))

  describe(`Search/${name}`, () => {
    test("finds by meaning, exactly", harbour, () =>
      Effect.gen(function*() {
        const hits = yield* find("nothing of that", { mode: "vector", vector: vectorOf([2, 0, 0]), k: 3 })
        assert.deepStrictEqual(where(hits), [
          "notes:ports/lease.md:1",
          "notes:ports/lease.md:2",
          "notes:ports/tide.md:1"
        ])
        assert.deepStrictEqual(rounded(hits), [1, 0.8, 0.6])
        const [first] = hits
        assert.deepEqual({ ...first }, {
          score: 1,
          level: "R",
          connector: ConnectorName.make("notes"),
          doc_id: DocId.make("ports/lease.md"),
          source_uri: commit("ports/lease.md", 1, 0).source_uri,
          heading_path: [],
          lines: [1, 2],
          text: "The harbour lease ends in spring.",
          chunk_id: passageId("notes ports/lease.md", 1, 0),
          stale: false
        })
      }))

    test("finds by words, in their other forms, and by the headings above", harbour, () =>
      Effect.gen(function*() {
        const keyword = (text: string) => Effect.map(find(text, { mode: "keyword" }), where)
        assert.deepStrictEqual(yield* keyword("a FOX?"), ["notes:animals.md:1"])
        assert.deepStrictEqual(yield* keyword("harbours"), ["notes:ports/lease.md:2", "notes:ports/lease.md:1"])
        assert.deepStrictEqual(yield* keyword("walrus"), [])
        assert.deepStrictEqual(yield* keyword("\"harbour* AND ("), ["notes:ports/lease.md:2", "notes:ports/lease.md:1"])
        assert.deepStrictEqual(yield* keyword(""), [])
        const [best] = yield* find("fox", { mode: "keyword" })
        assert.strictEqual(best?.score, 1)
        // Words that every text has count where there are no others.
        assert.deepStrictEqual(yield* keyword("in the"), ["notes:ports/lease.md:1", "notes:animals.md:1"])
      }))

    test(
      "fuses both: a word lifts what is as near, and gives what is far its cosine too",
      harbour,
      () =>
        Effect.gen(function*() {
          const hits = yield* find("the lease", { vector: vectorOf([0.8, 0.6, 0]) })
          assert.strictEqual(where(hits)[0], "notes:ports/lease.md:2", "a meaning without the word")
          const scores = new Map(where(hits).map((at, i) => [at, rounded(hits)[i] ?? 0]))
          assert.isAbove(scores.get("notes:ports/lease.md:1") ?? 0, 0.85)
          assert.isAbove(scores.get("papers:lease.md:1") ?? 0, 0.05)
          assert.strictEqual(scores.get("notes:animals.md:1"), 0.6)
          const without = yield* find("the and of", { vector: vectorOf([0.8, 0.6, 0]) })
          assert.deepStrictEqual(rounded(without), [1, 0.8, 0.6, 0.48, 0], "nothing left of the words")
          assert.deepStrictEqual(
            where(yield* find("lease car")),
            ["papers:lease.md:1", "notes:ports/lease.md:1"],
            "no vector"
          )
        })
    )

    test("finds memory among documents: evidence while its Record says so, the last of what is remembered", harbour, (
      caughtUp
    ) =>
      Effect.gen(function*() {
        const said = "We moved the harbour lease to Oslo in May."
        const vectorFor = (text: string, values: ReadonlyArray<number>): LogEntry => ({
          kind: "vector",
          body: new Vector({
            embed_sha256: sha(text),
            model: EmbedderFingerprint.make("m/1"),
            dims: values.length,
            data: encode(Float32Array.from(values))
          })
        })
        yield* append(
          session("claude/a.jsonl", [["r1", "Hello."], ["r2", said]]),
          remembered(
            evidence("L0:1", "r2", said),
            evidence("L0:2", "r2", "never said"),
            sessionMemory("L1:1", "The lease is in Oslo.", ["L0:1"])
          ),
          remembered(consolidated("L2:1", "Leases: Oslo.", ["L1:1"], ["L0:1"]))
        )
        yield* appendAlone(
          embeddedBy("m/1"),
          vectorFor(said, [0.96, 0.28, 0]),
          vectorFor("The lease is in Oslo.", [0, 0, -1])
        )
        yield* caughtUp
        const place = (hits: ReadonlyArray<Hit>) =>
          hits.map((hit) =>
            hit.level === "R" ? `${hit.doc_id}:${hit.lines[0]}` : `${hit.id}${hit.stale ? " stale" : ""}`
          )
        assert.deepStrictEqual(
          place(yield* findAny("", { mode: "vector", vector: vectorOf([1, 0, 0]), k: 3 })),
          ["ports/lease.md:1", "L0:1", "ports/lease.md:2"]
        )
        assert.sameMembers([...place(yield* findAny("Oslo", { mode: "keyword" }))], ["L0:1", "L1:1", "L2:1"])
        const [first] = yield* findAny("moved", { mode: "keyword" })
        assert.deepEqual({ ...first }, {
          chunk_id: piecesOf(MemoryId.make("L0:1"), said)[0]?.chunk_id,
          score: 1,
          level: "L0",
          id: "L0:1",
          profile: "default",
          connector: "notes",
          session_key: "s",
          doc_id: "claude/a.jsonl",
          source_uri: commit("claude/a.jsonl", 1, 0).source_uri,
          lines: [2, 2],
          key: "r2",
          text: said,
          stale: false
        })
        const levels = (...levels: ReadonlyArray<Level>) =>
          Effect.map(findAny("lease Oslo", { mode: "keyword", levels }), place)
        assert.deepStrictEqual(yield* levels("L2"), ["L2:1"])
        assert.sameMembers([...yield* levels("L0", "L1")], ["L0:1", "L1:1"])
        assert.sameMembers([...yield* levels("R")], ["ports/lease.md:1", "lease.md:1"])
        assert.deepStrictEqual(
          place(yield* findAny("Oslo", { mode: "keyword", connector: ConnectorName.make("papers") })),
          []
        )
        assert.deepStrictEqual(place(yield* findAny("Oslo", { mode: "keyword", path: "claude/**" })), ["L0:1"])

        // Another word for the same session; what rested on the old one is not what it was.
        yield* append(remembered(sessionMemory("L1:2", "The lease moved to Oslo.", ["L0:1"])))
        yield* caughtUp
        assert.sameMembers([...place(yield* findAny("Oslo", { mode: "keyword" }))], ["L0:1", "L1:2", "L2:1 stale"])
        yield* append({ entries: [], commit: { ...commit("claude/a.jsonl", 1, 0), removed: true } })
        yield* caughtUp
        assert.sameMembers([...place(yield* findAny("Oslo", { mode: "keyword" }))], ["L1:2 stale", "L2:1 stale"])
        yield* append(session("claude/a.jsonl", [["r1", "Hello."], ["r2", said]]))
        yield* caughtUp
        assert.sameMembers([...place(yield* findAny("Oslo", { mode: "keyword" }))], ["L0:1", "L1:2", "L2:1 stale"])
        yield* append(
          remembered(mark("L1", "L1:2", "retired"), mark("L2", "L2:1", "stale"), mark("L0", "L0:1", "retired"))
        )
        yield* caughtUp
        assert.deepStrictEqual(place(yield* findAny("Oslo", { mode: "keyword" })), ["L2:1 stale"])
      }))

    test("filters before it counts", [
      ...Array.from({ length: 150 }, (_, i) => ({
        id: `near/${i}.md`,
        passages: [{ text: "lease lease", vector: [1, i / 1000, 0] }]
      })),
      { id: "far/x.md", passages: [{ text: "a lease", vector: [0, 0, 1] }] },
      { id: "far/y.md", connector: "papers", passages: [{ text: "a lease too", vector: [0, 0.1, 1] }] }
    ], () =>
      Effect.gen(function*() {
        for (const mode of ["hybrid", "vector", "keyword"] as const) {
          const ask = (filter: Partial<SearchQuery>) =>
            Effect.map(find("lease", { mode, vector: vectorOf([1, 0, 0]), k: 2, ...filter }), where)
          assert.sameMembers([...yield* ask({ path: "far/**" })], ["notes:far/x.md:1", "papers:far/y.md:1"])
          assert.deepStrictEqual(yield* ask({ path: "far/*.md", connector: ConnectorName.make("papers") }), [
            "papers:far/y.md:1"
          ])
          assert.deepStrictEqual(yield* ask({ connector: ConnectorName.make("papers") }), ["papers:far/y.md:1"])
          assert.deepStrictEqual(yield* ask({ path: "*.md" }), [])
          assert.deepStrictEqual(yield* ask({ connector: ConnectorName.make("nobody") }), [])
          assert.lengthOf(yield* ask({ k: 0 }), 0)
          assert.lengthOf(yield* ask({ k: 500, path: "near/**" }), 150)
        }
      }))

    test("breaks ties by chunk_id, however many there are", [
      ...Array.from({ length: 300 }, (_, i) => ({ id: `${i}.md`, passages: [{ text: "the same", vector: [0, 1, 0] }] }))
    ], () =>
      Effect.gen(function*() {
        for (const mode of ["hybrid", "vector", "keyword"] as const) {
          const hits = yield* find("same", { mode, vector: vectorOf([0, 1, 0]), k: 5 })
          const ids = Array.from({ length: 300 }, (_, i) => String(passageId(`notes ${i}.md`, 1, 0))).sort()
          assert.deepStrictEqual(hits.map(({ chunk_id }) => String(chunk_id)), ids.slice(0, 5))
        }
      }))

    test("never mixes models: compares what is of the question's, and refuses where nothing is", [
      { id: "new.md", model: "new/1", passages: [{ text: "alpha", vector: [1, 0, 0] }] },
      { id: "old.md", model: "old/1", passages: [{ text: "beta", vector: [1, 0, 0] }] },
      { id: "older.md", model: "old/1", passages: [{ text: "gamma", vector: [1, 0, 0] }] },
      { id: "none.md", model: "none", passages: [{ text: "delta" }] }
    ], (caughtUp) =>
      Effect.gen(function*() {
        const by = (model: string, query: Partial<SearchQuery> = {}) =>
          find("beta delta", { vector: vectorOf([1, 0, 0], model), ...query })
        assert.deepStrictEqual(where(yield* by("new/1", { mode: "vector" })), ["notes:new.md:1"])
        const hits = yield* by("new/1")
        assert.strictEqual(where(hits)[0], "notes:new.md:1")
        assert.sameMembers([...where(hits)], ["notes:new.md:1", "notes:old.md:1", "notes:none.md:1"])
        assert.isTrue(hits.slice(1).every(({ score }) => score <= 0.1), "the others by their words alone")
        for (const mode of ["hybrid", "vector"] as const) {
          const error = yield* Effect.flip(by("newest/1", { mode }))
          assert.deepInclude(error, { _tag: "EmbedderMismatch", index: "old/1", query: "newest/1" })
          const length = yield* Effect.flip(find("beta", { mode, vector: vectorOf([1, 0], "old/1") }))
          assert.match(length.message, /old\/1 \(3 values\).*old\/1 \(2 values\)/)
          const filtered = yield* Effect.flip(by("new/1", { mode, path: "old*.md" }))
          assert.deepInclude(filtered, { _tag: "EmbedderMismatch", index: "old/1", query: "new/1" })
        }
        assert.lengthOf(yield* by("newest/1", { mode: "keyword" }), 2)
        // Stored without vectors: words are all there is, and asking for more is refused.
        assert.deepStrictEqual(where(yield* by("new/1", { path: "none.md" })), ["notes:none.md:1"])
        assert.deepInclude(yield* Effect.flip(by("new/1", { path: "none.md", mode: "vector" })), { index: "none" })
        assert.deepStrictEqual(yield* by("new/1", { path: "nothing", mode: "vector" }), [])
        // Same length, another model: swapped, and found by the new one alone (smaramwbc/statewave#421).
        yield* append(documentGroup({ id: "old.md", model: "new/1", passages: [{ text: "beta", vector: [0, 1, 0] }] }))
        yield* caughtUp
        const swapped = yield* by("new/1", { mode: "vector" })
        assert.deepStrictEqual([where(swapped), rounded(swapped)], [["notes:new.md:1", "notes:old.md:1"], [1, 0]])
        assert.deepStrictEqual(where(yield* by("old/1", { mode: "vector" })), ["notes:older.md:1"])
      }))

    test("takes a vector that points nowhere as none", harbour, () =>
      Effect.gen(function*() {
        for (const values of [[0, 0, 0], [Number.NaN, 1, 0]]) {
          assert.deepStrictEqual(where(yield* find("fox", { vector: vectorOf(values) })), ["notes:animals.md:1"])
        }
      }))

    test("forgets what is replaced or removed", harbour, (caughtUp) =>
      Effect.gen(function*() {
        yield* append(
          documentGroup({
            id: "animals.md",
            version: 2,
            passages: [{ text: "A badger digs.", vector: [0, 0.9, 0.1] }]
          }),
          removal({ id: "lease.md", connector: "papers", passages: [] })
        )
        yield* caughtUp
        assert.deepStrictEqual(yield* find("fox"), [])
        assert.deepStrictEqual(where(yield* find("badgers")), ["notes:animals.md:1"])
        assert.deepStrictEqual(where(yield* find("lease")), ["notes:ports/lease.md:1"])
        const near = yield* find("", { mode: "vector", vector: vectorOf([0, 0, 1]), k: 1 })
        assert.deepStrictEqual(where(near), ["notes:ports/tide.md:1"])
      }))

    test(
      "finds what sessions hold by its words, of whom, by what, when and where it is asked",
      [],
      (caughtUp) =>
        Effect.gen(function*() {
          const claude = ConnectorName.make("claude")
          const say = (key: string, text: string, more: Partial<Record> = {}): LogEntry => ({
            kind: "record",
            body: new Record({ key: RecordKey.make(key), text, ...more })
          })
          const demo = new RecordMeta({ cwd: "/w/dé mo" })
          const at = (day: string) => Timestamp.make(`2026-05-${day}T09:00:00.000Z`)
          const session = (doc: string, ...entries: ReadonlyArray<LogEntry>): LogGroup => ({
            entries,
            commit: { ...commit(doc, 1, 0), connector: claude }
          })
          yield* append(
            session(
              "s1",
              say("a", "Which port does the demo server use?", { at: at("01"), meta: demo }),
              say("b", "listen(port)", {
                role: "tool",
                kind: "tool_result",
                tool_name: "Read",
                at: at("02"),
                meta: demo
              }),
              say("c", "The port", { role: "assistant" })
            ),
            session(
              "s2",
              say("d", "Ports are ships' homes\0, a port is.", { at: at("03"), meta: new RecordMeta({ cwd: "/w/x" }) })
            ),
            session("s1", say("e", "The port is 4317.", { role: "assistant", supersedes: RecordKey.make("c") }))
          )
          yield* caughtUp
          const found = (more: Partial<RecordQuery> = {}) =>
            Effect.flatMap(Search, (service) => service.records({ text: "port", k: 10, ...more })).pipe(
              Effect.map((hits) => hits.map(({ doc_id, key, lines: [n] }) => `${doc_id}:${n} ${key}`).sort())
            )
          assert.deepStrictEqual(yield* found(), ["s1:1 a", "s1:2 b", "s1:3 e", "s2:1 d"])
          assert.deepStrictEqual(yield* found({ role: "tool" }), ["s1:2 b"])
          assert.deepStrictEqual(yield* found({ tool: "Read" }), ["s1:2 b"])
          assert.deepStrictEqual(yield* found({ since: "2026-05-02" }), ["s1:2 b", "s2:1 d"])
          assert.deepStrictEqual(yield* found({ since: "2026-05-02", until: "2026-05-03" }), ["s1:2 b"])
          assert.deepStrictEqual(yield* found({ project: "/w/dé*" }), ["s1:1 a", "s1:2 b"])
          assert.deepStrictEqual(yield* found({ path: "s2" }), ["s2:1 d"])
          assert.deepStrictEqual(yield* found({ connector: ConnectorName.make("notes") }), [])
          assert.deepStrictEqual(yield* found({ text: "nothing of that" }), [])
          assert.lengthOf(yield* found({ k: 1 }), 1)
          assert.deepStrictEqual(yield* find("port", { mode: "keyword" }), [], "they are no passages")
          yield* append({ entries: [], commit: { ...commit("s1", 2, 0), connector: claude, removed: true } })
          yield* caughtUp
          assert.deepStrictEqual(yield* found(), ["s2:1 d"])
        })
    )
  })
}

const words = ["harbour", "lease", "fox", "running", "tide", "rent"]

/**
 * Histories of a small vault, in which much is alike. Two vectors are the same or have two cosines: what is equal but
 * for rounding has no order that all could agree upon.
 */
export const history: FastCheck.Arbitrary<ReadonlyArray<Document & { readonly gone: boolean }>> = FastCheck.array(
  FastCheck.record({
    id: FastCheck.constantFrom("a.md", "b.md", "sub/c.md", "sub/d.md", "e.md"),
    connector: FastCheck.constantFrom("notes", "papers"),
    gone: FastCheck.constantFrom(false, false, false, true),
    passages: FastCheck.array(
      FastCheck.record({
        text: FastCheck.array(FastCheck.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((all) =>
          all.join(" ")
        ),
        vector: FastCheck.tuple(...[0, 1, 2].map(() => FastCheck.constantFrom(-0.93, 0.51, 1.07)))
      }),
      { maxLength: 3 }
    )
  }),
  { minLength: 1, maxLength: 12 }
).map((all) => all.map((document, version) => ({ ...document, version })))

export const groupsOf = (all: ReadonlyArray<Document & { readonly gone: boolean }>): ReadonlyArray<LogGroup> =>
  all.map((document) => document.gone ? removal(document) : documentGroup(document))

export const queries: FastCheck.Arbitrary<SearchQuery> = FastCheck.record({
  text: FastCheck.array(FastCheck.constantFrom(...words, "the", "nothing"), { maxLength: 3 }).map((all) =>
    all.join(" ")
  ),
  mode: FastCheck.constantFrom(...(["hybrid", "hybrid", "vector", "keyword"] as const)),
  k: FastCheck.integer({ min: 1, max: 6 }),
  vector: FastCheck.tuple(...[0.71, 0.33, 1.21].map((value) => FastCheck.constantFrom(-value, value))).map((values) =>
    vectorOf(values)
  ),
  connector: FastCheck.constantFrom(...["notes", "papers"].map((name) => ConnectorName.make(name))),
  path: FastCheck.constantFrom("**", "*.md", "sub/*")
}, { requiredKeys: ["text", "mode", "k", "vector"] })
