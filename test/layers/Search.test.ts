import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import * as Readable from "../../layers/Projection/Readable.ts"
import * as Sqlite from "../../layers/Projection/Sqlite.ts"
import { Search, type SearchQuery } from "../../services/Search.ts"
import type { Hit } from "../../src/domain/SearchReport.ts"
import { catchUp } from "../../src/sync/CatchUp.ts"
import { contract, documentGroup, type Fixture, groupsOf, history, queries, vectorOf } from "../contracts/Search.ts"
import { engines, inMemoryOf, newLog, quiet, warnings, writing } from "../fixtures/Index.ts"
import { append } from "../fixtures/LogGroups.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

for (const [form, engine] of Object.entries(engines)) {
  contract(
    `Sqlite in memory, ${form}`,
    Effect.map(newLog, (log): Fixture => ({
      layer: Layer.provideMerge(Sqlite.memory({ engine }), log),
      caughtUp: catchUp
    }))
  )
}

contract(
  "Readable",
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const log = yield* newLog
    return {
      layer: Layer.provideMerge(Readable.layer({ home, engine: engines.vec0 }), log),
      caughtUp: writing(home, log, catchUp)
    }
  })
)

contract(
  "Readable without a file",
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const layer = Layer.provideMerge(Readable.layer({ home, engine: engines.vec0 }), yield* newLog)
    return { layer, caughtUp: Effect.void }
  })
)

const ask = (query: SearchQuery) => Effect.flatMap(Search, ({ search }) => search(query))

/** What can be compared: the hits in order, scores as far as two ways to compute a cosine agree. */
const seen = (hits: ReadonlyArray<Hit>) =>
  hits.map(({ chunk_id, score }) => [chunk_id, Math.round(score * 1e4) / 1e4] as const)

describe("Search", () => {
  it.scopedLive.prop(
    "depends on what is live alone, not on how it came to be; k only cuts, and a filter only leaves out",
    { documents: history, questions: FastCheck.array(queries, { minLength: 3, maxLength: 6 }) },
    ({ documents, questions }) =>
      Effect.gen(function*() {
        const log = yield* newLog
        const all = (query: SearchQuery) => Effect.either(Effect.map(ask(query), seen))
        const answers = Effect.forEach(questions, all)
        // Group by group, so that the index has had to forget.
        const grown = yield* Effect.provide(
          Effect.gen(function*() {
            for (const group of groupsOf(documents)) {
              yield* append(group)
              yield* catchUp
            }
            for (const { connector, k, path, ...query } of questions) {
              const filter = {
                ...(connector === undefined ? {} : { connector }),
                ...(path === undefined ? {} : { path })
              }
              const some = yield* all({ ...query, ...filter, k })
              const every = yield* all({ ...query, ...filter, k: 1000 })
              assert.deepStrictEqual(some, Either.map(every, (hits) => hits.slice(0, k)))
              if (Either.isLeft(every)) continue
              const unfiltered = Either.getOrThrow(yield* all({ ...query, k: 1000 }))
              const left = new Set(every.right.map(([id]) => id))
              if (query.mode === "vector") {
                assert.deepStrictEqual(every.right, unfiltered.filter(([id]) => left.has(id)))
              } else if (query.mode === "keyword") {
                assert.deepStrictEqual(
                  every.right.map(([id]) => id),
                  unfiltered.map(([id]) => id).filter((id) => left.has(id))
                )
              }
            }
            return yield* answers
          }),
          Layer.provideMerge(Sqlite.memory({ engine: engines.vec0 }), log)
        )
        assert.deepStrictEqual(yield* inMemoryOf(log, answers), grown)
        const plain = Layer.provideMerge(Sqlite.memory({ engine: engines.plain }), log)
        assert.deepStrictEqual(yield* Effect.provide(Effect.zipRight(catchUp, answers), plain), grown)
      }).pipe(Effect.provide(quiet)),
    { fastCheck: { numRuns: 12, endOnFailure: true } }
  )

  it.scopedLive("finds the nearest of more than the extension gives at a time", () =>
    Effect.gen(function*() {
      const log = yield* newLog
      const many = Array.from({ length: 50 }, (_, d) =>
        documentGroup({
          id: `${d}.md`,
          passages: Array.from({ length: 100 }, (_, p) => ({ text: "alike", vector: [1, (d * 100 + p) / 5000] }))
        }))
      yield* Effect.provide(append(...many), log)
      const hits = yield* inMemoryOf(log, ask({ text: "", mode: "vector", k: 4500, vector: vectorOf([1, 0]) }))
      assert.lengthOf(hits, 4500)
      assert.deepStrictEqual(hits.slice(0, 3).map(({ doc_id, lines: [line] = [0, 0] }) => `${doc_id} ${line}`), [
        "0.md 1",
        "0.md 2",
        "0.md 3"
      ])
      assert.isTrue(hits.slice(1).every(({ score }, i) => score <= (hits[i]?.score ?? 0)))
    }))

  it.scopedLive("says how many passages only their words can find", () =>
    Effect.gen(function*() {
      const log = yield* newLog
      const { layer, messages } = warnings()
      yield* Effect.provide(
        append(
          documentGroup({ id: "a.md", passages: [{ text: "alpha", vector: [1, 0] }] }),
          documentGroup({ id: "b.md", model: "none", passages: [{ text: "beta" }, { text: "gamma" }] })
        ),
        log
      )
      const question: SearchQuery = { text: "beta", mode: "hybrid", k: 3, vector: vectorOf([1, 0]) }
      yield* inMemoryOf(log, ask(question)).pipe(Effect.provide(layer))
      assert.lengthOf(messages, 1)
      assert.match(messages[0] ?? "", /^2 passages have no vector of this embedder yet/)
      yield* inMemoryOf(log, ask({ ...question, path: "a.md" })).pipe(Effect.provide(layer))
      yield* inMemoryOf(log, ask({ ...question, mode: "keyword" })).pipe(Effect.provide(layer))
      assert.lengthOf(messages, 1)
    }))

  it.scopedLive("finds with an embedder of spelling what shares its spelling, and by words what shares its words", () =>
    Effect.gen(function*() {
      const log = yield* newLog
      const embedder = Hashed.make({ dims: 128 })
      const texts = [
        "The harbour lease ends in spring, and the harbourmaster renews it.",
        "Foxes hide under the shed behind the house.",
        "Postgres listens on port 5432 unless it is told otherwise.",
        "Water the tomatoes twice a day in July."
      ]
      const answers = yield* embedder.embed([...texts, "harbour leases", "which port does the database listen on"])
      const vectors = answers.map((answer) => Array.from(Either.getOrThrow(answer)))
      yield* Effect.provide(
        append(
          ...texts.map((text, i) => documentGroup({ id: `${i}.md`, passages: [{ text, vector: vectors[i] ?? [] }] }))
        ),
        log
      )
      const best = (text: string, at: number, mode: SearchQuery["mode"]) =>
        Effect.map(
          inMemoryOf(log, ask({ text, mode, k: 1, vector: vectorOf(vectors[at] ?? []) })),
          ([hit]) => String(hit?.doc_id)
        )
      for (const mode of ["hybrid", "vector", "keyword"] as const) {
        assert.strictEqual(yield* best("harbour leases", 4, mode), "0.md", mode)
      }
      assert.strictEqual(yield* best("which port does the database listen on", 5, "keyword"), "2.md")
      assert.strictEqual(yield* best("which port does the database listen on", 5, "hybrid"), "2.md")
    }))
})
