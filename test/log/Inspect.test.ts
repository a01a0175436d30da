import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { crc32 } from "node:zlib"
import { Seq, Timestamp } from "../../src/domain/Ids.ts"
import type { LogRecord } from "../../src/domain/LogRecord.ts"
import { Segment } from "../../src/domain/Maintenance.ts"
import * as Codec from "../../src/log/Codec.ts"
import * as Compose from "../../src/log/Compose.ts"
import * as Inspect from "../../src/log/Inspect.ts"
import * as Lines from "../../src/log/Lines.ts"
import { Signal } from "../../src/stream/Fold.ts"
import { group } from "../fixtures/LogGroups.ts"

const at = Timestamp.make("2026-11-29T20:00:00.000Z")

const bytesOf = (record: LogRecord): Uint8Array => Either.getOrThrow(Codec.encode(record))

const first = (number: number, seq: number): ReadonlyArray<LogRecord> =>
  Compose.alone([{ kind: "segment", body: new Segment({ format: "mem-log/1", number, previous_sha256: null }) }], {
    at,
    seq,
    durable_to: 0
  })

/** Ten lines: the segment's, a group of nine. */
const records = [...first(1, 1), ...Compose.group(group("a", { passages: 4 }), { at, seq: 2, durable_to: 300 })]
const good = records.map(bytesOf)
const offsets = good.map((_, i) => good.slice(0, i).reduce((sum, { length }) => sum + length, 0))
const total = good.reduce((sum, { length }) => sum + length, 0)

/** All bytes in pieces, through the splitter, as a reader has them. */
const inspect = (
  bytes: Uint8Array,
  { piece = bytes.length, segment = 1, seq = Option.some(1) } = {}
): ReadonlyArray<Inspect.Found> => {
  const out: Array<Inspect.Found> = []
  let lines = Lines.initial(0)
  let state = Inspect.initial(segment, seq)
  const feed = (signal: Signal<Uint8Array>) => {
    const [nextLines, items] = Lines.step(Codec.maxLineBytes)(lines, signal)
    const [next, found] = Inspect.step(state, Signal.Batch({ items }))
    lines = nextLines
    state = next
    out.push(...found)
  }
  for (let from = 0; from < bytes.length; from += Math.max(1, piece)) {
    feed(Signal.Batch({ items: [bytes.subarray(from, from + Math.max(1, piece))] }))
  }
  feed(Signal.Flush())
  return [...out, ...Inspect.step(state, Signal.Flush())[1]]
}

const outline = (found: ReadonlyArray<Inspect.Found>): ReadonlyArray<string> =>
  found.map((each) => {
    if (each._tag === "Record") return `${each.record.seq}`
    if (each._tag === "End") return `end ${each.bytes} ${each.durable_to} ${Option.getOrElse(each.seq, () => "?")}`
    const { kind, length, lost, offset } = each
    const lines = Option.match(lost, { onNone: () => "", onSome: ([a, b]) => ` lost ${a}-${b}` })
    return `${kind} at ${offset}+${length}${lines}`
  })

