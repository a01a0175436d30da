/** Sessions on their way into the archive: each Record once, whatever happens to the transcripts and to the run. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as VecSessions from "../../../layers/SourceConnector/VecSessions.ts"
import { GetSessionReport } from "../../../src/domain/GetReport.ts"
import { ConnectorName, DocId, RecordKey, Timestamp } from "../../../src/domain/Ids.ts"
import { Record, RecordMeta } from "../../../src/domain/Record.ts"
import { SourceWarning } from "../../../src/domain/SessionRead.ts"
import { drift } from "../../../src/sync/drift.ts"
import { exclude, include, meant, meantToCome } from "../../../src/sync/exclude.ts"
import { get, readings } from "../../../src/sync/get.ts"
import { references } from "../../../src/sync/references.ts"
import { status } from "../../../src/sync/status.ts"
import { defaults, sync } from "../../../src/sync/sync.ts"
import { quiet, warnings } from "../../fixtures/Index.ts"
import { archived, linesOf, synced } from "../Given.ts"
import { inMemory, onDisk, onSimulatedDisk, vec, type World, type WorldOptions } from "../Harness.ts"

const claude = ConnectorName.make("claude")

const say = (key: string, text = `text of ${key}`, more: Partial<Record> = {}): Record =>
  new Record({ key: RecordKey.make(key), text, ...more })

const bad = (byte_offset: number): SourceWarning =>
  new SourceWarning({ path: "s.jsonl", byte_offset, byte_length: 7, reason: "bad", detail: "a line that is no JSON" })

const worldOf = <W extends World, E, R>(
  sessions: ReadonlyArray<VecSessions.VecSession>,
  build: (options: WorldOptions) => Effect.Effect<W, E, R>,
  options?: Parameters<typeof VecSessions.make>[2]
) =>
  Effect.gen(function*() {
    const { connector, control } = yield* VecSessions.make("claude", sessions, options)
    const world = yield* build({ connectors: [connector] })
    return { world, control, run: () => Effect.map(synced(world), (of) => of("claude")) }
  })

/** `session key`, in the order of a dump. */
const keysOf = (world: World) =>
  Effect.map(archived(world), (lines) => lines.map(({ doc_id, key }) => `${doc_id} ${key}`))

