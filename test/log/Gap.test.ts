/** A gap stands for the lines that were lost, to whoever reads; and nothing else that calls itself one does. */
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { Seq, Timestamp } from "../../src/domain/Ids.ts"
import { formatVersion, type LogRecord } from "../../src/domain/LogRecord.ts"
import { Gap } from "../../src/domain/Maintenance.ts"
import { encode, maxLineBytes } from "../../src/log/Codec.ts"
import * as Compose from "../../src/log/Compose.ts"
import { settle } from "../../src/log/Gather.ts"
import * as Inspect from "../../src/log/Inspect.ts"
import * as Lines from "../../src/log/Lines.ts"
import * as Live from "../../src/log/Live.ts"
import { rising } from "../../src/log/Rising.ts"
import * as Scan from "../../src/log/Scan.ts"
import { Signal } from "../../src/stream/Fold.ts"
import { group, notes } from "../fixtures/LogGroups.ts"

const at = Timestamp.make("2026-11-29T20:00:00.000Z")

const gap = (seq: number, first: number, last: number, txn?: number): LogRecord => ({
  v: formatVersion,
  seq: Seq.make(seq),
  at,
  kind: "gap",
  ...(txn === undefined ? {} : { txn: Seq.make(txn) }),
  body: new Gap({
    first_seq: Seq.make(first),
    last_seq: Seq.make(last),
    segment: 1,
    offset: 0,
    length: 0,
    quarantine: "quarantine/x"
  })
})

const bytesOf = (records: ReadonlyArray<LogRecord>): Uint8Array =>
  Buffer.concat(records.map((record) => Either.getOrThrow(encode(record))))

const linesOf = (records: ReadonlyArray<LogRecord>) => {
  const [state, lines] = Lines.step(maxLineBytes)(Lines.initial(0), Signal.Batch({ items: [bytesOf(records)] }))
  return [...lines, ...Lines.step(maxLineBytes)(state, Signal.Flush())[1]]
}

const scan = (records: ReadonlyArray<LogRecord>): ReadonlyArray<string> => {
  const [state, found] = Scan.step(Scan.fromMiddle, Signal.Batch({ items: linesOf(records) }))
  return [...found, ...Scan.step(state, Signal.Flush())[1]].map((each) =>
    each._tag === "Record" ? `${each.record.seq}` : each._tag
  )
}

const inspect = (records: ReadonlyArray<LogRecord>): ReadonlyArray<string> => {
  const from = { ...Inspect.initial(1, Option.none()), bytes: 1 }
  const [state, found] = Inspect.step(from, Signal.Batch({ items: linesOf(records) }))
  return [...found, ...Inspect.step(state, Signal.Flush())[1]].flatMap((each) =>
    each._tag === "Record" ? [`${each.record.seq}`] : each._tag === "Fault" ? [each.kind] : []
  ).slice(1)
}

const seal = (seq: number): LogRecord => ({
  v: formatVersion,
  seq: Seq.make(seq),
  at,
  kind: "seal",
  body: { durable_to: 0 }
})

describe("a gap", () => {
  it("is followed by the line behind the last that it stands for", () => {
    const right = [seal(4), gap(5, 5, 9), seal(10)]
    assert.deepStrictEqual(scan(right), ["4", "5", "10"])
    assert.deepStrictEqual(inspect(right), ["5", "10"])
    assert.deepStrictEqual(scan([seal(4), gap(5, 5, 9), seal(6)]), ["4", "5", "Torn"])
    assert.deepStrictEqual(inspect([seal(4), gap(5, 5, 9), seal(11)]), ["5", "missing", "11"])
  })

  it("is none where it names other lines than those from its place on, or belongs to a group", () => {
    for (const bogus of [gap(5, 4, 9), gap(5, 6, 9), gap(5, 5, 4), gap(5, 5, 5, 4)]) {
      const records = [seal(4), bogus, seal(10)]
      assert.deepStrictEqual(scan(records), ["4", "Torn"])
      assert.deepStrictEqual(inspect(records), ["damaged", "10"])
    }
  })

  it("breaks the group that it stands in, and no other", () => {
    const place = { at, durable_to: 0 }
    const [a, b] = [Compose.group(group("a"), { ...place, seq: 1 }), Compose.group(group("b"), { ...place, seq: 6 })]
    for (const lost of [0, 1, 2, 3]) {
      const records = [...a.slice(0, lost), gap(lost + 1, lost + 1, lost + 1), ...a.slice(lost + 1), ...b]
      const located = records.map((record, i) => ({ record, position: { segment: 1, offset: i }, length: 1 }))
      const { documents } = located.reduce((state, line) => Live.apply(state, line)[0], Live.empty)
      const live = Live.manifestOf({ ...Live.empty, documents }, notes)
      assert.deepStrictEqual([...live.keys()].map(String), ["b"])
    }
  })

  it("lets who folds whole groups only go on behind it", () => {
    const [first, ...rest] = Compose.group(group("a"), { at, durable_to: 0, seq: 10 })
    const located = (record: LogRecord) => ({ record, position: { segment: 1, offset: 0 }, length: 1 })
    assert.isDefined(first)
    const { settled, waiting } = settle([], [gap(5, 5, 9), first].map(located))
    assert.deepStrictEqual([settled.length, waiting.length], [1, 1])
    assert.strictEqual(settle(waiting, rest.map(located)).settled.length, 5)
    // A gap that waits stands for all of its lines.
    assert.strictEqual(settle([gap(5, 5, 9)].map(located), [first].map(located)).waiting.length, 1)
  })
})

it.prop("rising keeps as many as any choice could, in order", [FastCheck.array(FastCheck.nat(9), { maxLength: 9 })], ([
  values
]) => {
  const kept = rising(values.map((value, i) => ({ value, i })), ({ value }) => value)
  const rises = (all: ReadonlyArray<number>) => all.every((value, i) => i === 0 || value > (all[i - 1] ?? value))
  assert.isTrue(rises(kept.map(({ value }) => value)))
  assert.isTrue(rises(kept.map(({ i }) => i)))
  const most = Array.from(
    { length: 2 ** values.length },
    (_, choice) => values.filter((_, i) => (choice >> i) % 2 === 1)
  )
    .reduce((best, chosen) => rises(chosen) ? Math.max(best, chosen.length) : best, 0)
  assert.strictEqual(kept.length, most)
})
