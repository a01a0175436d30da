/** What verifying a log says of it, whatever happened to its files; the oracle is the reader, which ends at the first fault. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs"
import process from "node:process"
import { crc32 } from "node:zlib"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import * as Segments from "../../layers/Log/Segments.ts"
import * as Node from "../../layers/LogFs/Node.ts"
import * as Simulated from "../../layers/LogFs/Simulated.ts"
import * as Disk from "../../layers/LogFs/SimulatedDisk.ts"
import { type LogFile, LogFs } from "../../services/LogFs.ts"
import { LogReader } from "../../services/LogReader.ts"
import { Timestamp } from "../../src/domain/Ids.ts"
import { LogFsError } from "../../src/domain/LogErrors.ts"
import type { LogEntry } from "../../src/domain/LogRecord.ts"
import type { LogFault, LogVerifyReport } from "../../src/domain/LogVerifyReport.ts"
import { Seal, Segment } from "../../src/domain/Maintenance.ts"
import { Vector } from "../../src/domain/Reference.ts"
import { encode } from "../../src/log/Codec.ts"
import * as Compose from "../../src/log/Compose.ts"
import { mostFaults, verify } from "../../src/log/verify.ts"
import { append, group, model, sha } from "../fixtures/LogGroups.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

const home = "/home"
const pathOf = (segment: number): string => `${home}/log/segments/0000000${segment}.jsonl`
const bytes = (content: string): Buffer => Buffer.from(content)

/** Three segments: two of two documents each, and one whose seal knows all before it. */
const written = Effect.gen(function*() {
  const process = yield* Simulated.make()
  yield* process.service.makeDir(home)
  const log = Layer.merge(Segments.reader({ home }), Segments.writer({ home, segmentBytes: 4_200 })).pipe(
    Layer.provide(process.layer)
  )
  yield* Effect.provide(Effect.forEach(["a", "b", "c", "d", "e"], (doc) => append(group(doc))), log)
  return yield* process.disk
})

const contentsOf = (disk: Disk.Disk): ReadonlyArray<Buffer> =>
  [...Disk.files(disk, "cached")].flatMap(([path, content]) =>
    path.startsWith(`${home}/log/segments/`) ? [Buffer.from(content)] : []
  )

const disk = Effect.runSync(Effect.orDie(written))
const contents = contentsOf(disk)

const linesOf = (content: Buffer): ReadonlyArray<Buffer> =>
  content.toString("latin1").split("\n").slice(0, -1).map((line) => Buffer.from(`${line}\n`, "latin1"))

const diskOf = (segments: ReadonlyArray<Uint8Array>): Disk.Disk =>
  segments.reduce(
    (all, content, i) => Either.getOrThrow(Disk.put(all, pathOf(i + 1), content)),
    Disk.empty
  )

const readerOf = (segments: ReadonlyArray<Uint8Array>) =>
  Layer.provide(
    Segments.reader({ home }),
    Layer.effect(LogFs, Effect.map(Simulated.make({ disk: diskOf(segments) }), ({ service }) => service))
  )

const verified = (segments: ReadonlyArray<Uint8Array>): Effect.Effect<LogVerifyReport, unknown> =>
  Effect.provide(verify, readerOf(segments))

/** How far a reader comes: the records, and where it fails. */
const read = (segments: ReadonlyArray<Uint8Array>) =>
  Effect.gen(function*() {
    let records = 0
    let good = 0
    const { records: all } = yield* LogReader
    const ended = yield* Effect.either(Stream.runForEach(all(), ({ length }) =>
      Effect.sync(() => {
        records += 1
        good += length
      })))
    return { records, good, ended }
  }).pipe(Effect.provide(readerOf(segments)))

const segmentsWith = (segment: number, content: Uint8Array): ReadonlyArray<Uint8Array> =>
  contents.map((old, i) => i === segment - 1 ? content : old)

