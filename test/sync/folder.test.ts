/** A folder of notes on a real disk, synced by the real engine into a real log. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as fs from "node:fs"
import { join } from "node:path"
import { rootUri } from "../../layers/SourceConnector/Folder/Names.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { DocId } from "../../src/domain/Ids.ts"
import { drift } from "../../src/sync/drift.ts"
import { exclude } from "../../src/sync/exclude.ts"
import { digest, rebuild } from "../../src/sync/rebuild.ts"
import { defaults, type SyncOptions } from "../../src/sync/sync.ts"
import { Verify } from "../../src/sync/Verify.ts"
import { clockAt } from "../fixtures/ClockAt.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"
import { connectorTo, notes, vault } from "../fixtures/Vault.ts"
import { documentsOf, first, idsOf, synced, text } from "./Given.ts"
import { inMemory, onDiskAt, type Services } from "./Harness.ts"

type Around = <A, E>(program: Effect.Effect<A, E, Services>) => Effect.Effect<A, E, Services>

/** An hour later no file counts as just written. */
const inAnHour = () => Date.now() + 3_600_000

const later: Around = Effect.withClock(clockAt(inAnHour))

const verified: Around = (program) => later(Effect.provideService(program, Verify, true))

const a = DocId.make("a.md")

/** A vault, a connector to it, and a world that outlives each run; its log is on the disk too, or in memory. */
const vaultOf = (documents: ReadonlyArray<string>, logAt: "disk" | "memory" = "memory") =>
  Effect.gen(function*() {
    const files = yield* vault
    for (const path of documents) files.put(path, text(path))
    const { connector, watch } = yield* connectorTo(files)
    const home = yield* temporaryHome
    const options = { connectors: [connector], cached: true }
    const world = yield* logAt === "disk" ? onDiskAt(home, options) : inMemory(options)
    const log = Effect.map(world.lines, (lines) => lines.map(({ record }) => record))
    /** A run, and what it opened. */
    const run = (around: Around = later, more: Partial<SyncOptions> = {}) =>
      Effect.gen(function*() {
        watch.opened.length = 0
        const report = (yield* synced(world, more, around))(notes)
        return { ...report, opened: [...watch.opened] }
      })
    const drifts = (around: Around = later) =>
      world.process(around(drift({ ...defaults, estimate: false }))).pipe(
        Effect.map(({ connectors }) => first(connectors))
      )
    const failed = world.process(Effect.flatMap(ManifestStore, ({ loadFailed }) => loadFailed(notes)))
    return { ...files, watch, world, home, log, run, drifts, failed }
  })

const paths = (n: number) => Array.from({ length: n }, (_, i) => `topic ${i % 3}/note ${i}.md`)

