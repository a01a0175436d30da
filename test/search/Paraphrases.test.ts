/** The regression test of search: 20 questions that share hardly a word with what answers them, through the whole engine. */
import { assert, describe, it } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import * as MiniLm from "../../layers/Embedder/MiniLm.ts"
import * as NodeLogFs from "../../layers/LogFs/Node.ts"
import * as ManifestFiles from "../../layers/ManifestStore/Files.ts"
import * as ProgressFiles from "../../layers/ProgressStore/Files.ts"
import * as Sqlite from "../../layers/Projection/Sqlite.ts"
import { Embedder } from "../../services/Embedder.ts"
import { Search } from "../../services/Search.ts"
import { sync } from "../../src/sync/sync.ts"
import { engines, newLog } from "../fixtures/Index.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"
import { connectorsOf, vec } from "../sync/Harness.ts"

const Pairs = Schema.parseJson(Schema.Struct({
  pairs: Schema.Array(Schema.Struct({ id: Schema.String, query: Schema.String, passage: Schema.String })),
  distractors: Schema.Array(Schema.Struct({ id: Schema.String, text: Schema.String }))
}))

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe("search on paraphrases", () => {
  it.scopedLive("finds what is meant, by vector and by hybrid", () =>
    Effect.gen(function*() {
      const file = readFileSync(new URL("../fixtures/paraphrase-pairs.json", import.meta.url), "utf8")
      const { distractors, pairs } = yield* Schema.decode(Pairs)(file)
      const texts = [...pairs.map(({ id, passage }) => ({ id, text: passage })), ...distractors]
      assert.lengthOf(texts, 40)
      const { connector } = yield* vec("pairs", texts.map(({ id, text }) => ({ doc_id: `${id}.txt`, content: text })))
      const home = yield* temporaryHome
      const services = Layer.mergeAll(
        MiniLm.layer(),
        connectorsOf([connector]),
        ManifestFiles.layer({ home }),
        ProgressFiles.layer({ home }),
        Layer.provideMerge(Sqlite.memory({ engine: engines.vec0 }), yield* newLog)
      ).pipe(Layer.provide(NodeLogFs.layer))

      yield* Effect.gen(function*() {
        assert.isTrue((yield* sync()).ok)
        const { embed, fingerprint } = yield* Embedder
        const { search } = yield* Search
        const vectors = yield* Effect.flatMap(embed(pairs.map(({ query }) => query)), Effect.all)
        for (const mode of ["vector", "hybrid"] as const) {
          const ranks = yield* Effect.forEach(pairs, ({ id, query }, i) =>
            Effect.gen(function*() {
              const values = vectors[i] ?? new Float32Array()
              const hits = yield* search({ text: query, mode, k: 10, vector: { values, fingerprint } })
              return 1 + hits.findIndex(({ doc_id }) => doc_id === `${id}.txt`)
            }))
          const mrr = mean(ranks.map((rank) => rank > 0 ? 1 / rank : 0))
          const recall = mean(ranks.map((rank) => rank > 0 && rank <= 5 ? 1 : 0))
          yield* Console.log(`${mode} on 20 paraphrases: MRR@10 ${mrr.toFixed(3)}, recall@5 ${recall.toFixed(2)}`)
          assert.isAtLeast(mrr, 0.85)
          assert.strictEqual(recall, 1)
        }
      }).pipe(Effect.provide(services))
    }))
})