const flipped = (content: Buffer, at: number): Buffer => {
  const copy = Buffer.from(content)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

const outline = ({ faults }: LogVerifyReport): ReadonlyArray<string> =>
  faults.map(({ first_seq, kind, last_seq, length, offset, segment }: LogFault) =>
    `${segment}: ${kind} at ${offset}+${length}${first_seq === undefined ? "" : ` lost ${first_seq}-${last_seq}`}`
  )

const total = (segments: ReadonlyArray<Uint8Array>): number => segments.reduce((sum, { length }) => sum + length, 0)

const allLines = contents.map(linesOf)
const [one = [], two = [], three = []] = allLines
const join = (lines: ReadonlyArray<Uint8Array>): Buffer => Buffer.concat(lines)
const offsetOf = (lines: ReadonlyArray<Uint8Array>, line: number): number => total(lines.slice(0, line))

const crcLine = (json: string): Buffer =>
  bytes(`${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`)

/** The line with another text in it, as if it had been written so. */
const rewritten = (line: Uint8Array, from: string, to: string): Buffer =>
  crcLine(`${Buffer.from(line).toString("utf8").replace(from, to).slice(0, -19)}}`)

type Change = (content: Buffer, at: number) => Buffer

/** What may become of a segment's bytes: `at` says where. */
const changes: ReadonlyArray<Change> = [
  (content, at) => flipped(content, at),
  (content, at) => content.subarray(0, at),
  (content, at) => Buffer.concat([content.subarray(0, at), Buffer.alloc(content.length - at)]),
  (content, at) => Buffer.concat([content.subarray(0, at), content.subarray(Math.min(content.length, at + 200))]),
  (content, at) => {
    const lines = linesOf(content)
    return join(lines.toSpliced(at % lines.length, 1))
  },
  (content, at) => {
    const lines = linesOf(content)
    return join(lines.toSpliced(at % lines.length, 0, ...lines.slice(0, 2)))
  },
  (content, at) => join([...linesOf(content), bytes("{\"v\":1,\"seq\"".slice(0, at % 12))])
]

describe("verify", () => {
  it.effect("counts what a log holds, on each layer", () =>
    Effect.gen(function*() {
      const records = allLines.flat().length
      assert.strictEqual(contents.length, 3)
      const whole = yield* verified(contents)
      assert.deepStrictEqual(Object.entries(whole), [
        ["command", "log verify"],
        ["ok", true],
        ["segments", 3],
        ["bytes", total(contents)],
        ["records", records],
        ["torn", 0],
        ["damaged", false],
        ["faults", []],
        ["more_faults", 0]
      ])
      assert.deepInclude(yield* verified([]), { ok: true, segments: 0, bytes: 0, records: 0 })
      const memory = yield* Effect.provide(Effect.zipRight(append(group("a")), verify), MemoryLog.layer)
      assert.deepInclude(memory, { ok: true, segments: 1, records: 6, torn: 0, faults: [] })
    }))

  it.effect("names a segment that is not the one behind which the next was begun, though each of its lines is right", () =>
    Effect.gen(function*() {
      const sum = createHash("sha256").update(contents[0] ?? "").digest("hex")
      const another = rewritten(one[1] ?? bytes(""), "AACAPw==", "AACAPg==")
      const segments = segmentsWith(1, join(one.with(1, another)))
      const ended = (yield* read(segments)).ended
      assert.isTrue(Either.isRight(ended), "no reader can see this")
      const report = yield* verified(segments)
      assert.deepInclude(report, { ok: false, damaged: true, records: allLines.flat().length, torn: 0 })
      assert.deepStrictEqual(outline(report), [`1: mismatch at 0+${segments[0]?.length}`])
      const [fault] = report.faults
      const is = createHash("sha256").update(segments[0] ?? "").digest("hex")
      assert.strictEqual(fault?.detail, `its sha256 is ${is}, but segment 2 was begun behind a segment with ${sum}`)
      assert.strictEqual(fault?.path, pathOf(1))

      const [head = bytes(""), ...rest] = three
      const forgetful = join([
        rewritten(head, /"[0-9a-f]{64}"/.exec(head.toString("utf8"))?.[0] ?? "", "null"),
        ...rest
      ])
      const orphaned = yield* verified(segmentsWith(3, forgetful))
      assert.deepStrictEqual(outline(orphaned), [`2: mismatch at 0+${contents[1]?.length}`])
      assert.match(orphaned.faults[0]?.detail ?? "", /begun behind a segment with none/)
    }))

  it.effect("names all faults of all segments, and the sum of a segment with faults no second time", () =>
    Effect.gen(function*() {
      const segments = [
        flipped(contents[0] ?? bytes(""), offsetOf(one, 2) + 30),
        join(two.toSpliced(3, 2)),
        flipped(flipped(contents[2] ?? bytes(""), offsetOf(three, 1) + 30), offsetOf(three, 4) + 30)
      ]
      const begins = [1, one.length + 1, one.length + two.length + 1]
      const report = yield* verified(segments)
      assert.deepStrictEqual(outline(report), [
        `1: damaged at ${offsetOf(one, 2)}+${one[2]?.length} lost 3-3`,
        `2: missing at ${offsetOf(two, 3)}+0 lost ${(begins[1] ?? 0) + 3}-${(begins[1] ?? 0) + 4}`,
        `3: damaged at ${offsetOf(three, 1)}+${three[1]?.length} lost ${(begins[2] ?? 0) + 1}-${(begins[2] ?? 0) + 1}`,
        `3: damaged at ${offsetOf(three, 4)}+${three[4]?.length} lost ${(begins[2] ?? 0) + 4}-${(begins[2] ?? 0) + 4}`
      ])
      assert.deepInclude(report, { ok: false, damaged: true, torn: 0, records: allLines.flat().length - 5 })
      assert.deepStrictEqual(report.faults.map(({ path }) => path), [1, 2, 3, 3].map(pathOf))
    }))

  it.effect("takes what nobody was told to be on disk for a torn tail, and what stands in it for no record", () =>
    Effect.gen(function*() {
      // Without the seal, the last group alone knows nothing of itself.
      const unsealed = three.slice(0, -1)
      const group = unsealed.length - 5
      const spoilt = flipped(join(unsealed), offsetOf(unsealed, group + 1) + 30)
      const report = yield* verified(segmentsWith(3, spoilt))
      const torn = spoilt.length - offsetOf(unsealed, group + 1)
      assert.deepInclude(report, { ok: true, damaged: false, faults: [], torn })
      assert.strictEqual(report.records, one.length + two.length + group + 1)
      // The same in a segment that is not the last is damage.
      assert.deepInclude(yield* verified([join(unsealed), ...contents.slice(1)]), { ok: false, damaged: true })
      // Damage before it stays damage, and the tail a tail.
      const both = flipped(spoilt, 10)
      assert.deepStrictEqual(outline(yield* verified(segmentsWith(3, both))), [
        `3: damaged at 0+${three[0]?.length} lost ${one.length + two.length + 1}-${one.length + two.length + 1}`
      ])
      assert.strictEqual((yield* verified(segmentsWith(3, both))).torn, torn)
    }))

  it.effect("takes a line of a later version for neither damage nor a torn tail", () =>
    Effect.gen(function*() {
      const seq = allLines.flat().length + 1
      const newer = crcLine(
        `{"v":1,"seq":${seq},"at":"2026-11-29T20:00:00.000Z","kind":"hologram","body":{}}`
      )
      const report = yield* verified(segmentsWith(3, join([...three, newer])))
      assert.deepStrictEqual(outline(report), [`3: too-new at ${contents[2]?.length}+${newer.length}`])
      assert.deepInclude(report, { ok: false, damaged: false, torn: 0 })
    }))

  it.effect("tells a segment that is missing or empty, and reads on", () =>
    Effect.gen(function*() {
      const [first = bytes(""), second = bytes(""), third = bytes("")] = contents
      const hole = [
        [1, first],
        [4, third]
      ] as const
      const layer = Layer.provide(
        Segments.reader({ home }),
        Layer.effect(
          LogFs,
          Effect.map(
            Simulated.make({
              disk: hole.reduce(
                (all, [n, content]) => Either.getOrThrow(Disk.put(all, pathOf(n), content)),
                Disk.empty
              )
            }),
            ({ service }) => service
          )
        )
      )
      const gone = yield* Effect.provide(verify, layer)
      assert.strictEqual(outline(gone)[0], "2: missing at 0+0")
      assert.match(gone.faults[0]?.detail ?? "", /files of segments 2 to 3 are missing/)
      assert.deepInclude(gone, { ok: false, damaged: true, segments: 2 })
      const empty = yield* verified([first, bytes(""), third])
      assert.deepStrictEqual(outline(empty), [
        "2: missing at 0+0",
        `3: missing at 0+0 lost ${one.length + 1}-${one.length + two.length}`
      ])
      // One that was never begun, at the end, is nothing at all.
      assert.deepInclude(yield* verified([first, second, bytes("")]), { ok: true, segments: 3, torn: 0 })
    }))

  it.effect("reads on behind a segment that the disk does not give out, and calls that no damage", () =>
    Effect.gen(function*() {
      const process = yield* Simulated.make({ disk: diskOf(contents) })
      const failing = (path: string, file: LogFile): LogFile => ({
        ...file,
        read: (offset, length) =>
          path === pathOf(2)
            ? Effect.fail(new LogFsError({ operation: "read", path, reason: "DeviceError" }))
            : file.read(offset, length)
      })
      const fs = {
        ...process.service,
        open: (path: string, mode: "read" | "write" | "create") =>
          Effect.map(process.service.open(path, mode), (file) => failing(path, file))
      }
      const layer = Layer.provide(Segments.reader({ home }), Layer.succeed(LogFs, fs))
      const report = yield* Effect.provide(verify, layer)
      assert.deepStrictEqual(outline(report), ["2: unreadable at 0+0"])
      assert.match(report.faults[0]?.detail ?? "", /00000002\.jsonl: the device reported an input\/output error/)
      assert.deepInclude(report, { ok: false, damaged: false, segments: 2, records: one.length + three.length })
      const unlisted = {
        ...fs,
        list: (path: string) => new LogFsError({ operation: "list", path, reason: "DeviceError" })
      }
      const error = yield* Effect.flip(
        Effect.provide(verify, Layer.provide(Segments.reader({ home }), Layer.succeed(LogFs, unlisted)))
      )
      assert.strictEqual(error.reason, "DeviceError")
    }))

  it.effect("names the first faults of very many, and counts the rest", () =>
    Effect.gen(function*() {
      const [head = bytes(""), next = bytes(""), ...rest] = one
      const noise = Array.from({ length: mostFaults + 50 }, () => [bytes("x\n"), next]).flat()
      const report = yield* verified([join([head, next, ...noise, ...rest]), ...contents.slice(1)])
      assert.strictEqual(report.faults.length, mostFaults)
      // Each stray line, and each line that stands there again.
      assert.strictEqual(report.more_faults, 2 * (mostFaults + 50) - mostFaults)
      assert.isTrue(report.damaged)
    }))

  it.effect.prop(
    "agrees with the reader on whether there is damage, where it begins, and what is a torn tail",
    [
      FastCheck.array(
        FastCheck.record({
          segment: FastCheck.nat(2),
          at: FastCheck.nat(10_000),
          change: FastCheck.nat(changes.length - 1)
        }),
        { maxLength: 3 }
      ),
      FastCheck.boolean()
    ],
    ([mutations, sealed]) =>
      Effect.gen(function*() {
        const segments = sealed ? [...contents] : [...contents.slice(0, 2), join(three.slice(0, -1))]
        for (const { at, change, segment } of mutations) {
          const content = Buffer.from(segments[segment] ?? [])
          if (content.length === 0) continue
          segments[segment] = changes[change]?.(content, at % content.length) ?? content
        }
        // A file that is missing or empty in the middle shows to a reader by its numbers only.
        if (segments.slice(0, 2).some(({ length }) => length === 0)) return
        const report = yield* verified(segments)
        const reader = yield* read(segments)
        const seen = report.faults.filter(({ kind }) => kind !== "mismatch")
        if (Either.isLeft(reader.ended)) {
          const error = reader.ended.left
          assert.strictEqual(error._tag, "LogDamaged")
          assert.isTrue(report.damaged)
          const at = error._tag === "LogDamaged" ? [error.path, error.offset] : []
          assert.deepStrictEqual([seen[0]?.path, seen[0]?.offset], at)
        } else {
          assert.deepStrictEqual(seen, [])
          assert.strictEqual(report.records, reader.records)
          assert.strictEqual(report.torn, total(segments) - reader.good)
          // Each earlier segment is what it was, or does not have the sum that the next one names, if that still does,
          // and is no torn tail from its first line on.
          const changed = [0, 1].some((n) =>
            Buffer.compare(Buffer.from(segments[n] ?? []), contents[n] ?? bytes("")) !== 0
            && reader.good > total(segments.slice(0, n + 1))
            && Buffer.from(segments[n + 1] ?? []).includes(allLines[n + 1]?.[0] ?? bytes("none"))
          )
          assert.strictEqual(report.damaged, changed)
        }
      }),
    { fastCheck: { numRuns: 60 } }
  )
})

const mebibyte = 1024 * 1024

/** A log of about so many bytes on the disk: vectors that stand alone, as a sync writes them, and a seal. */
const writeLog = (folder: string, size: number): void => {
  mkdirSync(`${folder}/log/segments`, { recursive: true })
  const file = openSync(`${folder}/log/segments/00000001.jsonl`, "w")
  const at = Timestamp.make("2026-11-29T20:00:00.000Z")
  const data = Buffer.alloc(384 * 4, 0x3f).toString("base64")
  let seq = 0
  let written = 0
  const write = (entries: ReadonlyArray<LogEntry>) => {
    const records = Compose.alone(entries, { at, seq: seq + 1, durable_to: written })
    const piece = Buffer.concat(records.map((record) => Either.getOrThrow(encode(record))))
    writeSync(file, piece)
    seq += entries.length
    written += piece.length
  }
  write([{ kind: "segment", body: new Segment({ format: "mem-log/1", number: 1, previous_sha256: null }) }])
  while (written < size) {
    const texts = Array.from({ length: 200 }, (_, i) => `${seq} ${i}`)
    write(texts.map((text) => ({
      kind: "vector",
      body: new Vector({ embed_sha256: sha(text), model, dims: 384, data })
    })))
  }
  write([{ kind: "seal", body: new Seal({ durable_to: written }) }])
  closeSync(file)
}

/** The most that was held while these items came by, beyond what was held before. */
const peak = <A, E>(items: Stream.Stream<A, E>): Effect.Effect<number, E> =>
  Effect.suspend(() => {
    const held = () => {
      globalThis.gc?.()
      const { arrayBuffers, heapUsed } = process.memoryUsage()
      return arrayBuffers + heapUsed
    }
    const before = held()
    let most = 0
    return Stream.runFold(items, 0, (count) => {
      if (count % 5000 === 0) most = Math.max(most, held() - before)
      return count + 1
    }).pipe(Effect.map(() => most))
  })

it.scopedLive("reads and inspects 60 MB in a few megabytes", () =>
  Effect.gen(function*() {
    assert.isDefined(globalThis.gc, "run with --expose-gc")
    const folder = yield* temporaryHome
    writeLog(folder, 60 * mebibyte)
    const { inspect, records } = yield* Effect.provide(
      LogReader,
      Layer.provide(Segments.reader({ home: folder }), Node.layer)
    )
    assert.isBelow(yield* peak(records()), 20 * mebibyte)
    assert.isBelow(yield* peak(inspect), 20 * mebibyte)
  }), 60_000)
