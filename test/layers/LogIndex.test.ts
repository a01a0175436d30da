import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ArtifactsFromLog from "../../layers/ArtifactRegistry/FromLog.ts"
import * as Sqlite from "../../layers/Projection/Sqlite.ts"
import * as RecordsFromLog from "../../layers/RecordIndex/FromLog.ts"
import * as VectorsFromLog from "../../layers/VectorIndex/FromLog.ts"
import { ArtifactRegistry } from "../../services/ArtifactRegistry.ts"
import { type LocatedRecord, LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { Projection } from "../../services/Projection.ts"
import { RecordIndex } from "../../services/RecordIndex.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { ConnectorName, EmbedderFingerprint, RecordKey, type Sha256 } from "../../src/domain/Ids.ts"
import { gather, type Open } from "../../src/log/Gather.ts"
import { paragraphsOf } from "../../src/memory/KnownParagraphs.ts"
import { catchUp } from "../../src/sync/CatchUp.ts"
import { rebuild } from "../../src/sync/rebuild.ts"
import { engines } from "../fixtures/Index.ts"
import { sha } from "../fixtures/LogGroups.ts"
import { lines as linesOf, randomLog, readerOf } from "../fixtures/RandomLog.ts"

const noWriter = Layer.succeed(LogWriter, { append: () => Effect.succeed([]), appendAlone: () => Effect.void })

const kinds = ["a/1", "b/1", "c/1"].flatMap((model) =>
  [3, 4].map((dims) => ({ model: EmbedderFingerprint.make(model), dims }))
)

const connectors = ["notes", "papers"].map((name) => ConnectorName.make(name))

/** All that the indexes know of these texts, keys and paragraphs. */
const all = (texts: ReadonlyArray<Sha256>, keys: ReadonlyArray<RecordKey>, paragraphs: ReadonlyArray<Sha256>) =>
  Effect.gen(function*() {
    const artifacts = yield* ArtifactRegistry
    const vectors = yield* VectorIndex
    const records = yield* RecordIndex
    return {
      vectors: yield* Effect.forEach(
        kinds,
        (kind) => Effect.map(vectors.positions(kind, texts), (found) => [...found].sort())
      ),
      records: yield* Effect.forEach(
        connectors,
        (connector) => Effect.map(records.positions(connector, keys), (found) => [...found].sort())
      ),
      artifacts: [...yield* artifacts.matches(paragraphs)].sort()
    }
  })

/** Every paragraph that a version of a document may have had. */
const paragraphsIn = (lines: ReadonlyArray<LocatedRecord>): ReadonlyArray<Sha256> => {
  let open: Open = Option.none()
  return lines.flatMap((line) => {
    const [next, counted] = gather(open, line)
    open = next
    if (line.record.kind === "artifact") return [line.record.body.text_sha256]
    return Option.isSome(counted) && counted.value._tag === "Group" ? paragraphsOf(counted.value) : []
  })
}

describe("VectorIndex, RecordIndex and ArtifactRegistry", () => {
  it.scopedLive.prop(
    "is the same in the tables as folded from the log, wherever the tables stand",
    { acts: randomLog, folded: FastCheck.nat(100), grown: FastCheck.nat(100) },
    ({ acts, folded, grown }) =>
      Effect.gen(function*() {
        // Those that no reader could use are in no table, and cost whoever tries them a read.
        const lines = linesOf(
          acts.map((act) => ["zero", "short"].includes(act.value) ? { ...act, value: "usual" } : act)
        )
        const texts = [
          ...new Set(lines.flatMap(({ record }) => record.kind === "vector" ? [record.body.embed_sha256] : [])),
          sha("never")
        ]
        const keys = [
          ...new Set(lines.flatMap(({ record }) => record.kind === "record" ? [record.body.key] : []))
        ]
        const paragraphs = paragraphsIn(lines)
        let size = Math.min(lines.length, folded)
        let read = 0
        const reader = readerOf(lines, { batch: 7, size: () => size })
        const counting: LogReader["Type"] = {
          ...reader,
          records: (from) => {
            if (from === undefined) read++
            return reader.records(from)
          }
        }
        const log = Layer.merge(Layer.succeed(LogReader, counting), noWriter)
        yield* Effect.provide(
          Effect.gen(function*() {
            const vectors = yield* VectorsFromLog.make
            const records = yield* RecordsFromLog.make
            const artifacts = yield* ArtifactsFromLog.make
            const folded = all(texts, keys, paragraphs).pipe(
              Effect.provideService(ArtifactRegistry, artifacts),
              Effect.provideService(VectorIndex, vectors),
              Effect.provideService(RecordIndex, records)
            )
            const same = Effect.gen(function*() {
              assert.deepStrictEqual(yield* all(texts, keys, paragraphs), yield* folded)
            })
            yield* catchUp
            yield* same
            const begun = Option.isSome(yield* Effect.flatMap(Projection, ({ last }) => last))
            read = 0
            size = Math.min(lines.length, size + grown)
            yield* same
            size = lines.length
            yield* same
            yield* catchUp
            yield* same
            if (begun) assert.strictEqual(read, 0, "of the log only the tail")
            yield* Effect.flatMap(Projection, ({ clear }) => clear)
            yield* same
            yield* rebuild
            yield* same
          }),
          Layer.provideMerge(Sqlite.memory({ engine: engines.vec0 }), log)
        )
      }),
    { fastCheck: { numRuns: 25, endOnFailure: true } }
  )

  it.scopedLive("a session that was taken out is known no more, though the tables hold it still", () =>
    Effect.gen(function*() {
      const act = { connector: "notes", doc: "a.md", texts: [0], keys: ["a"], model: "none" } as const
      const whole = { brings: "none", value: "usual", fate: "whole", where: 0 } as const
      const lines = linesOf([{ do: "records", ...act, ...whole }, { do: "remove", ...act, ...whole }])
      const archived = lines.findIndex(({ record }) => record.kind === "commit") + 1
      let size = archived
      const log = Layer.succeed(LogReader, readerOf(lines, { batch: 7, size: () => size }))
      yield* Effect.provide(
        Effect.gen(function*() {
          const { positions } = yield* RecordIndex
          const [notes = ConnectorName.make("notes")] = connectors
          const known = Effect.map(positions(notes, [RecordKey.make("r a")]), (found) => found.size)
          yield* catchUp
          assert.strictEqual(yield* known, 1)
          size = lines.length
          assert.strictEqual(yield* known, 0)
          yield* catchUp
          assert.strictEqual(yield* known, 0)
        }),
        Layer.provideMerge(Sqlite.memory({ engine: engines.vec0 }), Layer.merge(log, noWriter))
      )
    }))
})
