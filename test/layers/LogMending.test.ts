/** A log that is damaged and repaired; the oracle is the log as it was written, line by line. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import { mend } from "../../layers/Log/Mending.ts"
import * as Processes from "../../layers/Log/Processes.ts"
import * as Segments from "../../layers/Log/Segments.ts"
import * as Node from "../../layers/LogFs/Node.ts"
import * as Simulated from "../../layers/LogFs/Simulated.ts"
import * as Disk from "../../layers/LogFs/SimulatedDisk.ts"
import { LogFs } from "../../services/LogFs.ts"
import type { LogReader } from "../../services/LogReader.ts"
import type { LogVerifyReport } from "../../src/domain/LogVerifyReport.ts"
import * as Live from "../../src/log/Live.ts"
import { sentences } from "../../src/log/Loss.ts"
import { verify } from "../../src/log/verify.ts"
import { live } from "../../src/sync/LogView.ts"
import { all, append, appendAlone, exclusion, group, notes, outline } from "../fixtures/LogGroups.ts"
import { probe, refuse } from "../fixtures/ProbedLogFs.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

const home = "/home"
const folder = `${home}/log/segments/`
const pathOf = (segment: number): string => `${folder}0000000${segment}.jsonl`

/** A clock that stands, on which nobody waits: the same repair writes the same bytes. */
const still: Clock.Clock = Object.assign(Clock.make(), {
  sleep: () => Effect.void,
  unsafeCurrentTimeMillis: () => 0,
  currentTimeMillis: Effect.succeed(0)
})

/** A process whose locks are known to be left behind once another one runs. */
const processes: Processes.Processes = {
  self: new Processes.ProcessIdentity({ pid: 4711, boot_id: "boot", start_ticks: "1", host: "here", command: "mem" }),
  lives: () => Effect.succeed(false)
}

type Contents = ReadonlyArray<Buffer>

const contentsOf = (disk: Disk.Disk): Contents =>
  [...Disk.files(disk, "cached")].flatMap(([path, content]) => path.startsWith(folder) ? [Buffer.from(content)] : [])

const put = (disk: Disk.Disk, path: string, content: Uint8Array): Disk.Disk =>
  Either.getOrThrow(Disk.put(disk, path, content))

const diskOf = (segments: Contents): Disk.Disk =>
  segments.reduce((all, content, i) => put(all, pathOf(i + 1), content), put(Disk.empty, `${home}/x`, Buffer.alloc(0)))

const logOn = (fs: LogFs["Type"], segmentBytes = 4_200) =>
  Layer.merge(Segments.reader({ home }), Segments.writer({ home, segmentBytes, processes })).pipe(
    Layer.provide(Layer.succeed(LogFs, fs))
  )

/** Five segments of one or two documents each, the last of them sealed. */
const written = Effect.gen(function*() {
  const process = yield* Simulated.make({ disk: put(Disk.empty, `${home}/x`, Buffer.alloc(0)) })
  const program = Effect.gen(function*() {
    for (const doc of ["a", "b", "c"]) yield* append(group(doc))
    yield* appendAlone(exclusion("c", true), exclusion("c", false))
    for (const doc of ["a", "d", "e", "f", "b"]) yield* append(group(doc, { version: 2, passages: 3 }))
  })
  yield* Effect.provide(program, logOn(process.service))
  return contentsOf(yield* process.disk)
})

const contents = Effect.runSync(Effect.orDie(Effect.withClock(written, still)))

const reading = <A, E>(disk: Disk.Disk, program: Effect.Effect<A, E, LogReader>) =>
  Effect.flatMap(
    Simulated.make({ disk }),
    ({ layer }) => Effect.provide(program, Layer.provide(Segments.reader({ home }), layer))
  )

const mended = (disk: Disk.Disk) =>
  Effect.gen(function*() {
    const process = yield* Simulated.make({ disk })
    const losses = yield* Effect.withClock(mend(process.service, { home, processes }), still)
    return { losses, disk: yield* process.disk, steps: yield* process.steps }
  })

interface Line {
  readonly segment: number
  readonly offset: number
  readonly seq: number
  readonly bytes: Buffer
}