describe("a folder that is synced", () => {
  it.scopedLive("end to end: new, edited, moved, removed, and rebuilt from its log", () =>
    Effect.gen(function*() {
      const { at, drifts, put, run, world } = yield* vaultOf([...paths(9), "a.md"], "disk")
      assert.deepInclude(yield* run(), { status: "ok", new: 10, fetched: 10, listed: 10 })
      put("a.md", text("a.md") + "One more paragraph.\n")
      put("new/#1?.txt", text("new"))
      fs.rmSync(at("topic 0/note 0.md"))
      fs.renameSync(at("topic 1/note 1.md"), at("topic 1/renamed.md"))
      const { documents } = yield* drifts()
      assert.deepStrictEqual(documents, {
        ...documents,
        new: [DocId.make("new/#1?.txt")],
        changed: [a],
        moved: [DocId.make("topic 1/renamed.md")],
        removed: [DocId.make("topic 0/note 0.md")]
      })
      assert.deepInclude(yield* run(), { status: "ok", new: 1, changed: 1, moved: 1, removed: 1, unchanged: 7 })
      const live = yield* documentsOf(world)
      assert.strictEqual(live.size, 10)
      for (const [path, content] of live) assert.strictEqual(content, fs.readFileSync(at(path), "utf8"))
      const { state_sha256 } = yield* world.process(digest)
      assert.deepInclude(yield* world.process(rebuild), { embed_calls: 0, state_sha256 })
    }))

  it.scopedLive("again without a change: no file is opened, no vector made, and not a byte written to the log", () =>
    Effect.gen(function*() {
      const { home, run, watch, world } = yield* vaultOf(paths(20), "disk")
      yield* run()
      const log = () => fs.readFileSync(join(home, "log", "segments", "00000001.jsonl"))
      const [bytes, counts] = [log(), yield* world.counts]
      watch.folders.length = 0
      assert.deepInclude(yield* run(), { status: "ok", unchanged: 20, fetched: 0, opened: [] })
      assert.strictEqual(watch.folders.length, 4)
      assert.deepStrictEqual([log(), yield* world.counts], [bytes, counts])
    }))

  it.scopedLive("right after it was written: each file is read once more when that is over, and then no more", () =>
    Effect.gen(function*() {
      const { at, log, run } = yield* vaultOf(paths(5))
      const written = fs.statSync(at(first(paths(5)))).ctimeMs
      const then: Around = Effect.withClock(clockAt(() => Math.floor(written)))
      yield* run(then)
      const lines = yield* log
      // Within the grain each listing reads them.
      for (let i = 0; i < 2; i++) {
        assert.strictEqual((yield* run(then)).opened.length, 5)
      }
      const once = yield* run()
      assert.deepInclude(once, { status: "ok", unchanged: 5, fetched: 0 })
      assert.strictEqual(once.opened.length, 5)
      assert.deepInclude(yield* run(), { unchanged: 5, opened: [] })
      assert.deepStrictEqual(yield* log, lines)
    }))

  it.scopedLive("with a file that was only touched: one hash, no fetch, the manifest alone", () =>
    Effect.gen(function*() {
      const { at, log, run, world } = yield* vaultOf(["a.md", "b.md"])
      yield* run()
      const [lines, before] = [yield* log, (yield* world.manifest(notes)).get(a)]
      fs.utimesSync(at("a.md"), 1, 1)
      const report = yield* run()
      assert.deepInclude(report, { status: "ok", unchanged: 2, changed: 0, fetched: 0, opened: [at("a.md")] })
      const after = (yield* world.manifest(notes)).get(a)
      assert.notStrictEqual(after?.revision, before?.revision)
      assert.deepStrictEqual({ ...after, revision: "" }, { ...before, revision: "" })
      assert.deepInclude(yield* run(), { unchanged: 2, opened: [] })
      assert.deepStrictEqual(yield* log, lines)
    }))

  it.scopedLive("sees an edit of the same size within one tick of the clock", () =>
    Effect.gen(function*() {
      const { put, run, watch, world } = yield* vaultOf([])
      const now = Date.now()
      const tick = BigInt(now) * 1_000_000n
      watch.stat = (_, stat) => ({ ...stat, mtimeNs: tick, ctimeNs: tick })
      const inTick: Around = Effect.withClock(clockAt(() => now))
      put("a.md", "one")
      put("b.md", "the same")
      yield* run(inTick)
      put("a.md", "two")
      assert.deepInclude(yield* run(inTick), { status: "ok", changed: 1, unchanged: 1, fetched: 1 })
      put("a.md", "six")
      // Also where the tick is over by the time of the next sync.
      assert.deepInclude(yield* run(), { status: "ok", changed: 1, unchanged: 1, fetched: 1 })
      assert.strictEqual((yield* documentsOf(world)).get("a.md"), "six")
      assert.deepInclude(yield* run(), { unchanged: 2, opened: [] })
    }))

  it.scopedLive("with --verify: reads every file, and finds what changed behind an unchanged stat", () =>
    Effect.gen(function*() {
      const { at, drifts, log, put, run, watch, world } = yield* vaultOf(["b.md"])
      watch.stat = (_, stat) => ({ ...stat, mtimeNs: 1n, ctimeNs: 1n })
      put("a.md", "one")
      yield* run()
      const lines = yield* log
      assert.strictEqual((yield* run(verified)).opened.length, 2)
      assert.deepStrictEqual(yield* log, lines)
      put("a.md", "two")
      assert.deepInclude(yield* run(), { unchanged: 2, opened: [] })
      assert.deepInclude(yield* drifts(verified), { changed: 1, unchanged: 1 })
      assert.deepInclude(yield* run(verified), { status: "ok", changed: 1, unchanged: 1, fetched: 1 })
      assert.strictEqual((yield* documentsOf(world)).get("a.md"), "two")
      assert.deepInclude(yield* run(verified), { unchanged: 2, changed: 0, fetched: 0 })
      yield* world.process(exclude(notes, a))
      assert.deepInclude(yield* run(verified), { unchanged: 1, opened: [at("b.md")] })
    }))

  it.scopedLive("knows without a hash that a file of another size has changed", () =>
    Effect.gen(function*() {
      const { at, put, run } = yield* vaultOf(["a.md", "b.md"])
      yield* run()
      put("a.md", text("a.md", 4))
      assert.deepInclude(yield* run(), { changed: 1, fetched: 1, opened: [at("a.md")] })
    }))

  it.scopedLive("josemar-assistente#125: 20 renamed files are moved, with 0 embedded texts; drift says so before", () =>
    Effect.gen(function*() {
      const { at, drifts, run, world } = yield* vaultOf(paths(30))
      yield* run()
      fs.mkdirSync(at("elsewhere"))
      for (const [i, path] of paths(20).entries()) fs.renameSync(at(path), at(`elsewhere/${i}.md`))
      const before = yield* world.counts
      assert.deepInclude(yield* drifts(), { status: "ok", moved: 20, new: 0, removed: 0, unchanged: 10 })
      const report = yield* run()
      assert.deepInclude(report, { status: "ok", moved: 20, new: 0, removed: 0, unchanged: 10, fetched: 20 })
      assert.deepStrictEqual([report.embed_texts, yield* world.counts], [0, before])
      const expected = [...paths(30).slice(20), ...Array.from({ length: 20 }, (_, i) => `elsewhere/${i}.md`)]
      assert.deepStrictEqual(yield* idsOf(world), expected.sort())
      fs.renameSync(at("elsewhere/0.md"), at("Elsewhere 0.md"))
      assert.deepInclude(yield* run(), { moved: 1, embed_texts: 0 })
    }))

  it.scopedLive("deleted and restored files, and an edit that is taken back, cost 0 embedded texts", () =>
    Effect.gen(function*() {
      const { at, put, run } = yield* vaultOf(["a.md", "b.md", "c.md"])
      yield* run()
      fs.rmSync(at("a.md"))
      put("b.md", text("another"))
      assert.deepInclude(yield* run(), { removed: 1, changed: 1 })
      put("a.md", text("a.md"))
      put("b.md", text("b.md"))
      assert.deepInclude(yield* run(), { status: "ok", new: 1, changed: 1, embed_texts: 0 })
    }))
})

