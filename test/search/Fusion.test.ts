import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { ChunkId } from "../../src/domain/Ids.ts"
import { type Candidate, fuse, type Rest } from "../../src/search/Fusion.ts"

const chunk = (id: number): ChunkId => ChunkId.make(id.toString(16).padStart(32, "0"))

interface Terms {
  readonly cosine?: number
  readonly bm25?: number
}

const candidate = (id: number, terms: Terms): Candidate => ({ id, chunk_id: chunk(id), ...terms })

/** Few values, so that there are ties. */
const terms: FastCheck.Arbitrary<Terms> = FastCheck.record({
  cosine: FastCheck.constantFrom(-0.5, -0.1, 0, 0.2, 0.25, 0.28, 0.9),
  bm25: FastCheck.constantFrom(0.5, 1, 3, 8)
}, { requiredKeys: [] })

const passages = FastCheck.array(terms, { minLength: 1, maxLength: 40 }).map((all) =>
  all.map((t, i) => candidate(i, t))
)

/** What two lists of this length name, and what they say of the rest. */
const listed = (
  all: ReadonlyArray<Candidate>,
  length: number
): { candidates: ReadonlyArray<Candidate>; rest: Rest } => {
  const byCosine = all.flatMap((c) => c.cosine === undefined ? [] : [{ c, term: c.cosine }])
  const byWords = all.flatMap((c) => c.bm25 === undefined ? [] : [{ c, term: c.bm25 }])
  const top = (list: ReadonlyArray<{ c: Candidate; term: number }>) =>
    [...list].sort((a, b) => b.term - a.term).slice(0, length)
  const last = (list: ReadonlyArray<{ c: Candidate; term: number }>) => top(list)[length - 1]?.term
  const cosine = last(byCosine)
  const bm25 = last(byWords)
  const named = new Set([...top(byCosine), ...top(byWords)].map(({ c }) => c))
  return {
    candidates: [...named],
    rest: { ...(cosine === undefined ? {} : { cosine }), ...(bm25 === undefined ? {} : { bm25 }) }
  }
}

describe("Fusion", () => {
  it("adds a tenth of the words' share to the cosine", () => {
    const { best } = fuse(
      [candidate(1, { cosine: 0.5 }), candidate(2, { cosine: 0.45, bm25: 8 }), candidate(3, { bm25: 4 })],
      {},
      10
    )
    assert.deepStrictEqual(best.map(({ id, score }) => [id, Math.round(score * 1000) / 1000]), [
      [2, 0.55],
      [1, 0.5],
      [3, 0.05]
    ])
  })

  it("does not let words alone beat a meaning that is a tenth nearer (vercel-labs/lat.md#75)", () => {
    const right = candidate(1, { cosine: 0.6 })
    const noise = Array.from({ length: 20 }, (_, i) => candidate(i + 2, { cosine: 0.49, bm25: 20 - i }))
    assert.strictEqual(fuse([...noise, right], {}, 1).best[0]?.id, 1)
  })

  it.prop(
    "orders by score, then chunk_id, whatever the order of the candidates",
    [passages, FastCheck.nat(50)],
    ([all, k]) => {
      const { best } = fuse(all, {}, k)
      assert.deepStrictEqual(fuse([...all].reverse(), {}, k).best, best)
      assert.lengthOf(best, Math.min(k, all.length))
      for (const [i, { chunk_id, score }] of best.slice(1).entries()) {
        const before = best[i]
        assert.isTrue(
          before !== undefined && (before.score > score || before.score === score && before.chunk_id < chunk_id)
        )
      }
      assert.deepStrictEqual(fuse(all, {}, all.length).best.slice(0, k), best)
    }
  )

  it.prop(
    "says that it is complete only where longer lists would change nothing",
    [
      passages,
      FastCheck.integer({ min: 1, max: 12 }),
      FastCheck.integer({ min: 0, max: 10 }),
      FastCheck.constantFrom(0.1, 1)
    ],
    ([all, length, more, weight]) => {
      const k = Math.min(length, 1 + more)
      const { candidates, rest } = listed(all, length)
      const found = fuse(candidates, rest, k, weight)
      const searchable = all.filter(({ bm25, cosine }) => bm25 !== undefined || cosine !== undefined)
      const whole = fuse(searchable, {}, k, weight)
      assert.isTrue(whole.complete)
      if (found.complete) assert.deepStrictEqual(found.best, whole.best)
    }
  )

  it.prop(
    "is complete at the latest when the lists name all that there are",
    [passages, FastCheck.nat(50)],
    ([all, k]) => {
      const { candidates, rest } = listed(all, all.length + 1)
      assert.isTrue(fuse(candidates, rest, k).complete)
    }
  )

  it("is complete early where the rest is far behind", () => {
    assert.isTrue(fuse([candidate(1, { cosine: 0.9, bm25: 1 })], { cosine: 0.7, bm25: 0.5 }, 1).complete)
    assert.isFalse(fuse([candidate(1, { cosine: 0.9, bm25: 1 })], { cosine: 1 }, 1).complete)
    assert.isFalse(fuse([candidate(1, { cosine: 0.9 })], { cosine: 0.9 }, 1).complete, "a tie may hide there")
  })
})