const seqs = (from: number, to: number): ReadonlyArray<string> =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`)

const at20 = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => i === 20 ? byte ^ 1 : byte)

const foreign = (json: string): Uint8Array =>
  Buffer.from(`${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`)

const tooNew = (seq: number): Uint8Array =>
  foreign(`{"v":1,"seq":${seq},"at":"2026-11-29T20:00:00.000Z","kind":"hologram","body":{}}`)

const length = (...lines: ReadonlyArray<Uint8Array>): number => lines.reduce((sum, line) => sum + line.length, 0)

describe("Inspect", () => {
  it("gives out what is right, with its place, and what it knew to be on disk", () => {
    assert.deepStrictEqual(
      inspect(Buffer.concat(good)).slice(0, -1),
      records.map((record, i) =>
        Inspect.Found.Record({ record, offset: offsets[i] ?? -1, length: good[i]?.length ?? -1 })
      )
    )
    assert.strictEqual(outline(inspect(Buffer.concat(good))).at(-1), `end ${total} 300 11`)
    assert.deepStrictEqual(outline(inspect(new Uint8Array(), { seq: Option.some(7) })), ["end 0 0 7"])
  })

  it.prop(
    "goes on behind bad lines, joins those that follow each other, and names the lines that are lost",
    [FastCheck.uniqueArray(FastCheck.nat(9), { minLength: 1, maxLength: 6 }), FastCheck.integer({ min: 1, max: 999 })],
    ([spoilt, piece]) => {
      const lines = good.map((line, i) => spoilt.includes(i) ? at20(line) : line)
      const expected: Array<string> = []
      for (let i = 0; i < lines.length; i++) {
        if (!spoilt.includes(i)) {
          expected.push(`${i + 1}`)
          continue
        }
        let end = i
        while (spoilt.includes(end + 1)) end += 1
        const bytes = length(...lines.slice(i, end + 1))
        // Nothing behind the last line says how many there were.
        expected.push(`damaged at ${offsets[i]}+${bytes}${end === 9 ? "" : ` lost ${i + 1}-${end + 1}`}`)
        i = end
      }
      const bytes = Buffer.concat(lines)
      const found = outline(inspect(bytes, { piece }))
      assert.deepStrictEqual(found.slice(0, -1), expected)
      assert.deepStrictEqual(found, outline(inspect(bytes)))
    }
  )

  it("counts two lines that were joined as two that are lost", () => {
    const [a, b] = [good[3] ?? at20(tooNew(0)), good[4] ?? at20(tooNew(0))]
    const joined = Buffer.concat([...good.slice(0, 3), a.subarray(0, -1), Buffer.from(" "), b, ...good.slice(5)])
    assert.deepStrictEqual(outline(inspect(joined)), [
      ...seqs(1, 3),
      `damaged at ${offsets[3]}+${length(a, b)} lost 4-5`,
      ...seqs(6, 10),
      `end ${total} 300 11`
    ])
  })

  it("tells lines that are missing from lines that stand where they do not belong", () => {
    const without = Buffer.concat([...good.slice(0, 2), ...good.slice(5)])
    assert.deepStrictEqual(outline(inspect(without)).slice(0, 4), [
      "1",
      "2",
      `missing at ${offsets[2]}+0 lost 3-5`,
      "6"
    ])
    const twice = Buffer.concat([...good.slice(0, 5), ...good.slice(3)])
    assert.deepStrictEqual(outline(inspect(twice)).slice(0, -1), [
      ...seqs(1, 5),
      `misplaced at ${offsets[5]}+0`,
      ...seqs(4, 10)
    ])
    // Behind bad lines that took their numbers along, a line that is older than they were is told too.
    const mixed = Buffer.concat([...good.slice(0, 5), at20(good[5] ?? tooNew(0)), ...good.slice(2)])
    assert.deepStrictEqual(outline(inspect(mixed)).slice(5, 8), [
      `damaged at ${offsets[5]}+${good[5]?.length}`,
      `misplaced at ${length(...good.slice(0, 6))}+0`,
      "3"
    ])
    assert.strictEqual(
      outline(inspect(Buffer.concat(good), { seq: Option.some(4) }))[0],
      "misplaced at 0+0"
    )
  })

  it("takes a file that begins with another line for one that stands where it does not belong", () => {
    const [, second = good[1], third = good[2]] = good
    const headless = Buffer.concat([second ?? tooNew(0), third ?? tooNew(0)])
    assert.deepStrictEqual(outline(inspect(headless, { seq: Option.some(2) })), [
      `misplaced at 0+${second?.length}`,
      "3",
      `end ${headless.length} 0 4`
    ])
    assert.strictEqual(outline(inspect(Buffer.concat(good), { segment: 2 }))[0], `misplaced at 0+${good[0]?.length}`)
  })

  it("keeps the place of a line that a later version wrote, and never takes it for a bad one", () => {
    const newer = [tooNew(3), tooNew(4)]
    const some = Buffer.concat([...good.slice(0, 2), ...newer, ...good.slice(4)])
    const at2 = offsets[2] ?? -1
    assert.deepStrictEqual(outline(inspect(some)).slice(1, 4), ["2", `too-new at ${at2}+${length(...newer)}`, "5"])
    const between = Buffer.concat([...good.slice(0, 2), at20(good[2] ?? tooNew(0)), tooNew(4), ...good.slice(4)])
    assert.deepStrictEqual(outline(inspect(between)).slice(2, 5), [
      `damaged at ${at2}+${good[2]?.length}`,
      `too-new at ${at2 + (good[2]?.length ?? 0)}+${tooNew(4).length}`,
      "5"
    ])
    const short = Buffer.concat([...good.slice(0, 2), tooNew(3), ...good.slice(4)])
    assert.deepStrictEqual(outline(inspect(short)).slice(3, 5), [
      `missing at ${at2 + tooNew(3).length}+0 lost 4-4`,
      "5"
    ])
  })

  it("takes a line without its line feed, and one that is too long, for bad bytes of their length", () => {
    const cut = Buffer.concat(good).subarray(0, -3)
    assert.deepStrictEqual(outline(inspect(cut)).slice(-2), [
      `damaged at ${offsets[9]}+${(good[9]?.length ?? 0) - 3}`,
      `end ${total - 3} 0 ?`
    ])
    const long = Buffer.alloc(Codec.maxLineBytes + 5, "x")
    const around = Buffer.concat([...good.slice(0, 4), long, Buffer.from("\n"), ...good.slice(4)])
    assert.deepStrictEqual(outline(inspect(around, { piece: 1_000_000 })).slice(3, 6), [
      "4",
      `damaged at ${offsets[4]}+${long.length + 1}`,
      "5"
    ])
  })

  it("believes the first good line where nothing says which one comes first", () => {
    const [, ...rest] = records
    const later = [...first(7, 70), ...rest.map((record, i) => ({ ...record, seq: Seq.make(71 + i) }))].map(bytesOf)
    const found = outline(inspect(Buffer.concat(later), { segment: 7, seq: Option.none() }))
    assert.deepStrictEqual(found.slice(0, -1), seqs(70, 79))
  })
})