describe("a folder that is not all there", () => {
  it.scopedLive("koel/koel#2652: a root that is missing fails, one that is empty is refused; nothing is removed", () =>
    Effect.gen(function*() {
      const { drifts, log, root, run, world } = yield* vaultOf(paths(5))
      yield* run()
      const lines = yield* log
      fs.renameSync(root, `${root} away`)
      const missing = yield* run()
      assert.deepInclude(missing, { status: "failed", removed: 0 })
      assert.include(missing.error?.message, `${rootUri(root)} is missing`)
      const { error, status } = yield* drifts()
      assert.deepStrictEqual({ status, message: error?.message }, { status: "failed", message: missing.error?.message })
      fs.mkdirSync(root)
      assert.deepInclude(yield* run(), { status: "refused", removed: 0 })
      assert.deepStrictEqual(yield* log, lines)
      fs.rmdirSync(root)
      fs.renameSync(`${root} away`, root)
      assert.deepInclude(yield* run(), { status: "ok", unchanged: 5, opened: [] })
      assert.strictEqual((yield* idsOf(world)).length, 5)
    }))

  it.scopedLive("a folder in it that cannot be read keeps what it holds, and the rest goes on", () =>
    Effect.gen(function*() {
      const { at, root, run, watch, world } = yield* vaultOf(["x/a.md", "x/y/b.md", "c.md", "d.md", "e.md"])
      yield* run()
      fs.rmSync(at("c.md"))
      watch.fails = (operation, path) => operation === "entries" && path === at("x") ? "EACCES" : undefined
      const report = yield* run()
      assert.deepInclude(report, { status: "partial", removed: 1, unchanged: 2 })
      assert.include(report.error?.message, `${rootUri(root)}/x is unreadable`)
      assert.deepStrictEqual(yield* idsOf(world), ["d.md", "e.md", "x/a.md", "x/y/b.md"])
      watch.fails = () => undefined
      fs.rmSync(at("x"), { recursive: true })
      assert.deepInclude(yield* run(), { status: "ok", removed: 2, unchanged: 2 })
    }))

  it.scopedLive("files that cannot be read now are skipped as unavailable, and stay", () =>
    Effect.gen(function*() {
      const { at, drifts, put, run, watch, world } = yield* vaultOf(["a.md", "b.md", "c.md"])
      yield* run()
      put("a.md", text("another"))
      put("b.md", text("a.md"))
      put("new.md", text("new"))
      fs.utimesSync(at("c.md"), 1, 1)
      watch.fails = (operation, path) =>
        operation === "open" || operation === "access" && path === at("new.md") ? "EACCES" : undefined
      const unavailable = ["a.md", "b.md", "c.md", "new.md"].map((path) => ({
        doc_id: DocId.make(path),
        reason: "unavailable"
      }))
      assert.deepInclude(yield* drifts(), { new: 0, removed: 0 })
      const report = yield* run()
      assert.deepInclude(report, { status: "ok", listed: 4, fetched: 0, removed: 0, failed: [] })
      assert.sameDeepMembers(report.skipped.map((skip) => ({ ...skip })), unavailable)
      assert.strictEqual((yield* documentsOf(world)).get("a.md"), text("a.md"))
      watch.fails = () => undefined
      assert.deepInclude(yield* run(), { status: "ok", changed: 2, unchanged: 1, new: 1, skipped: [] })
    }))

  it.scopedLive("a disk that fails shows by name, also behind an unchanged stat when all is verified", () =>
    Effect.gen(function*() {
      const { at, run, watch, world } = yield* vaultOf(["a.md", "b.md"])
      yield* run()
      watch.fails = (operation, path) => operation === "read" && path === at("a.md") ? "EIO" : undefined
      assert.deepInclude(yield* run(), { status: "ok", unchanged: 2, opened: [] })
      // It is tried four times, and waited for between them.
      const hasty: Around = (program) =>
        Effect.withClock(Effect.provideService(program, Verify, true), clockAt(inAnHour, 20))
      const report = yield* run(hasty)
      assert.deepInclude(report, { status: "partial", unchanged: 1, changed: 0, removed: 0 })
      assert.deepInclude(first(report.failed), { doc_id: a, error: "fetch", retryable: true })
      assert.strictEqual((yield* documentsOf(world)).get("a.md"), text("a.md"))
      watch.fails = () => undefined
      assert.deepInclude(yield* run(), { status: "ok", unchanged: 2, failed: [] })
    }))

  it.scopedLive("what vanishes on the way is kept until a listing lacks it", () =>
    Effect.gen(function*() {
      const { at, put, run, watch, world } = yield* vaultOf(["a.md", "b.md", "c.md"])
      yield* run()
      put("a.md", text("another", 4))
      watch.before = (operation, path) => {
        if (operation === "stat" && path === at("b.md") || operation === "open" && path === at("a.md")) {
          fs.rmSync(path, { force: true })
        }
      }
      const report = yield* run()
      assert.deepInclude(report, { status: "ok", removed: 0, unchanged: 1 })
      assert.deepStrictEqual(report.skipped.map(({ doc_id, reason }) => `${doc_id} ${reason}`).sort(), [
        "a.md gone",
        "b.md gone"
      ])
      assert.deepStrictEqual(yield* idsOf(world), ["a.md", "b.md", "c.md"])
      assert.deepInclude(yield* run(later, { allowMassRemoval: true }), { removed: 2, unchanged: 1 })
    }))
})

