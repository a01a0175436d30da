import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { crc32 } from "node:zlib"
import { Timestamp } from "../../src/domain/Ids.ts"
import type { LogRecord } from "../../src/domain/LogRecord.ts"
import { Seal, Segment } from "../../src/domain/Maintenance.ts"
import * as Codec from "../../src/log/Codec.ts"
import * as Compose from "../../src/log/Compose.ts"
import { Line } from "../../src/log/Lines.ts"
import * as Scan from "../../src/log/Scan.ts"
import { Signal } from "../../src/stream/Fold.ts"
import { group } from "../fixtures/LogGroups.ts"

const at = Timestamp.make("2026-11-29T20:00:00.000Z")
const lengthOf = (record: LogRecord): number => Either.getOrThrow(Codec.encode(record)).length
const sum = (records: ReadonlyArray<LogRecord>): number => records.reduce((all, record) => all + lengthOf(record), 0)

/** A segment as a writer makes it: its first line, a group for each number of passages, a seal. */
const segmentOf = (sizes: ReadonlyArray<number>, number = 1, seq = 1): ReadonlyArray<LogRecord> => {
  const first = new Segment({ format: "mem-log/1", number, previous_sha256: null })
  const records = [...Compose.alone([{ kind: "segment", body: first }], { at, seq, durable_to: 0 })]
  for (const [i, passages] of sizes.entries()) {
    const place = { at, seq: seq + records.length, durable_to: sum(records) }
    records.push(...Compose.group(group(`d${i}`, { passages }), place))
  }
  const durable_to = sum(records)
  const seal = { kind: "seal" as const, body: new Seal({ durable_to }) }
  return [...records, ...Compose.alone([seal], { at, seq: seq + records.length, durable_to })]
}

const toLines = (records: ReadonlyArray<LogRecord>): ReadonlyArray<Line> => {
  let offset = 0
  return records.map((record) => {
    const bytes = Either.getOrThrow(Codec.encode(record))
    const line = Line.Line({ bytes: bytes.subarray(0, -1), offset, terminated: true })
    offset += bytes.length
    return line
  })
}

/** The lines in batches, then the end. */
const scan = (
  lines: ReadonlyArray<Line>,
  from: Scan.State = Scan.fromStart(1, Option.none()),
  batch = Math.max(1, lines.length)
): ReadonlyArray<Scan.Scanned> => {
  const out: Array<Scan.Scanned> = []
  let state = from
  for (let i = 0; i < lines.length; i += batch) {
    const [next, scanned] = Scan.step(state, Signal.Batch({ items: lines.slice(i, i + batch) }))
    state = next
    out.push(...scanned)
  }
  return [...out, ...Scan.step(state, Signal.Flush())[1]]
}

const outline = (all: ReadonlyArray<Scan.Scanned>): ReadonlyArray<string> =>
  all.map((scanned) => scanned._tag === "Record" ? `${scanned.record.seq}` : `${scanned._tag} at ${scanned.offset}`)

const spoilt = (line: Line): Line =>
  line._tag === "Line"
    ? Line.Line({ ...line, bytes: line.bytes.map((byte, i) => i === 20 ? byte ^ 1 : byte) })
    : line

const replaced = (lines: ReadonlyArray<Line>, at: number, line: (old: Line) => Line): ReadonlyArray<Line> =>
  lines.map((old, i) => i === at ? line(old) : old)

const foreign = (json: string) => (line: Line): Line =>
  Line.Line({
    bytes: Buffer.from(`${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}`),
    offset: line.offset,
    terminated: true
  })

