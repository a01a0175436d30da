/** What every projection keeps: it shows what is live by the log, however it is fed. */
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { LogReader } from "../../services/LogReader.ts"
import type { LogWriter } from "../../services/LogWriter.ts"
import { Projection } from "../../services/Projection.ts"
import { EmbedderFingerprint } from "../../src/domain/Ids.ts"
import type { LogEntry } from "../../src/domain/LogRecord.ts"
import type { DumpLine } from "../../src/domain/RebuildReport.ts"
import { Vector } from "../../src/domain/Reference.ts"
import {
  append,
  appendAlone,
  commit,
  exclusion,
  group,
  model,
  passageId,
  reference,
  sha,
  vector
} from "../fixtures/LogGroups.ts"

type Services = LogReader | LogWriter | Projection

export interface Fixture {
  readonly layer: Layer.Layer<Services, unknown>
  /** Brings the index up to the log: with the projection itself, or with the writer of what it reads. */
  readonly caughtUp: Effect.Effect<unknown, unknown, Services>
  /** Where there is no file that could be behind, or not. */
  readonly withoutFile?: boolean
}

export const dumped = (embeddings = true) =>
  Effect.flatMap(Projection, ({ dump }) => Stream.runCollect(dump({ embeddings }))).pipe(
    Effect.map((lines): ReadonlyArray<DumpLine> => Chunk.toReadonlyArray(lines))
  )

/** The passages of a dump. */
export const dumpedReferences = (embeddings = true) =>
  Effect.map(dumped(embeddings), (lines) => lines.flatMap((line) => line.kind === "reference" ? [line] : []))

/** `doc ordinal`, and `+` with an embedding. */
const outline = Effect.map(
  dumpedReferences(),
  (lines) => lines.map(({ doc_id, embedding, ordinal }) => `${doc_id} ${ordinal}${embedding === undefined ? "" : "+"}`)
)

const twice = (text: string, data: string): LogEntry => ({
  kind: "vector",
  body: new Vector({ embed_sha256: sha(text), model, dims: 1, data })
})