describe("a folder with what is no document", () => {
  it.scopedLive("names it with the reason, and reads it no more while it stays the same", () =>
    Effect.gen(function*() {
      const { at, drifts, failed, outside, put, run, world } = yield* vaultOf(["a.md"])
      put("binary.md", "a\0b")
      put("latin.txt", Buffer.from("na\xefve", "latin1"))
      put("drawing.excalidraw.md", "x")
      put("big.md", "x".repeat(5000))
      fs.writeFileSync(join(outside, "secret.md"), "secret")
      fs.symlinkSync(join(outside, "secret.md"), at("link.md"))
      const reasons = {
        "binary.md": "binary",
        "latin.txt": "not UTF-8",
        "drawing.excalidraw.md": "an Excalidraw drawing",
        "big.md": "larger than 4000 bytes",
        "link.md": "a symbolic link"
      }
      const reasonsOf = ({ skipped }: { readonly skipped: ReadonlyArray<{ doc_id: string; reason: string }> }) =>
        Object.fromEntries(skipped.map(({ doc_id, reason }) => [doc_id, reason]))
      const limit = { maxDocumentBytes: 4000 }
      const report = yield* run(later, limit)
      assert.deepInclude(report, { status: "ok", new: 1, failed: [] })
      assert.deepStrictEqual(reasonsOf(report), reasons)
      assert.deepStrictEqual(
        [...(yield* failed).keys()].sort(),
        Object.keys(reasons).sort().map((id) => DocId.make(id))
      )
      const again = yield* run(later, limit)
      assert.deepInclude(again, { status: "ok", unchanged: 1, new: 0, opened: [] })
      assert.deepStrictEqual(reasonsOf(again), reasons)
      assert.deepInclude(yield* drifts(), { new: 1, unchanged: 1 })
      put("binary.md", text("text after all"))
      assert.deepInclude(yield* run(later, limit), { new: 1, unchanged: 1, opened: [at("binary.md")] })

      put("a.md", Buffer.from([0x61, 0x00]))
      assert.deepInclude(yield* run(later, limit), { status: "ok", changed: 0, removed: 0, unchanged: 1 })
      assert.strictEqual((yield* documentsOf(world)).get("a.md"), text("a.md"))
      assert.deepInclude(yield* run(later, limit), { unchanged: 1, opened: [] })
    }))

  it.scopedLive("takes what a new exclude names out of memory, past the guard where that is much", () =>
    Effect.gen(function*() {
      const files = yield* vault
      for (const path of ["a.md", "b.md", "old/c.md"]) files.put(path, text(path))
      const { connector } = yield* connectorTo(files)
      const narrower = (yield* connectorTo(files, { exclude: ["old"] })).connector
      const home = yield* temporaryHome
      const wide = yield* onDiskAt(home, { connectors: [connector] })
      yield* synced(wide)
      const narrow = yield* onDiskAt(home, { connectors: [narrower] })
      assert.deepInclude((yield* synced(narrow))(notes), { status: "ok", removed: 1, unchanged: 2 })
      assert.deepStrictEqual([...(yield* narrow.manifest(notes)).keys()], ["a.md", "b.md"].map((id) => DocId.make(id)))
    }))
})