describe("Scan", () => {
  const records = segmentOf([1, 0, 2])
  const lines = toLines(records)
  const offsets = lines.map(({ offset }) => offset)

  it("gives out the records with their places", () => {
    const scanned = scan(lines)
    assert.deepStrictEqual(
      scanned,
      records.map((record, i) => Scan.Scanned.Record({ record, offset: offsets[i] ?? -1, length: lengthOf(record) }))
    )
    assert.deepStrictEqual(scan([]), [])
  })

  it.prop(
    "says the same however the lines come in batches, and gives out nothing behind a fault",
    [FastCheck.nat(lines.length), FastCheck.integer({ min: 1, max: 12 }), FastCheck.nat(lines.length)],
    ([bad, batch, end]) => {
      const some = replaced(lines, bad, spoilt).slice(0, end)
      const scanned = scan(some, Scan.fromStart(1, Option.none()), batch)
      assert.deepStrictEqual(scanned, scan(some))
      // The oracle: damage where a later line, in what is there, began its write behind the bad byte.
      const knew = records.slice(bad + 1, end).some((record) => Scan.knewDurable(record) > (offsets[bad] ?? 0))
      assert.deepStrictEqual(outline(scanned), [
        ...records.slice(0, Math.min(bad, end)).map(({ seq }) => `${seq}`),
        ...(bad < end ? [`${knew ? "Damaged" : "Torn"} at ${offsets[bad]}`] : [])
      ])
    }
  )

  it("calls bytes torn that only the write itself could know, and damaged those that a later write knew", () => {
    // Line 8 (index 7) is the commit of the last group, 9 the seal, which knows all before it.
    const group3 = [5, 6, 7, 8]
    for (const bad of group3) {
      assert.strictEqual(outline(scan(replaced(lines, bad, spoilt).slice(0, -1))).at(-1), `Torn at ${offsets[bad]}`)
      assert.strictEqual(outline(scan(replaced(lines, bad, spoilt))).at(-1), `Damaged at ${offsets[bad]}`)
    }
    assert.strictEqual(outline(scan(replaced(lines, 4, spoilt).slice(0, -1))).at(-1), `Damaged at ${offsets[4]}`)
    // A line behind the fault that is itself bad knows nothing.
    const both = replaced(replaced(lines, 4, spoilt), 9, spoilt).slice(0, -1)
    assert.strictEqual(outline(scan(both)).at(-1), `Torn at ${offsets[4]}`)
  })

  it("calls lines lost that the last line alone knows of", () => {
    // Each line moves up into the place of the one that is gone.
    const without = (index: number) => toLines(records.filter((_, i) => i !== index))
    // Line 10 (index 9) is the commit of the last group, 11 the seal.
    assert.strictEqual(outline(scan(without(9))).at(-1), `Damaged at ${offsets[9]}`)
    // Without the seal nobody knows of the last group.
    assert.strictEqual(outline(scan(without(8).slice(0, -1))).at(-1), `Torn at ${offsets[8]}`)
  })

  it("takes no line without its line feed, and none that is too long", () => {
    const last = lines.length - 1
    const open = replaced(lines, last, (line) => ({ ...line, terminated: false }))
    assert.strictEqual(outline(scan(open)).at(-1), `Torn at ${offsets[last]}`)
    const long = replaced(
      lines,
      last,
      ({ offset }) => Line.TooLong({ length: Codec.maxLineBytes + 1, offset, terminated: true })
    )
    const verdict = scan(long).at(-1)
    assert.strictEqual(verdict?._tag === "Torn" ? verdict.offset : -1, offsets[last])
    assert.include(verdict?._tag === "Torn" ? verdict.detail : "", `${Codec.maxLineBytes + 1} bytes`)
  })

  it("takes no line that is not the next one", () => {
    const without = lines.filter((_, i) => i !== 2)
    assert.deepStrictEqual(outline(scan(without)), ["1", "2", `Damaged at ${offsets[3]}`])
    const twice = lines.flatMap((line, i) => i === 2 ? [line, line] : [line])
    assert.deepStrictEqual(outline(scan(twice)).slice(0, 3), ["1", "2", "3"])
    assert.match(outline(scan(twice)).at(-1) ?? "", /^(Damaged|Torn)/)
    assert.lengthOf(scan(twice), 4)
    assert.deepStrictEqual(outline(scan(lines, Scan.fromStart(1, Option.some(2)))), ["Damaged at 0"])
    assert.lengthOf(scan(lines, Scan.fromStart(1, Option.some(1))), lines.length)
  })

  it("wants the first line to name its segment, and asks for none in the middle of one", () => {
    assert.deepStrictEqual(outline(scan(lines, Scan.fromStart(2, Option.none()))), ["Damaged at 0"])
    assert.deepStrictEqual(outline(scan(lines.slice(1))), [`Damaged at ${offsets[1]}`])
    assert.deepStrictEqual(outline(scan(lines.slice(4), Scan.fromMiddle)), [
      ...records.slice(4).map(({ seq }) => `${seq}`)
    ])
  })

  it("stops at a line of a later version, which is no fault of the bytes", () => {
    for (const json of ["{\"v\":2,\"seq\":5,\"kind\":\"commit\"}", "{\"v\":1,\"seq\":5,\"kind\":\"hologram\"}"]) {
      assert.deepStrictEqual(outline(scan(replaced(lines, 4, foreign(json)))), [
        "1",
        "2",
        "3",
        "4",
        `TooNew at ${offsets[4]}`
      ])
    }
    const extension = `{"v":1,"seq":5,"at":"${at}","kind":"x-note","body":{}}`
    assert.strictEqual(outline(scan(replaced(lines, 4, foreign(extension)))).at(4), "5")
  })
})
