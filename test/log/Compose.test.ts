import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { Timestamp } from "../../src/domain/Ids.ts"
import * as Compose from "../../src/log/Compose.ts"
import { exclusion, group, vector } from "../fixtures/LogGroups.ts"

const at = Timestamp.make("2026-11-29T20:00:00.000Z")
const place: Compose.Place = { seq: 41, at, durable_to: 1_234 }

const outline = (records: ReturnType<typeof Compose.groups>) =>
  records.map(({ at: when, kind, seq, txn, v }) => [v, Number(seq), when, kind, txn === undefined ? txn : Number(txn)])

describe("Compose", () => {
  it("gives records that stand alone a place and no group", () => {
    const entries = [vector("a"), exclusion("x", true)]
    const records = Compose.alone(entries, place)
    assert.deepStrictEqual(outline(records), [[1, 41, at, "vector", undefined], [1, 42, at, "exclusion", undefined]])
    assert.deepStrictEqual(records.map(({ body }) => body), entries.map(({ body }) => body))
    assert.isTrue(records.every((record) => !("txn" in record)))
    assert.deepStrictEqual(Compose.alone([], place), [])
  })

  it("closes a group with a commit that counts its lines and says what was durable", () => {
    const given = group("a", { passages: 1 })
    const records = Compose.group(given, place)
    assert.deepStrictEqual(outline(records), [
      [1, 41, at, "vector", 41],
      [1, 42, at, "reference", 41],
      [1, 43, at, "commit", 41]
    ])
    assert.deepInclude(records.at(-1)?.body, { ...given.commit, n: 2, durable_to: 1_234 })
    assert.deepStrictEqual(records.slice(0, 2).map(({ body }) => body), given.entries.map(({ body }) => body))
  })

  it("lets a group of no lines be its commit alone", () => {
    const [only, ...others] = Compose.group(group("a", { passages: 0 }), place)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(outline(only === undefined ? [] : [only]), [[1, 41, at, "commit", 41]])
    assert.deepInclude(only?.body, { n: 0 })
  })

  it("leaves out each vector that was written before, by this writer or by a group in front", () => {
    const [a, b] = [group("a", { passages: 2 }), group("b", { passages: 1 })]
    const again = { ...b, entries: [...a.entries, ...b.entries] }
    const [written] = a.entries.flatMap((entry) => entry.kind === "vector" ? [Compose.vectorKey(entry.body)] : [])
    const records = Compose.groups([a, again], { ...place, hasVector: (key) => key === written })
    const shas = records.flatMap((record) => record.kind === "vector" ? [record.body.embed_sha256] : [])
    assert.strictEqual(new Set(shas).size, shas.length)
    assert.lengthOf(shas, 2)
    const commits = records.flatMap((record) => record.kind === "commit" ? [record.body.n] : [])
    assert.deepStrictEqual(commits, [a.entries.length - 1, again.entries.length - 2])
    assert.deepStrictEqual(records.map(({ seq }) => Number(seq)), records.map((_, i) => place.seq + i))
  })

  it.prop(
    "puts groups one behind the other without a gap, all with the same place to be durable to",
    [FastCheck.array(FastCheck.nat(4), { maxLength: 6 }), FastCheck.integer({ min: 1, max: 1_000_000 })],
    ([sizes, seq]) => {
      const all = sizes.map((passages, i) => group(`d${i}`, { passages }))
      const records = Compose.groups(all, { ...place, seq })
      assert.deepStrictEqual(records.map((record) => Number(record.seq)), records.map((_, i) => seq + i))
      const commits = records.flatMap((record) => record.kind === "commit" ? [record] : [])
      assert.deepStrictEqual(commits.map(({ body }) => [String(body.doc_id), body.n, body.durable_to]), [
        ...sizes.map((passages, i) => [`d${i}`, 2 * passages, 1_234])
      ])
      for (const { body, seq, txn } of commits) {
        const own = records.filter((record) => record.txn === txn)
        assert.strictEqual(Number(txn), seq - body.n)
        assert.strictEqual(own.length, body.n + 1)
      }
    }
  )
})
