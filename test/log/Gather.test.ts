import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import type { LocatedRecord } from "../../services/LogReader.ts"
import { type Counted, gather, type Open, settle } from "../../src/log/Gather.ts"
import { records } from "../fixtures/golden/records.ts"
import { lines as linesOf, randomLog } from "../fixtures/RandomLog.ts"

const fold = (lines: ReadonlyArray<LocatedRecord>): ReadonlyArray<Counted> => {
  let open: Open = Option.none()
  return lines.flatMap((line) => {
    const [next, counted] = gather(open, line)
    open = next
    return Option.toArray(counted)
  })
}

describe("Gather", () => {
  it("memory counts as memory, whatever its commit names: whole groups of it, and lines that stand alone", () => {
    const golden = records.map((record) => ({ record, position: { segment: 1, offset: record.seq }, length: 1 }))
    const outline = (lines: ReadonlyArray<LocatedRecord>) =>
      fold(lines).flatMap((counted) =>
        counted._tag === "Memory"
          ? [counted.lines.map(({ record: { kind, seq } }) => `${seq} ${kind}`).join(", ")]
          : counted._tag === "Group"
          ? [`${counted.seq} of ${counted.commit.doc_id}`]
          : []
      ).slice(1, -1)
    const alone = ["15 memory", "16 memory"]
    assert.deepStrictEqual(outline(golden), ["9 of s1", "10 memory, 11 memory, 12 memory, 13 artifact", ...alone])
    const torn = golden.filter(({ record }) => record.seq !== 13)
    assert.deepStrictEqual(outline(torn), ["9 of s1", ...alone])
  })

  it.prop(
    "settles piece by piece into what the whole log counts, whoever stops between and reads on from there",
    [
      randomLog,
      FastCheck.array(FastCheck.record({ size: FastCheck.integer({ min: 1, max: 9 }), stops: FastCheck.boolean() }), {
        minLength: 1,
        maxLength: 20
      })
    ],
    ([acts, pieces]) => {
      const lines = linesOf(acts)
      const settled: Array<LocatedRecord> = []
      const counted: Array<Counted> = []
      let waiting: ReadonlyArray<LocatedRecord> = []
      let at = 0
      for (let i = 0; at < lines.length; i++) {
        const { size, stops } = pieces[i % pieces.length] ?? { size: 1, stops: false }
        const next = settle(waiting, lines.slice(at, at + size))
        settled.push(...next.settled)
        counted.push(...fold(next.settled))
        waiting = next.waiting
        at += size
        // Either with what it was waiting for, or as a new process without it. It goes on in larger steps, or for ever.
        if (stops && i < 200) {
          at = settled.length
          waiting = size % 2 === 0 ? waiting : []
          const whole = settle(waiting, lines.slice(at, at + 100))
          settled.push(...whole.settled)
          counted.push(...fold(whole.settled))
          waiting = whole.waiting
          at = Math.min(at + 100, lines.length)
        }
      }
      assert.deepStrictEqual(settled, lines.slice(0, settled.length))
      assert.deepStrictEqual([...settled, ...waiting], lines)
      assert.deepStrictEqual(counted, fold(settled))
      // What waits is one group without its commit, and nothing else.
      const txn = waiting[0]?.record.seq
      assert.isTrue(waiting.every(({ record }) => record.txn === txn && record.kind !== "commit"))
      assert.isTrue(waiting.length === 0 || txn === waiting[0]?.record.txn)
    }
  )

  it("begins a group anew where its first line is read again", () => {
    const lines = linesOf([{
      do: "version",
      connector: "notes",
      doc: "a.md",
      texts: [0, 1],
      keys: [],
      model: "a/1",
      brings: "all",
      value: "usual",
      fate: "whole",
      where: 0
    }])
    assert.strictEqual(lines.length, 5)
    const twice = fold([...lines.slice(0, 3), ...lines])
    assert.deepStrictEqual(
      twice.filter(({ _tag }) => _tag === "Group"),
      fold(lines).filter(({ _tag }) => _tag === "Group")
    )
    assert.lengthOf(twice.filter(({ _tag }) => _tag === "Group"), 1)
  })
})