describe("a move of the whole folder", () => {
  it.scopedLive("garrytan/gbrain PR#2593: other documents at another path take the place of none without a word", () =>
    Effect.gen(function*() {
      const one = yield* vault
      const two = yield* vault
      for (const path of ["a.md", "b.md"]) one.put(path, text(path))
      two.put("c.md", text("c.md"))
      const home = yield* temporaryHome
      const before = yield* onDiskAt(home, { connectors: [(yield* connectorTo(one)).connector] })
      yield* synced(before)
      const after = yield* onDiskAt(home, { connectors: [(yield* connectorTo(two)).connector] })
      assert.deepInclude((yield* synced(after))(notes), { status: "refused", new: 1, removed: 0 })
      assert.deepInclude((yield* synced(after, { allowMassRemoval: true }))(notes), { removed: 2, unchanged: 1 })
    }))

  it.scopedLive("takes its documents along, without a fetch or a vector", () =>
    Effect.gen(function*() {
      const files = yield* vault
      for (const path of ["a.md", "b.md"]) files.put(path, text(path))
      const home = yield* temporaryHome
      const before = yield* onDiskAt(home, { connectors: [(yield* connectorTo(files)).connector], cached: true })
      yield* synced(before, {}, identity)
      const root = join(files.outside, "moved here")
      fs.renameSync(files.root, root)
      const { connector } = yield* connectorTo({ ...files, root })
      const after = yield* onDiskAt(home, { connectors: [connector], cached: true })
      const report = (yield* synced(after, {}, later))(notes)
      assert.deepInclude(report, { status: "ok", fetched: 0, embed_texts: 0, removed: 0, new: 0, changed: 0 })
      const uri = (yield* after.manifest(notes)).get(a)?.source_uri
      assert.strictEqual(uri, `${rootUri(root)}/a.md`)
    }))
})