describe("sync of sessions", () => {
  for (const [name, build] of [["in memory", inMemory], ["on a disk", onDisk]] as const) {
    it.scopedLive(`archives each Record once, and of one that grows reads the tail, ${name}`, () =>
      Effect.gen(function*() {
        const { control, run, world } = yield* worldOf([
          { id: "s1", items: [say("a"), say("b"), bad(40)] },
          { id: "s2", items: [say("a"), say("c")] }
        ], build)
        assert.deepInclude(yield* run(), {
          source_type: "session",
          status: "ok",
          new: 2,
          fetched: 2,
          records: 3,
          duplicates: 1,
          bad_lines: 1,
          embed_texts: 0,
          chunks_added: 0
        })
        assert.lengthOf(yield* archived(world), 3)
        const offsets = [...(yield* world.manifest(claude)).values()].map(({ cursor }) => cursor?.offset)
        assert.deepStrictEqual(offsets.sort(), [2, 3])
        yield* control.resetCounts
        const before = (yield* world.lines).length
        assert.deepInclude(yield* run(), { status: "ok", unchanged: 2, fetched: 0, records: 0 })
        assert.deepInclude(yield* control.counts, { reads: 0, items: 0 })
        assert.isAtMost((yield* world.lines).length, before + 1, "a seal at most")
        yield* control.put({ id: "s1", items: [say("a"), say("b"), bad(40), say("d")] })
        assert.deepInclude(yield* run(), { status: "ok", changed: 1, unchanged: 1, records: 1, duplicates: 0 })
        assert.deepInclude(yield* control.counts, { reads: 1, items: 1 })
        assert.lengthOf(yield* linesOf(world, "record"), 4)
      }).pipe(Effect.provide(quiet)))
  }

  it.scopedLive("lists each with its Records, its last moment and its project, and finds it by the beginning of its id", () =>
    Effect.gen(function*() {
      const moment = (minute: number) => Timestamp.make(`2026-05-01T09:0${minute}:00.000Z`)
      const { run, world } = yield* worldOf([
        {
          id: "abcdef-1",
          items: [
            say("a", "x", { at: moment(2), meta: new RecordMeta({ cwd: "/w/demo" }) }),
            say("b", "y", { at: moment(1) })
          ]
        },
        { id: "abcdef-2", items: [say("c")] },
        { id: "abcxyz-3", items: [say("d")] }
      ], inMemory)
      yield* run()
      const { documents, sessions } = yield* world.process(references)
      assert.deepStrictEqual(
        sessions.map(({ doc_id, latest, project, records }) => [String(doc_id), records, latest, project]),
        [["abcdef-1", 2, moment(2), "/w/demo"], ["abcdef-2", 1, null, undefined], ["abcxyz-3", 1, null, undefined]]
      )
      assert.deepStrictEqual(documents, [])
      const { connectors: [counted] } = yield* world.process(status)
      assert.deepInclude(counted, { documents: 3, records: 4 })

      const asked = (place: string) => {
        const [first, ...others] = readings(place)
        assert.isDefined(first)
        return world.process(get([first, ...others], 0))
      }
      const told = (place: string) => Effect.map(Effect.flip(asked(place)), (error) => String(error))
      const { report, whole } = yield* asked("claude:abcdef-1:2")
      assert.deepStrictEqual([report.doc_id, report.lines, whole], [DocId.make("abcdef-1"), [2, 2], false])
      assert.strictEqual((yield* asked("claude:abcxyz")).report.doc_id, DocId.make("abcxyz-3"))
      assert.strictEqual((yield* asked("claude:abcxyz:1")).report.doc_id, DocId.make("abcxyz-3"))
      assert.include(yield* told("claude:abcdef"), "2 sessions of claude begin with abcdef: abcdef-1, abcdef-2")
      assert.include(yield* told("claude:abcxy"), "no document or session abcxy in memory")
      assert.include(yield* told("claude:abcxyz:9"), "has Records 1 to 1, not 9")

      const id = (given: string) => world.process(meant(claude, DocId.make(given)))
      const back = (given: string) => world.process(meantToCome(claude, DocId.make(given)))
      assert.strictEqual(yield* id("abcxyz"), DocId.make("abcxyz-3"))
      assert.strictEqual(yield* id("abcxy"), DocId.make("abcxy"))
      assert.strictEqual(yield* id("abcdef-1"), DocId.make("abcdef-1"))
      assert.include(String(yield* Effect.flip(id("abcdef"))), "write more of the id")
      assert.strictEqual(yield* back("abcxyz"), DocId.make("abcxyz"))
      yield* world.process(exclude(claude, DocId.make("abcxyz-3")))
      assert.strictEqual(yield* back("abcxyz"), DocId.make("abcxyz-3"))
      assert.strictEqual(yield* id("abcxyz"), DocId.make("abcxyz"))
    }))

  it.scopedLive("keeps what the agent has deleted", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* worldOf([{ id: "s1", items: [say("a")] }], inMemory)
      yield* run()
      yield* control.remove("s1")
      assert.deepInclude(yield* run(), { status: "ok", listed: 0, removed: 0 })
      assert.deepStrictEqual(yield* keysOf(world), ["s1 a"])
    }))

  it.scopedLive("reads a session that was written anew as a whole, and archives what is new in it", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* worldOf([{ id: "s1", items: [say("a"), say("b")] }], inMemory)
      yield* run()
      yield* control.put({ id: "s1", items: [say("x"), say("a"), say("b")] })
      yield* control.resetCounts
      assert.deepInclude(yield* run(), { changed: 1, records: 1, duplicates: 2 })
      assert.strictEqual((yield* control.counts).items, 3)
      assert.deepStrictEqual(yield* keysOf(world), ["s1 a", "s1 b", "s1 x"])
    }))

  it.scopedLive("takes a longer form of a text for the text, and of two others the first", () =>
    Effect.gen(function*() {
      const said = warnings()
      const { control, run, world } = yield* worldOf(
        [{ id: "s1", items: [say("a", "The port"), say("b", "x")] }],
        onDisk
      )
      yield* run()
      yield* control.put({ id: "s2", items: [say("a", "The port is 4317"), say("b", "y"), say("a", "The port is")] })
      assert.deepInclude(yield* Effect.provide(run(), said.layer), { new: 1, records: 1, duplicates: 2 })
      assert.deepStrictEqual((yield* archived(world)).map(({ key, text }) => `${key} ${text}`).sort(), [
        "a The port is 4317",
        "b x"
      ])
      assert.strictEqual(said.messages.filter((message) => message.includes("2 Records say something else")).length, 1)
    }))

  it.scopedLive("shows a superseded Record no more, and archives it no second time", () =>
    Effect.gen(function*() {
      const longer = say("b", "The port is 4317", { supersedes: RecordKey.make("a") })
      const { control, run, world } = yield* worldOf([{ id: "s1", items: [say("a", "The port"), longer] }], onDisk)
      yield* run()
      assert.deepStrictEqual(yield* keysOf(world), ["s1 b"])
      yield* control.put({ id: "s1", items: [say("x"), say("a", "The port"), longer] })
      assert.deepInclude(yield* run(), { records: 1, duplicates: 2 })
      assert.deepStrictEqual(yield* keysOf(world), ["s1 b", "s1 x"])
    }))

  it.scopedLive("a session that cannot be read to its end keeps what was read, and fails alone", () =>
    Effect.gen(function*() {
      const items = Array.from({ length: 10 }, (_, i) => say(`k${i}`))
      const { control, run, world } = yield* worldOf(
        [{ id: "s1", items }, { id: "s2", items: [say("other")] }],
        inMemory,
        { cursorEach: 2 }
      )
      yield* control.fail("s1", 5)
      const report = yield* run()
      assert.deepInclude(report, { status: "partial", new: 1, records: 5 })
      assert.deepStrictEqual(report.failed.map(({ doc_id, error, retryable }) => [doc_id, error, retryable]), [
        [DocId.make("s1"), "read", true]
      ])
      assert.lengthOf(yield* linesOf(world, "record"), 5)
      yield* control.put({ id: "s1", items })
      yield* control.resetCounts
      assert.deepInclude(yield* run(), { status: "ok", records: 6, changed: 1 })
      assert.strictEqual((yield* control.counts).items, 6)
    }))

  it.scopedLive("leaves out what no line of the log can hold, says so, and goes on", () =>
    Effect.gen(function*() {
      const said = warnings()
      const huge = say("huge", "\u0001".repeat(6 * 1024 * 1024))
      const { run, world } = yield* worldOf([{ id: "s1", items: [say("a"), huge, say("b")] }], inMemory)
      assert.deepInclude(yield* Effect.provide(run(), said.layer), { status: "ok", records: 2, bad_lines: 1 })
      assert.deepStrictEqual(yield* keysOf(world), ["s1 a", "s1 b"])
      assert.include(said.messages.join(), "huge is longer than a line of the log may be")
    }))

  it.scopedLive("an excluded session is known no more, and comes back whole", () =>
    Effect.gen(function*() {
      const { run, world } = yield* worldOf([{ id: "s1", items: [say("a"), say("b")] }], onDisk)
      yield* run()
      yield* world.process(exclude(claude, DocId.make("s1")))
      assert.deepInclude(yield* run(), { new: 0, records: 0 })
      assert.deepStrictEqual(yield* keysOf(world), [])
      yield* world.process(include(claude, DocId.make("s1")))
      assert.deepInclude(yield* run(), { new: 1, records: 2, duplicates: 0 })
      assert.deepStrictEqual(yield* keysOf(world), ["s1 a", "s1 b"])
    }))

  it.scopedLive("marks what is a copy of a reference document, and what mem printed", () =>
    Effect.gen(function*() {
      const told = "The demo server listens on port 4400 since the collector took 4317 for itself."
      const { connector } = yield* vec("notes", [{ doc_id: "port.txt", content: `${told}\n` }])
      const printed = "<mem-artifact id=\"search\" sha=\"0\">\n0.812 notes:port.txt:1\n  text\n</mem-artifact>"
      const report = JSON.stringify({ command: "search", ok: true, hits: [] })
      const sessions = yield* VecSessions.make("claude", [{
        id: "s1",
        items: [
          say("quote", `What I found:\n\n> ${told}\n\nSo I use 4400.`),
          say("tool", `$ mem search port\n${printed}\ndone`),
          say("json", report),
          say("plain", "Use 4400.")
        ]
      }])
      const world = yield* inMemory({ connectors: [connector] })
      yield* world.process(sync())
      const both = yield* inMemory({ connectors: [connector, sessions.connector] })
      yield* both.process(sync({ ...defaults, only: [ConnectorName.make("notes")] }))
      assert.deepInclude((yield* synced(both))("claude"), { records: 6, derived: 3 })
      const lines = yield* archived(both)
      assert.deepStrictEqual(lines.map(({ derived, key, text }) => [String(key), derived, text]), [
        ["quote", false, "What I found:\n\n\nSo I use 4400."],
        ["quote.a1", "artifact", `> ${told}\n`],
        ["tool", false, "$ mem search port\n\ndone"],
        ["tool.a1", "artifact", printed],
        ["json", "artifact", report],
        ["plain", false, "Use 4400."]
      ])
    }))

  it.scopedLive("says what is ahead, by readers alone, and what there is", () =>
    Effect.gen(function*() {
      const { connector, control } = yield* VecSessions.make("claude", [
        { id: "s1", items: [say("a"), say("b")] },
        { id: "s2", items: [say("a"), bad(3), say("c")] }
      ])
      const world = yield* onDisk({ connectors: [connector] })
      const ahead = (estimate: boolean) =>
        Effect.map(world.process(drift({ ...defaults, estimate })), ({ connectors }) => connectors[0])
      const first = yield* ahead(true)
      assert.deepInclude(first, { status: "ok", new: 2, changed: 0, removed: 0, bytes: 5 })
      assert.deepInclude(first?.estimate, { documents: 2, records: 3, embed_texts: 0 })
      yield* Effect.provide(synced(world), quiet)
      assert.deepInclude(yield* ahead(false), { new: 0, changed: 0, unchanged: 2, bytes: 0 })
      yield* control.put({ id: "s1", items: [say("a"), say("b"), say("c"), say("d")] })
      yield* control.remove("s2")
      const grown = yield* ahead(true)
      assert.deepInclude(grown, { new: 0, changed: 1, removed: 0, bytes: 2 })
      assert.strictEqual(grown?.estimate?.records, 1)
      const { connectors } = yield* world.process(status)
      assert.deepInclude(connectors[0], { source_type: "session", documents: 2, chunks: 0, records: 3 })
    }))

  it.scopedLive("shows a session, or Records of it with their surroundings, from the log alone", () =>
    Effect.gen(function*() {
      const longer = say("c", "The port is 4317", { supersedes: RecordKey.make("b") })
      const { control, run, world } = yield* worldOf([
        { id: "s1", items: [say("a"), say("b", "The port"), longer, say("d")] }
      ], onDisk)
      yield* run()
      yield* control.put({ id: "s1", items: [say("d"), say("e"), say("a", "text of a, and more")] })
      yield* run()
      yield* control.remove("s1")
      const shown = (place: string) =>
        Effect.gen(function*() {
          const [first, ...others] = readings(place)
          assert.isDefined(first)
          const { report } = yield* world.process(get([first, ...others], 1))
          assert.instanceOf(report, GetSessionReport)
          const keys = (records: ReadonlyArray<Record>) => records.map(({ key }) => key).join()
          return [report.lines.join("-"), report.of, keys(report.before), keys(report.records), keys(report.after)]
        })
      assert.deepStrictEqual(yield* shown("claude:s1"), ["1-4", 4, "", "c,d,e,a", ""])
      assert.deepStrictEqual(yield* shown("claude:s1:2"), ["2-2", 4, "c", "d", "e"])
      assert.deepStrictEqual(yield* shown("claude:s1:3-"), ["3-4", 4, "d", "e,a", ""])
      assert.deepStrictEqual((yield* archived(world)).map(({ key }) => String(key)), ["c", "d", "e", "a"])
    }))

  it.live.prop(
    "whatever grows, is copied or written anew, and wherever a run is cut: each Record once, none lost",
    [
      FastCheck.array(
        FastCheck.record({
          session: FastCheck.constantFrom("s1", "s2", "s3"),
          add: FastCheck.array(FastCheck.nat(11), { minLength: 1, maxLength: 6 }),
          anew: FastCheck.boolean(),
          crashAt: FastCheck.option(FastCheck.integer({ min: 1, max: 40 }), { nil: undefined }),
          power: FastCheck.option(FastCheck.nat(1000), { nil: undefined })
        }),
        { minLength: 1, maxLength: 5 }
      )
    ],
    ([acts]) =>
      Effect.gen(function*() {
        const { control, world } = yield* worldOf([], onSimulatedDisk, { cursorEach: 3 })
        const sessions = new Map<string, ReadonlyArray<Record>>()
        const expected = new Set<string>()
        for (const { add, anew, crashAt, power, session } of acts) {
          const more = add.map((n) => say(`k${n}`))
          const items = anew ? more : [...sessions.get(session) ?? [], ...more]
          sessions.set(session, items)
          yield* control.put({ id: session, items })
          const ended = yield* world.run(sync(), crashAt === undefined ? {} : { crashAt, power })
          // What a session lost before a run had read it was never seen.
          if (ended.exit._tag === "Success") {
            for (const now of sessions.values()) now.forEach(({ key }) => expected.add(key))
          }
        }
        yield* world.process(sync())
        for (const now of sessions.values()) now.forEach(({ key }) => expected.add(key))
        const lines = yield* world.lines
        const live = yield* archived(world)
        assert.deepStrictEqual(new Set(live.map(({ key }) => String(key))).size, live.length)
        for (const key of expected) assert.isTrue(live.some((line) => line.key === key), key)
        // Each in one group that counts.
        const committed = new Set(lines.flatMap(({ record }) => record.kind === "commit" ? [record.txn] : []))
        const keys = lines.flatMap(({ record }) =>
          record.kind === "record" && committed.has(record.txn) ? [String(record.body.key)] : []
        )
        assert.strictEqual(new Set(keys).size, keys.length)
        const after = yield* world.process(sync())
        assert.deepInclude(after.connectors[0], { status: "ok", fetched: 0, records: 0 })
      }).pipe(Effect.provide(quiet)),
    { fastCheck: { numRuns: 15 } }
  )

  it.scopedLive("has three session connectors and a folder in one home: one sync, one report", () =>
    Effect.gen(function*() {
      const { connector } = yield* vec("notes", [{ doc_id: "a.txt", content: "A note.\n" }])
      const sessions = yield* Effect.forEach(
        ["claude", "pi", "codex"],
        (name) =>
          VecSessions.make(name, [{
            id: "s1",
            items: [say("a", `said to ${name}`, { at: Timestamp.make("2026-05-01T09:00:00.000Z") })]
          }])
      )
      const world = yield* onDisk({ connectors: [connector, ...sessions.map(({ connector }) => connector)] })
      const of = yield* synced(world)
      for (const name of ["claude", "pi", "codex"]) assert.deepInclude(of(name), { status: "ok", records: 1 })
      assert.deepInclude(of("notes"), { status: "ok", new: 1 })
      assert.lengthOf(yield* archived(world), 3)
    }))
})