export const contract = (name: string, fixture: Effect.Effect<Fixture, unknown, Scope.Scope>): void => {
  const test = (
    title: string,
    body: (
      caughtUp: Effect.Effect<unknown, unknown, Services>,
      withoutFile: boolean
    ) => Effect.Effect<void, unknown, Services>
  ) =>
    it.scopedLive(
      title,
      () =>
        Effect.flatMap(fixture, ({ caughtUp, layer, withoutFile = false }) =>
          Effect.provide(body(caughtUp, withoutFile), layer))
    )

  describe(`Projection/${name}`, () => {
    test("is empty before the first line, and says so", (caughtUp) =>
      Effect.gen(function*() {
        const projection = yield* Projection
        yield* caughtUp
        assert.deepStrictEqual(yield* projection.last, Option.none())
        assert.deepStrictEqual(yield* dumped(), [])
        assert.deepInclude(yield* projection.status, { state: "missing", behind: 0 })
      }))

    test(
      "shows every live passage in order, by code units, with its vector where that is asked for",
      (caughtUp, withoutFile) =>
        Effect.gen(function*() {
          const projection = yield* Projection
          const names = ["\u{FFFD}", "b", "\u{1F4E6}", "B", "a b", "a"]
          yield* append(...names.map((doc) => ({
            entries: [1, 0].flatMap((ordinal) => [vector(`${doc} ${ordinal}`), reference(doc, 1, ordinal)]),
            commit: commit(doc, 1, 2)
          })))
          yield* caughtUp
          assert.deepStrictEqual(
            yield* outline,
            [...names].sort().flatMap((doc) => [`${doc} 0+`, `${doc} 1+`])
          )
          const [first] = yield* dumped()
          assert.deepEqual({ ...first }, {
            kind: "reference",
            level: "R",
            connector: commit("B", 1, 2).connector,
            doc_id: commit("B", 1, 2).doc_id,
            source_uri: commit("B", 1, 2).source_uri,
            content_hash: commit("B", 1, 2).content_hash,
            ordinal: 0,
            chunk_id: passageId("B", 1, 0),
            heading_path: [],
            lines: [1, 1],
            tokens: 1,
            text: "B 0",
            embedding: "AACAPw=="
          })
          assert.isTrue((yield* dumped(false)).every((line) => !("embedding" in line)))
          assert.strictEqual((yield* projection.status).state, withoutFile ? "missing" : "current")
        })
    )

    test("keeps text as it is, whatever characters are in it", (caughtUp) =>
      Effect.gen(function*() {
        const text = "\u{FEFF}zero \0 behind\r\n\u{1F4E6} é é \u{2028}'\"%"
        yield* append(
          { entries: [reference("nul\0in the name", 1, 0, text)], commit: commit("nul\0in the name", 1, 1) },
          group("nul\0in another")
        )
        yield* caughtUp
        const lines = yield* dumpedReferences()
        assert.deepStrictEqual(lines.map(({ doc_id }) => String(doc_id)), [
          "nul\0in another",
          "nul\0in another",
          "nul\0in the name"
        ])
        assert.strictEqual(lines[2]?.text, text)
      }))

    test("follows a document through versions, removal and return", (caughtUp) =>
      Effect.gen(function*() {
        yield* append(group("a"), group("b"))
        yield* caughtUp
        yield* append(group("a", { version: 2, passages: 1 }))
        yield* caughtUp
        assert.deepStrictEqual((yield* dumpedReferences()).map(({ chunk_id }) => chunk_id), [
          passageId("a", 2, 0),
          passageId("b", 1, 0),
          passageId("b", 1, 1)
        ])
        yield* append({ entries: [], commit: { ...commit("b", 1, 0), removed: true } })
        yield* appendAlone(exclusion("b", true))
        yield* caughtUp
        assert.deepStrictEqual(yield* outline, ["a 0"])
        yield* append(group("b"), { entries: [], commit: commit("a", 3, 0) })
        yield* caughtUp
        assert.deepStrictEqual(yield* outline, ["b 0", "b 1"])
      }))

    test("gives a passage the last vector that the log has of its text, by the model of its document", (caughtUp) =>
      Effect.gen(function*() {
        const other = EmbedderFingerprint.make("other/1/1")
        yield* append({ entries: [reference("a", 1, 0)], commit: commit("a", 1, 1) })
        yield* caughtUp
        assert.deepStrictEqual(yield* outline, ["a 0"], "there is none")
        yield* appendAlone(vector("a 0"))
        yield* caughtUp
        assert.deepStrictEqual(yield* outline, ["a 0+"], "it came late")
        yield* appendAlone(twice("a 0", "AAAAQA=="))
        yield* caughtUp
        assert.strictEqual((yield* dumpedReferences())[0]?.embedding, "AAAAQA==", "it came again")
        yield* appendAlone(twice("a 0", "AAAAAA=="), twice("a 0", "AAAAQAAAAEA="))
        yield* caughtUp
        assert.strictEqual(
          (yield* dumpedReferences())[0]?.embedding,
          "AAAAQA==",
          "neither points anywhere, nor has one value"
        )
        yield* append({ entries: [], commit: { ...commit("a", 1, 1), embedder: other } })
        yield* caughtUp
        assert.deepStrictEqual(yield* outline, ["a 0"], "of another model")
        yield* append({ entries: [], commit: commit("a", 1, 1) })
        yield* caughtUp
        assert.strictEqual((yield* dumpedReferences())[0]?.embedding, "AAAAQA==", "the first model again")
        yield* append(group("b", { text: "a 0", passages: 1 }))
        yield* caughtUp
        assert.deepStrictEqual(yield* outline, ["a 0+", "b 0+"], "a twin needs no vector of its own")
      }))

    test("catches up from wherever it stands, and has nothing to do a second time", (caughtUp) =>
      Effect.gen(function*() {
        const projection = yield* Projection
        const reader = yield* LogReader
        for (const doc of ["a", "b", "c"]) {
          yield* append(group(doc))
          yield* caughtUp
          const last = Option.getOrThrow(yield* reader.last)
          assert.deepStrictEqual(
            yield* projection.last,
            Option.some({
              seq: Number(last.record.seq),
              at: String(last.record.at),
              position: last.position,
              length: last.length
            })
          )
        }
        const before = yield* dumped()
        yield* caughtUp
        assert.deepStrictEqual(yield* dumped(), before)
        assert.lengthOf(before, 6)
      }))
  })
}

/** What a projection that can be written keeps beyond that. */
export const writerContract = (name: string, fixture: Effect.Effect<Fixture, unknown, Scope.Scope>): void => {
  describe(`Projection/${name}, written`, () => {
    it.scopedLive("folds whole groups only, and stands before one that is open", () =>
      Effect.flatMap(fixture, ({ layer }) =>
        Effect.provide(
          Effect.gen(function*() {
            const projection = yield* Projection
            yield* append(group("a"), group("b"))
            const lines = Chunk.toReadonlyArray(yield* Stream.runCollect((yield* LogReader).records()))
            const seq = Effect.map(projection.last, Option.match({ onNone: () => 0, onSome: ({ seq }) => seq }))
            yield* projection.apply(lines.slice(0, 4))
            assert.deepStrictEqual([yield* seq, yield* outline], [1, []])
            yield* projection.apply(lines.slice(4, 8))
            assert.deepStrictEqual([yield* seq, yield* outline], [6, ["a 0", "a 1"]])
            // Whoever reads on from there hands over the open group's lines once more.
            yield* projection.apply(lines.slice(6))
            assert.deepStrictEqual([yield* seq, yield* outline], [11, ["a 0", "a 1", "b 0", "b 1"]])
            yield* projection.apply([])
            assert.strictEqual(yield* seq, 11)
          }),
          layer
        )))

    it.scopedLive("is empty again when it was cleared", () =>
      Effect.flatMap(fixture, ({ caughtUp, layer }) =>
        Effect.provide(
          Effect.gen(function*() {
            const projection = yield* Projection
            yield* append(group("a"))
            yield* caughtUp
            const before = yield* dumped()
            yield* projection.clear
            assert.deepStrictEqual([yield* projection.last, yield* dumped()], [Option.none(), []])
            yield* caughtUp
            assert.deepStrictEqual(yield* dumped(), before)
          }),
          layer
        )))
  })
}
