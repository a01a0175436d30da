/** What every log keeps, given a reader and a writer of one that is empty. */
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { type LocatedRecord, LogReader } from "../../services/LogReader.ts"
import type { LogGroup, LogWriter } from "../../services/LogWriter.ts"
import { RecordKey } from "../../src/domain/Ids.ts"
import type { LogEntry } from "../../src/domain/LogRecord.ts"
import { Record } from "../../src/domain/Record.ts"
import { encode, maxLineBytes } from "../../src/log/Codec.ts"
import { all, append, appendAlone, commit, exclusion, group, outline, vector } from "../fixtures/LogGroups.ts"

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

const tooLarge: LogEntry = {
  kind: "record",
  body: new Record({ key: RecordKey.make("k"), text: "a".repeat(maxLineBytes) })
}

const isContiguous = (lines: ReadonlyArray<LocatedRecord>): void => {
  assert.deepStrictEqual(lines.map(({ record }) => Number(record.seq)), lines.map((_, i) => i + 1))
}

type Fixture = Effect.Effect<Layer.Layer<LogReader | LogWriter, unknown>, never, Scope.Scope>

export const contract = (name: string, fixture: Fixture): void => {
  const test = (title: string, body: Effect.Effect<void, unknown, LogReader | LogWriter>) =>
    it.scopedLive(title, () => Effect.flatMap(fixture, (layer) => Effect.provide(body, layer)))

  describe(`Log/${name}`, () => {
    test(
      "is empty before the first write, and nothing at all appended leaves it so",
      Effect.gen(function*() {
        const reader = yield* LogReader
        assert.deepStrictEqual(yield* append(), [])
        yield* appendAlone()
        assert.deepStrictEqual(yield* all(), [])
        assert.deepStrictEqual(yield* all({ segment: 1, offset: 0 }), [])
        assert.isTrue(Option.isNone(yield* reader.last))
        assert.deepStrictEqual(yield* reader.segments, [])
      })
    )

    test(
      "gives groups back in order, each with its txn and the number of its lines",
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* append(group("a"))).map(Number), [6])
        assert.deepStrictEqual((yield* append(group("b", { passages: 0 }))).map(Number), [7])
        const three = [1, 0, 1].map((passages, i) => group("cde".charAt(i), { passages }))
        assert.deepStrictEqual((yield* append(...three)).map(Number), [10, 11, 14])
        const lines = yield* all()
        assert.deepStrictEqual(outline(lines), [
          "1 segment",
          "2 vector^2",
          "3 reference^2",
          "4 vector^2",
          "5 reference^2",
          "6 commit^2/4",
          "7 commit^7/0",
          "8 vector^8",
          "9 reference^8",
          "10 commit^8/2",
          "11 commit^11/0",
          "12 vector^12",
          "13 reference^12",
          "14 commit^12/2"
        ])
        assert.deepStrictEqual(lines.slice(1, 5).map(({ record: { body, kind } }) => ({ kind, body })), [
          ...group("a").entries
        ])
        const bodies = lines.flatMap(({ record }) => record.kind === "commit" ? [record.body] : [])
        assert.deepStrictEqual(bodies.map(({ doc_id }) => String(doc_id)), ["a", "b", "c", "d", "e"])
        // All groups of one write know the same: what was there when it began.
        const begins = [1, 6, 7, 7, 7].map((i) => lines[i]?.position.offset)
        assert.deepStrictEqual(bodies.map(({ durable_to }) => durable_to), begins)
      })
    )

    test(
      "gives records that stand alone no group",
      Effect.gen(function*() {
        yield* appendAlone(vector("a"), exclusion("x", true))
        yield* append(group("a", { passages: 1 }))
        yield* appendAlone(exclusion("x", false))
        assert.deepStrictEqual(outline(yield* all()), [
          "1 segment",
          "2 vector",
          "3 exclusion",
          "4 vector^4",
          "5 reference^4",
          "6 commit^4/2",
          "7 exclusion"
        ])
      })
    )

    test(
      "knows where each line stands, and reads on from there",
      Effect.gen(function*() {
        const reader = yield* LogReader
        yield* append(group("é 漢字"), group("b"))
        yield* append(group("c", { text: "ß".repeat(100_000), passages: 1 }))
        const lines = yield* all()
        let offset = 0
        for (const [i, { length, position, record }] of lines.entries()) {
          assert.deepStrictEqual(position, { segment: 1, offset })
          assert.strictEqual(length, Either.getOrThrow(encode(record)).length)
          assert.deepStrictEqual(yield* reader.at(position), record)
          assert.deepStrictEqual(yield* all(position), lines.slice(i))
          offset += length
        }
        assert.deepStrictEqual(yield* all({ segment: 1, offset }), [])
        assert.deepStrictEqual(yield* all({ segment: 2, offset: 0 }), [])
        assert.deepStrictEqual(yield* reader.last, Option.fromNullable(lines.at(-1)))
        assert.deepStrictEqual(yield* reader.segments, [{ number: 1, bytes: offset }])
      })
    )

    test(
      "shows whoever inspects it every line and what its segments are, and no fault",
      Effect.gen(function*() {
        const reader = yield* LogReader
        const inspected = Effect.map(Stream.runCollect(reader.inspect), Chunk.toReadonlyArray)
        assert.deepStrictEqual(yield* inspected, [])
        yield* append(group("a"), group("é 漢字"))
        yield* append(group("b", { text: "ß".repeat(100_000), passages: 1 }))
        const lines = yield* all()
        const found = yield* inspected
        assert.deepStrictEqual(found.slice(0, -1), lines.map((line) => ({ _tag: "Line", line })))
        const bytes = Buffer.concat(lines.map(({ record }) => Either.getOrThrow(encode(record))))
        const end = found.at(-1)
        assert.deepInclude(end?._tag === "Segment" ? end.summary : {}, {
          segment: 1,
          bytes: bytes.length,
          sha256: sha256(bytes),
          // What the last write knew.
          durable_to: lines.at(-3)?.position.offset
        })
      })
    )

    test(
      "fails with damage where no line begins",
      Effect.gen(function*() {
        const reader = yield* LogReader
        yield* append(group("a"))
        const error = yield* Effect.flip(reader.at({ segment: 1, offset: 3 }))
        assert.deepInclude(error, { _tag: "LogDamaged", offset: 3 })
      })
    )

    test(
      "hands its lines over in batches, not one by one",
      Effect.gen(function*() {
        const reader = yield* LogReader
        yield* append(...Array.from({ length: 100 }, (_, i) => group(`d${i}`)))
        const batches = yield* Stream.runCollect(Stream.chunks(reader.records()))
        assert.isBelow(Chunk.size(batches), 20)
        assert.strictEqual(Chunk.size(Chunk.flatten(batches)), 501)
      })
    )

    test(
      "refuses a record that is too large, and its own append only",
      Effect.gen(function*() {
        const large = (doc: string): LogGroup => ({ entries: [tooLarge], commit: commit(doc, 1, 0) })
        const first = yield* Effect.flip(append(large("first")))
        assert.deepInclude(first, { _tag: "LogRecordTooLarge", kind: "record", limit: maxLineBytes })
        assert.deepStrictEqual(yield* all(), [])
        const exits = yield* Effect.all([
          Effect.exit(append(group("a"))),
          Effect.exit(append(group("lost"), large("b"))),
          Effect.exit(appendAlone(tooLarge)),
          Effect.exit(append(group("c")))
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(exits.map(({ _tag }) => _tag === "Success"), [true, false, false, true])
        const lines = yield* all()
        isContiguous(lines)
        assert.deepStrictEqual(
          lines.flatMap(({ record }) => record.kind === "commit" ? [String(record.body.doc_id)] : []),
          ["a", "c"]
        )
      })
    )

    test(
      "keeps groups whole whoever appends at the same time, and shows a reader a prefix of whole lines meanwhile",
      Effect.gen(function*() {
        const seen: Array<ReadonlyArray<LocatedRecord>> = []
        const look = Effect.map(all(), (lines) => {
          seen.push(lines)
        })
        const seqs = yield* Effect.forEach(
          Array.from({ length: 60 }, (_, i) => i),
          (i) => Effect.tap(append(group(`d${i}`)), () => i % 10 === 0 ? look : Effect.void),
          { concurrency: 16 }
        ).pipe(Effect.zipLeft(Effect.repeatN(look, 20), { concurrent: true }))
        const lines = yield* all()
        isContiguous(lines)
        assert.strictEqual(lines.length, 301)
        for (const prefix of seen) assert.deepStrictEqual(outline(prefix), outline(lines.slice(0, prefix.length)))
        for (const [i, [seq]] of seqs.entries()) {
          const at = lines[Number(seq) - 1]?.record
          assert.isTrue(at?.kind === "commit" && at.body.doc_id === `d${i}` && at.txn === at.seq - 4)
        }
      })
    )
  })
}