const linesIn = (content: Buffer): ReadonlyArray<Buffer> => {
  const lines: Array<Buffer> = []
  for (let from = 0; from < content.length;) {
    const end = content.indexOf(10, from)
    if (end < 0) break
    lines.push(content.subarray(from, end + 1))
    from = end + 1
  }
  return lines
}

const linesOf = (segments: Contents): ReadonlyArray<Line> =>
  segments.flatMap((content, i) => {
    let offset = 0
    return linesIn(content).map((bytes) => {
      const line = { segment: i + 1, offset, seq: Number(/"seq":(\d+)/.exec(bytes.toString("latin1"))?.[1]), bytes }
      offset += bytes.length
      return line
    })
  })

const original = linesOf(contents)

/** What a repair may change in a line: the sum of the segment before. */
const withoutSum = (line: Buffer): string =>
  line.toString("utf8").replace(/"previous_sha256":[^}]*\}/, "").replace(/,"crc".*/, "").replace(/"at":"[^"]*"/, "")

const flipped = (content: Buffer, at: number): Buffer => {
  const copy = Buffer.from(content)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

const total = contents.reduce((sum, { length }) => sum + length, 0)

/** The segment and the offset of a byte of the log. */
const placeOf = (byte: number): readonly [segment: number, offset: number] => {
  let rest = byte
  for (const [i, { length }] of contents.entries()) {
    if (rest < length) return [i + 1, rest]
    rest -= length
  }
  return [contents.length, 0]
}

const faultless = (report: LogVerifyReport, name: string): void =>
  assert.deepInclude(report, { ok: true, damaged: false, faults: [] }, name)

const gapsIn = (lines: ReadonlyArray<Line>): ReadonlySet<number> =>
  new Set(lines.flatMap(({ bytes }) => {
    if (!bytes.includes("\"kind\":\"gap\"")) return []
    const { body } = JSON.parse(bytes.toString("utf8"))
    return Array.from({ length: body.last_seq - body.first_seq + 1 }, (_, i) => Number(body.first_seq) + i)
  }))

const quarantined = (disk: Disk.Disk): ReadonlyArray<string> =>
  [...Disk.files(disk, "durable")].flatMap(([path, content]) =>
    path.includes("/quarantine/") ? [Buffer.from(content).toString("latin1")] : []
  )

const spoil = (segments: Contents, bytes: ReadonlyArray<number>): Contents =>
  bytes.map(placeOf).reduce(
    (all, [segment, offset]) => all.map((content, i) => i === segment - 1 ? flipped(content, offset) : content),
    segments
  )

const line = (kind: string, occurrence = 0): Line => {
  const found = original.filter(({ bytes }) => bytes.includes(`"kind":"${kind}"`))[occurrence]
  return found ?? assert.fail(`no ${kind}`)
}

/** A byte of the log within this line. */
const within = ({ offset, segment }: Line, at = 30): number =>
  contents.slice(0, segment - 1).reduce((sum, { length }) => sum + length, 0) + offset + at

type Change = (content: Buffer, at: number, other: Buffer) => Buffer

/** What may become of a segment's bytes besides: cut, zeroed, bytes gone, lines gone, lines twice, another one's bytes. */
const changes: ReadonlyArray<Change> = [
  (content, at) => content.subarray(0, at),
  (content, at) => Buffer.concat([content.subarray(0, at), Buffer.alloc(content.length - at)]),
  (content, at) => Buffer.concat([content.subarray(0, at), content.subarray(Math.min(content.length, at + 200))]),
  (content, at) => {
    const lines = linesIn(content)
    return Buffer.concat(lines.toSpliced(at % (lines.length + 1), 1))
  },
  (content, at) => {
    const lines = linesIn(content)
    return Buffer.concat(lines.toSpliced(at % (lines.length + 1), 0, ...lines.slice(0, 2)))
  },
  (_content, _at, other) => other
]

const crcLine = (json: string): Buffer =>
  Buffer.from(`${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`)

describe("Log/Mending", () => {
  it.effect.prop("after any flips: clean, each line that was not hit still there, each other one named by a gap", [
    FastCheck.uniqueArray(FastCheck.nat(total - 1), { minLength: 1, maxLength: 8 })
  ], ([flips]) =>
    Effect.gen(function*() {
      const spoilt = spoil(contents, flips)
      const disk = diskOf(spoilt)
      const before = yield* reading(disk, verify)
      const result = yield* mended(disk)
      if (!before.damaged) {
        assert.deepStrictEqual(result.losses, [])
        assert.deepStrictEqual(result.steps, [])
        return
      }
      const after = contentsOf(result.disk)
      const report = yield* reading(result.disk, verify)
      faultless(report, "the repaired log")
      const lines = linesOf(after)
      const whole = (spoilt.at(-1)?.length ?? 0) - before.torn
      const hit = (each: Line): boolean =>
        flips.map(placeOf).some(([segment, offset]) =>
          segment === each.segment && offset >= each.offset - 1 && offset < each.offset + each.bytes.length
        )
      // Where the lines on both sides of a border are lost, nothing tells which of them was the segment's first one.
      const borderless = new Set(contents.flatMap((_, i) => {
        const before = original.findLast(({ segment }) => segment === i)
        const own = original.filter(({ segment }) => segment === i + 1)
        const whole = own.findIndex((each) => !hit(each))
        const run = whole < 0 ? own : own.slice(0, whole)
        return before !== undefined && hit(before) && run.length > 1 ? run.map(({ seq }) => seq) : []
      }))
      const kept = new Set(lines.map(({ bytes }) => withoutSum(bytes)))
      const exact = new Set(lines.map(({ bytes }) => bytes.toString("latin1")))
      const gaps = gapsIn(lines)
      for (const each of original) {
        const torn = each.segment === contents.length && each.offset >= whole
        const opens = each.offset === 0
        const name = `line ${each.seq}`
        if (torn || borderless.has(each.seq)) continue
        if (opens) assert.isTrue(kept.has(withoutSum(each.bytes)), name)
        else if (hit(each)) assert.isTrue(gaps.has(each.seq), name)
        else assert.isTrue(exact.has(each.bytes.toString("latin1")) && !gaps.has(each.seq), name)
      }
      // All records come through the reader, which checks that no line is missing.
      assert.strictEqual((yield* reading(result.disk, all())).length, report.records)
      const kept16 = quarantined(result.disk)
      for (const [i, content] of spoilt.entries()) {
        if (content.equals(contents[i] ?? content) || i === contents.length - 1) continue
        assert.include(kept16, content.toString("latin1"), `segment ${i + 1} is kept whole`)
      }
      // Once more: nothing left to do.
      const again = yield* mended(result.disk)
      assert.deepStrictEqual([again.losses, again.steps], [[], []])
    }), { fastCheck: { numRuns: 40, examples: [[[3705, 3062, 0]]] } })

  it.effect.prop("whatever else becomes of its files: clean, and no line named that was not there", [
    FastCheck.array(FastCheck.tuple(FastCheck.nat(contents.length - 1), FastCheck.nat(5), FastCheck.nat(9_999)), {
      minLength: 1,
      maxLength: 3
    })
  ], ([acts]) =>
    Effect.gen(function*() {
      const spoilt = acts.reduce<ReadonlyArray<Buffer>>((all, [segment, act, where]) => {
        const content = all[segment] ?? Buffer.alloc(0)
        const changed = changes[act]?.(content, where % (content.length + 1), all[where % all.length] ?? content)
        return all.with(segment, changed ?? content)
      }, contents)
      const disk = diskOf(spoilt)
      const before = yield* reading(disk, verify)
      const result = yield* mended(disk)
      assert.strictEqual(result.losses.length > 0, before.damaged)
      const report = yield* reading(result.disk, verify)
      faultless(report, "the repaired log")
      const lines = yield* reading(result.disk, all())
      assert.strictEqual(lines.length, report.records)
      // It can be written to, and holds what it held.
      const process = yield* Simulated.make({ disk: result.disk })
      yield* Effect.withClock(Effect.provide(append(group("z")), logOn(process.service)), still)
      const longer = outline(yield* reading(yield* process.disk, all()))
      assert.isTrue(longer.some((line) => / commit/.test(line)))
      assert.deepStrictEqual((yield* mended(result.disk)).steps, [])
    }), { fastCheck: { numRuns: 30, examples: [[[[6, 4, 5510], [0, 0, 0]]]] } })

  it.effect("cut short at any step, it is taken up, and ends as if it had not been", () =>
    Effect.gen(function*() {
      const manifest = `${home}/log/connectors/notes.manifest.jsonl`
      const flips = [within(line("reference")), within(line("segment", 1)), within(line("vector", 6))]
      const disk = put(diskOf(spoil(contents, flips).slice(0, 3)), manifest, Buffer.from("\n"))
      const whole = yield* mended(disk)
      faultless(yield* reading(whole.disk, verify), "not cut short")
      const right = contentsOf(whole.disk)
      const kept = quarantined(whole.disk)
      assert.isAtLeast(kept.length, 2)
      for (let k = 1; k <= whole.steps.length; k++) {
        for (const power of [false, true]) {
          const process = yield* Simulated.make({ disk, crashAt: k, seed: k })
          yield* Effect.exit(Effect.withClock(mend(process.service, { home, processes }), still))
          const left = yield* (power ? process.powerLoss(k) : process.processLoss)
          const name = `${JSON.stringify(whole.steps[k - 1])}, ${power ? "with the power" : "alone"}`
          const again = yield* mended(left)
          assert.isTrue(contentsOf(again.disk).every((content, i) => content.equals(right[i] ?? Buffer.of())), name)
          assert.deepStrictEqual(quarantined(again.disk).filter((copy) => !kept.includes(copy)), [], name)
          assert.isTrue(kept.every((copy) => quarantined(again.disk).includes(copy)), name)
          const folders = [...Disk.files(again.disk, "cached").keys()]
          assert.include(folders, `${home}/log/connectors/notes.progress.jsonl`, name)
        }
      }
    }))

  it.effect("says what is lost, and which lines", () =>
    Effect.gen(function*() {
      const reference = line("reference", 1)
      const [, , third = Buffer.of()] = contents
      const spoilt = spoil(contents, [within(reference), within(line("segment", 4))]).with(2, third.subarray(0, 0))
      const { disk, losses } = yield* mended(diskOf(spoilt))
      const head = (segment: number) => original.find((each) => each.segment === segment)?.seq ?? 0
      assert.deepStrictEqual(sentences(losses), [
        `00000001.jsonl: ${reference.bytes.length} bytes from byte ${
          reference.offset.toLocaleString("en-US")
        } on were damaged; line ${reference.seq} is lost`,
        "00000003.jsonl: its first line was made anew",
        `00000003.jsonl: lines were missing at byte 0; lines ${head(3) + 1} to ${head(4) - 1} are lost`,
        "00000005.jsonl: its first line was made anew",
        `the first lines of ${contents.length - 3} segments name the segments before them as those are now`,
        "the damaged segments are kept as they were, in log/quarantine"
      ])
      const gaps = (yield* reading(disk, all())).filter(({ record }) => record.kind === "gap")
      assert.deepStrictEqual(gaps.map(({ record }) => [Number(record.seq), record.body]), [
        [reference.seq, {
          first_seq: reference.seq,
          last_seq: reference.seq,
          segment: 1,
          offset: reference.offset,
          length: reference.bytes.length,
          quarantine: [...Disk.files(disk, "cached").keys()].filter((path) => path.includes("00000001.jsonl."))
            .map((path) => path.slice(`${home}/log/`.length)).join()
        }],
        [head(3) + 1, { ...gaps[1]?.record.kind === "gap" ? gaps[1].record.body : {}, last_seq: head(4) - 1 }]
      ])
    }))

  it.effect("counts no group that lost a line, and goes on with the version before it", () =>
    Effect.gen(function*() {
      const second = line("reference", 6)
      const { disk } = yield* mended(diskOf(spoil(contents, [within(second)])))
      const before = Live.manifestOf(yield* reading(diskOf(contents), live), notes)
      const after = Live.manifestOf(yield* reading(disk, live), notes)
      const differing = [...before].filter(([id, entry]) => after.get(id)?.seq !== entry.seq).map(([id]) => String(id))
      assert.deepStrictEqual(differing, ["a"])
      assert.deepStrictEqual([...after.values()].filter(({ doc_id }) => doc_id === "a").map((e) => e.chunk_count), [2])
    }))

  it.effect("cuts no line of a later version, and nothing of what the disk refuses to read", () =>
    Effect.gen(function*() {
      const seq = original.at(-1)?.seq ?? 0
      const newer = crcLine(`{"v":1,"seq":${seq + 1},"at":"2026-11-29T20:00:00.000Z","kind":"hologram","body":{}}`)
      const spoilt = spoil(contents, [within(line("reference"))])
      const disk = diskOf(spoilt.with(-1, Buffer.concat([spoilt.at(-1) ?? Buffer.of(), newer])))
      const process = yield* Simulated.make({ disk })
      const error = yield* Effect.flip(mend(process.service, { home, processes }))
      assert.deepInclude(error, { _tag: "LogTooNew", path: pathOf(contents.length) })
      assert.deepStrictEqual(yield* process.steps, [])

      const failing = yield* Simulated.make({ disk: diskOf(spoilt) })
      const fs = probe(failing.service)
      fs.before = refuse("DeviceError", "read", (path) => path === pathOf(3))
      const refused = yield* Effect.flip(mend(fs.service, { home, processes }))
      assert.deepInclude(refused, { _tag: "LogFsError", reason: "DeviceError", path: pathOf(3) })
      assert.deepStrictEqual(yield* failing.steps, [])
    }))

  it.effect("leaves a torn tail to the writer, also in a segment whose lines stand elsewhere now", () =>
    Effect.gen(function*() {
      const last = contents.length
      const inLast = original.filter((each) => each.segment === last && each.bytes.includes("\"kind\":\"reference\""))
      const repaired = yield* mended(diskOf(spoil(contents, inLast.map((each) => within(each)))))
      const process = yield* Simulated.make({ disk: repaired.disk })
      yield* Effect.withClock(
        Effect.exit(
          Effect.provide(Effect.zipRight(append(group("z")), process.processLoss), logOn(process.service, 1_000_000))
        ),
        still
      )
      const segments = contentsOf(yield* process.disk)
      const cut = segments.with(-1, (segments.at(-1) ?? Buffer.of()).subarray(0, -40))
      const report = yield* reading(diskOf(cut), verify)
      faultless(report, "torn only")
      assert.isAbove(report.torn, 0)
      assert.deepStrictEqual((yield* mended(diskOf(cut))).steps, [])
    }))

  it.scopedLive("on a disk: private files, the damaged one kept, nothing written where nothing is wrong", () =>
    Effect.gen(function*() {
      const root = yield* temporaryHome
      const dir = `${root}/log/segments`
      mkdirSync(dir, { mode: 0o700 })
      const names = contents.map((_, i) => `0000000${i + 1}.jsonl`)
      contents.forEach((content, i) => writeFileSync(`${dir}/${names[i] ?? ""}`, content, { mode: 0o600 }))
      const look = () =>
        names.map((name) => [statSync(`${dir}/${name}`).ino, readFileSync(`${dir}/${name}`).toString("latin1")])
      const program = Effect.flatMap(LogFs, (fs) => mend(fs, { home: root })).pipe(Effect.provide(Node.layer))
      const before = look()
      assert.deepStrictEqual(yield* program, [])
      assert.deepStrictEqual([look(), readdirSync(`${root}/log`)], [before, ["segments"]])

      const spoilt = spoil(contents, [within(line("reference"))])[0] ?? Buffer.of()
      writeFileSync(`${dir}/00000001.jsonl`, spoilt)
      assert.strictEqual((yield* program)[0]?._tag, "Lost")
      faultless(
        yield* Effect.provide(verify, Layer.provide(Segments.reader({ home: root }), Node.layer)),
        "the repaired log"
      )
      assert.deepStrictEqual(readdirSync(`${root}/log`), ["quarantine", "segments"])
      assert.deepStrictEqual(readdirSync(dir), names)
      const [copy = ""] = readdirSync(`${root}/log/quarantine`)
      assert.isTrue(readFileSync(`${root}/log/quarantine/${copy}`).equals(spoilt))
      for (const path of [`${dir}/00000001.jsonl`, `${root}/log/quarantine/${copy}`]) {
        assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      }
    }))
})
