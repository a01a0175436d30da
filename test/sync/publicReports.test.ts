/**
 * What other tools were reported to do wrong with documents that change, move and go, and what mem does instead. Each
 * test is named by the report.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import { Embedder } from "../../services/Embedder.ts"
import { LogReader } from "../../services/LogReader.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { Projection } from "../../services/Projection.ts"
import { ConnectorName, DocId, EmbedderFingerprint } from "../../src/domain/Ids.ts"
import { defaults as defaultPolicy } from "../../src/sync/DocumentPolicy.ts"
import {
  document,
  documentsOf,
  idsOf,
  linesOf,
  many,
  notes,
  notesOf,
  otherModel,
  paragraph,
  passages,
  powerCutAt,
  synced,
  text,
  tombstones,
  withEmbedder,
  withoutDisk
} from "./Given.ts"
import { type Services, vec } from "./Harness.ts"

describe("removal", () => {
  it.effect("zilliztech/memsearch#613: a sync of one connector leaves the documents of every other", () =>
    Effect.gen(function*() {
      const a = yield* vec("a", [document("a.txt")])
      const b = yield* vec("b", [document("b.txt")])
      const world = yield* withoutDisk({ connectors: [a.connector, b.connector] })
      yield* synced(world)
      yield* b.control.remove("b.txt")
      const report = yield* synced(world, { only: [ConnectorName.make("a")] })
      assert.deepInclude(report("a"), { status: "ok", unchanged: 1, removed: 0 })
      assert.deepStrictEqual(yield* idsOf(world), ["a.txt", "b.txt"])
    }))

  it.effect("zilliztech/memsearch#613: a listing of fewer roots judges nothing outside of them", () =>
    Effect.gen(function*() {
      const [a, b] = [{ uri: "vec:///a", status: "readable" as const }, {
        uri: "vec:///b",
        status: "readable" as const
      }]
      const { control, run, world } = yield* notesOf(
        [{ ...document("a.txt"), root: a.uri }, { ...document("b.txt"), root: b.uri }],
        { listing: { roots: [a, b] } }
      )
      yield* run()
      yield* control.setListing({ roots: [a] })
      const report = yield* run()
      assert.deepInclude(report, { status: "refused", unchanged: 1, removed: 0 })
      assert.deepStrictEqual(yield* idsOf(world), ["a.txt", "b.txt"])
      assert.deepInclude(yield* run({ allowMassRemoval: true }), { status: "ok", unchanged: 1, removed: 1 })
    }))

  it.effect("garrytan/gbrain#705: a document removed from one connector stays in the other that owns the same id", () =>
    Effect.gen(function*() {
      const a = yield* vec("a", [document("readme"), document("other")])
      const b = yield* vec("b", [document("readme")])
      const world = yield* withoutDisk({ connectors: [a.connector, b.connector] })
      yield* synced(world)
      yield* a.control.remove("readme")
      const report = yield* synced(world)
      assert.deepInclude(report("a"), { removed: 1, chunks_tombstoned: 3 })
      assert.deepInclude(report("b"), { removed: 0, unchanged: 1 })
      const live = (yield* passages(world)).map(({ connector, doc_id }) => `${connector}:${doc_id}`)
      assert.deepStrictEqual([...new Set(live)], ["a:other", "b:readme"])
    }))

  it.effect("garrytan/gbrain#2593: a connector that points elsewhere now removes nothing, however few it knew", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a.txt"), document("b.txt")])
      yield* run()
      yield* control.remove("a.txt")
      yield* control.remove("b.txt")
      yield* control.put(document("other.txt"))
      yield* control.setListing({ roots: [{ uri: "vec:///elsewhere", status: "readable" }] })
      const report = yield* run()
      assert.deepInclude(report, { status: "refused", new: 1, removed: 0, chunks_tombstoned: 0 })
      assert.strictEqual(report.error?.code, "MassRemoval")
      assert.lengthOf(yield* tombstones(world), 0)
      assert.deepInclude(yield* run({ allowMassRemoval: true }), { status: "ok", removed: 2, chunks_tombstoned: 6 })
    }))

  it.effect("koel/koel#2652, MoldyTaint/Cinephage#505: a missing root fails, and removes nothing", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf(many(5))
      yield* run()
      for (const status of ["missing", "unreadable"] as const) {
        yield* control.setListing({ roots: [{ uri: "vec:///notes", status }] })
        const report = yield* run({ allowMassRemoval: true })
        assert.deepInclude(report, { status: "failed", removed: 0 })
        assert.strictEqual(report.error?.code, "RootNotReadable")
      }
      yield* control.setListing({ roots: [{ uri: "vec:///notes", status: "readable" }] })
      assert.deepInclude(yield* run(), { status: "ok", unchanged: 5, fetched: 0 })
      assert.lengthOf(yield* tombstones(world), 0)
    }))

  it.effect("scryer-media/scryer#209: a root that is suddenly empty is refused, however few it knew", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a.txt")])
      yield* run()
      yield* control.remove("a.txt")
      const report = yield* run()
      assert.deepInclude(report, { status: "refused", removed: 0 })
      assert.strictEqual(report.error?.code, "MassRemoval")
      assert.lengthOf(yield* tombstones(world), 0)
      assert.deepInclude(yield* run({ allowMassRemoval: true }), { status: "ok", removed: 1 })
      assert.lengthOf(yield* passages(world), 0)
    }))

  it.effect("scryer-media/scryer#209: one of two roots that is suddenly empty is refused too", () =>
    Effect.gen(function*() {
      const [a, b] = [{ uri: "vec:///a", status: "readable" as const }, {
        uri: "vec:///b",
        status: "readable" as const
      }]
      const { control, run, world } = yield* notesOf(
        [{ ...document("a.txt"), root: a.uri }, { ...document("b.txt"), root: b.uri }],
        { listing: { roots: [a, b] } }
      )
      yield* run()
      yield* control.remove("b.txt")
      assert.deepInclude(yield* run(), { status: "refused", unchanged: 1, removed: 0 })
      assert.lengthOf(yield* tombstones(world), 0)
    }))

  it.effect("agentscope-ai/QwenPaw#1620: of three documents the changed one alone is touched", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b"), document("c")])
      yield* run()
      const before = yield* passages(world)
      yield* control.put(document("b", "other"))
      assert.deepInclude(yield* run(), { changed: 1, unchanged: 2, fetched: 1, removed: 0, chunks_tombstoned: 3 })
      const after = yield* passages(world)
      const others = (all: typeof before) => all.filter(({ doc_id }) => doc_id !== "b")
      assert.deepStrictEqual(others(after), others(before))
      assert.isTrue((yield* tombstones(world)).every(({ doc_id }) => doc_id === "b"))
    }))

  it.effect("bobmatnyc/trusty-tools#848: a plain sync prunes what was deleted", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.remove("a")
      assert.deepInclude(yield* run(), { status: "ok", removed: 1, unchanged: 1 })
      assert.deepStrictEqual((yield* tombstones(world)).map(({ reason }) => reason), ["removed", "removed", "removed"])
      assert.deepStrictEqual(yield* idsOf(world), ["b"])
    }))

  it.effect("bobmatnyc/trusty-tools#855, linagora/openrag#657: a document that shrinks leaves no orphan", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a", "a", 5)])
      yield* run()
      yield* control.put(document("a", "b", 2))
      assert.deepInclude(yield* run(), { changed: 1, chunks_added: 2, chunks_tombstoned: 5 })
      assert.lengthOf(yield* passages(world), 2)
      assert.deepStrictEqual((yield* tombstones(world)).map(({ reason }) => reason), Array(5).fill("changed"))
    }))

  it.effect("run-llama/llama_index#23002: of two documents with the same content the removed one goes", () =>
    Effect.gen(function*() {
      for (const gone of ["a.md", "b.md"]) {
        const { control, run, world } = yield* notesOf([document("a.md", "x"), document("b.md", "x")])
        assert.deepInclude(yield* run(), { new: 2, embed_texts: 1 })
        yield* control.remove(gone)
        assert.deepInclude(yield* run(), { removed: 1, unchanged: 1, moved: 0 })
        assert.deepStrictEqual(yield* idsOf(world), [gone === "a.md" ? "b.md" : "a.md"])
      }
    }))

  it.effect("mmnto-ai/totem#2151: a removal that a power cut kept from the log is made by the next sync", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.remove("a")
      yield* Effect.exit(run({}, powerCutAt(1)))
      assert.deepStrictEqual([...(yield* world.manifest(notes)).keys()], ["a", "b"])
      assert.deepInclude(yield* run(), { removed: 1, unchanged: 1, fetched: 0 })
      assert.lengthOf(yield* tombstones(world), 3)
      assert.deepStrictEqual(yield* idsOf(world), ["b"])
    }))

  it.effect("mmnto-ai/totem#2151: a power cut before the manifest is saved repeats no removal and no document", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.remove("a")
      yield* control.put(document("c"))
      yield* Effect.exit(
        run({}, (program) =>
          Effect.updateService(program, ManifestStore, (store) => ({
            ...store,
            save: () => Effect.die("the power went")
          })))
      )
      assert.deepInclude(yield* run(), { removed: 0, new: 0, unchanged: 2, fetched: 0, embed_texts: 0 })
      assert.lengthOf(yield* tombstones(world), 3)
      assert.deepStrictEqual([...(yield* world.manifest(notes)).keys()], ["b", "c"])
    }))

  it.effect("unslothai/unsloth#8014: a document that cannot be read blocks no removal", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([
        document("ok.md"),
        document("other.md"),
        document("bad.pdf"),
        { doc_id: "text.pdf", content: Uint8Array.from([0x25, 0x50, 0xff, 0xfe]) },
        { doc_id: "binary.pdf", content: Uint8Array.from([0x25, 0x50, 0x00]) }
      ])
      yield* control.failFetch("bad.pdf", { reason: "refused" })
      const skipped = [["text.pdf", "not UTF-8 text"], ["binary.pdf", "binary: a NUL is among its first bytes"]]
      const first = yield* run()
      assert.deepInclude(first, { status: "partial", new: 2 })
      assert.deepStrictEqual(first.failed.map(({ doc_id, retryable }) => [doc_id, retryable]), [["bad.pdf", false]])
      assert.sameDeepMembers(first.skipped.map(({ doc_id, reason }) => [doc_id, reason]), skipped)
      yield* control.remove("ok.md")
      const second = yield* run()
      assert.deepInclude(second, { status: "partial", removed: 1, unchanged: 1, fetched: 0 })
      assert.deepStrictEqual(second.failed.map(({ doc_id }) => doc_id), [DocId.make("bad.pdf")])
      assert.sameDeepMembers(second.skipped.map(({ doc_id, reason }) => [doc_id, reason]), skipped)
      assert.deepStrictEqual(yield* idsOf(world), ["other.md"])
    }))

  it.effect("airbytehq/airbyte#10140, airbytehq/airbyte#23905: what a delta or a window lacks is kept", () =>
    Effect.gen(function*() {
      for (const coverage of ["delta", "window"] as const) {
        const { control, run, world } = yield* notesOf([document("a"), document("b"), document("c")], {
          listing: { coverage }
        })
        yield* run()
        yield* control.remove("a")
        assert.deepInclude(yield* run(), { status: "ok", removed: 0, unchanged: 2 })
        yield* control.remove("b")
        yield* control.setListing({ removals: ["b"] })
        assert.deepInclude(yield* run(), { status: "ok", removed: 1, unchanged: 1 })
        assert.deepStrictEqual(yield* idsOf(world), ["a", "c"])
        yield* control.setListing({ coverage: "complete", removals: [] })
        assert.deepInclude(yield* run(), { removed: 1, unchanged: 1 })
        assert.deepStrictEqual(yield* idsOf(world), ["c"])
      }
    }))
})

describe("wasted or missed work", () => {
  it.effect("garrytan/gbrain#1424: a section on top of fifty passages embeds that section alone", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a", "a", 50)], { cached: true })
      assert.deepInclude(yield* run(), { embed_texts: 50 })
      yield* control.put({ doc_id: "a", content: `${paragraph("new", 1)}\n\n${text("a", 50)}` })
      assert.deepInclude(yield* run(), { changed: 1, embed_texts: 1, embed_calls: 1, reused: 50, chunks_added: 51 })
      assert.strictEqual((yield* world.counts).texts, 51)
      assert.lengthOf(yield* passages(world), 51)
    }))

  it.effect("run-llama/llama_index#22046, run-llama/llama_index#22133: every passage of a document is live", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf([document("a")])
      yield* run()
      assert.deepStrictEqual((yield* passages(world)).map(({ ordinal }) => ordinal), [0, 1, 2])
      assert.strictEqual((yield* documentsOf(world)).get("a"), text("a"))
    }))

  for (const content_hash of [true, false]) {
    it.effect(
      `Pedrohgv/josemar-assistente#125: a moved document is live at its new place (${
        content_hash ? "listed with a hash" : "listed with a revision"
      })`,
      () =>
        Effect.gen(function*() {
          const { control, run, world } = yield* notesOf([document("a.md"), document("z.md")], {
            cached: true,
            listing: { content_hash, revision: !content_hash }
          })
          yield* run()
          const { texts } = yield* world.counts
          yield* control.rename("a.md", "b/a.md")
          yield* control.resetCounts
          const expected = {
            status: "ok" as const,
            moved: 1,
            new: 0,
            removed: 0,
            unchanged: 1,
            fetched: 1,
            embed_texts: 0
          }
          assert.deepInclude(yield* run(), expected)
          assert.strictEqual((yield* control.counts).fetches, 1)
          assert.strictEqual((yield* world.counts).texts, texts)
          const live = (yield* passages(world)).filter(({ doc_id }) => doc_id !== "z.md")
          assert.deepStrictEqual([...new Set(live.map(({ source_uri }) => String(source_uri)))], [
            "vec:///notes/b/a.md"
          ])
          // Both in one write: the removal's commit stands right behind the group of the new place.
          const commits = (yield* linesOf(world, "commit")).slice(-2).flatMap((line) =>
            line.kind === "commit" ? [line.body] : []
          )
          assert.deepStrictEqual(commits.map(({ doc_id, removed }) => [doc_id, removed === true]), [
            ["b/a.md", false],
            ["a.md", true]
          ])
        })
    )
  }

  it.effect("tobi/qmd#768: ten edits leave the passages of the last one", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a")])
      yield* run()
      for (let edit = 1; edit <= 10; edit++) {
        yield* control.put(document("a", `edit${edit}`))
        yield* run()
      }
      assert.deepStrictEqual(yield* documentsOf(world), new Map([["a", text("edit10")]]))
      assert.lengthOf(yield* passages(world), 3)
    }))

  it.effect("smaramwbc/statewave#421, jgravelle/jcodemunch-mcp#500, tobi/qmd#501: a swapped model makes its own vectors", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.resetCounts
      const references = (yield* linesOf(world, "reference")).length
      const report = yield* run({}, withEmbedder(otherModel))
      const expected = { stale: 2, unchanged: 0, fetched: 0, embed_texts: 6, chunks_added: 0, chunks_tombstoned: 0 }
      assert.deepInclude(report, expected)
      assert.strictEqual((yield* control.counts).fetches, 0)
      assert.lengthOf(yield* linesOf(world, "reference"), references)
      const made = (yield* linesOf(world, "vector")).flatMap((line) => line.kind === "vector" ? [line.body.model] : [])
      assert.strictEqual(made.filter((model) => model === otherModel.fingerprint).length, 6)
      const entries = [...(yield* world.manifest(notes)).values()]
      assert.isTrue(entries.every(({ embedder }) => embedder === otherModel.fingerprint))
      assert.isTrue((yield* passages(world)).every(({ embedding }) => embedding !== undefined))
      assert.deepInclude(yield* run({}, withEmbedder(otherModel)), { stale: 0, unchanged: 2, embed_texts: 0 })
    }))

  it.effect("dlt-hub/dlt#4030: the state is a line a document, written once a run, and not at all without a change", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf(many(20))
      const saves = yield* Ref.make(0)
      const appended = yield* Ref.make(0)
      const counted = <A, E>(program: Effect.Effect<A, E, Services>): Effect.Effect<A, E, Services> =>
        program.pipe(
          Effect.updateService(ManifestStore, (store) => ({
            ...store,
            save: (name, entries) => Effect.zipRight(Ref.update(saves, (n) => n + 1), store.save(name, entries))
          })),
          Effect.updateService(ProgressStore, (store) => ({
            ...store,
            append: (name, line) => Effect.zipRight(Ref.update(appended, (n) => n + 1), store.append(name, line))
          }))
        )
      yield* run({}, counted)
      assert.deepStrictEqual([yield* Ref.get(saves), yield* Ref.get(appended)], [1, 1 + 20])
      yield* control.put(document("d0.txt", "other"))
      yield* run({}, counted)
      assert.deepStrictEqual([yield* Ref.get(saves), yield* Ref.get(appended)], [2, 2 + 21])
      yield* run({}, counted)
      assert.deepStrictEqual([yield* Ref.get(saves), yield* Ref.get(appended)], [2, 2 + 21])
      assert.strictEqual((yield* world.manifest(notes)).size, 20)
    }))

  it.effect("basicmachines-co/basic-memory#388: an unchanged sync loads the manifest once and reads the log's tail", () =>
    Effect.gen(function*() {
      const { control, run } = yield* notesOf(many(50))
      yield* run()
      yield* control.resetCounts
      const asked = yield* Ref.make<ReadonlyArray<string>>([])
      const note = (what: string) => Ref.update(asked, (before) => [...before, what])
      const report = yield* run({}, (program) =>
        program.pipe(
          Effect.updateService(ManifestStore, (store) => ({
            ...store,
            load: (name) => Effect.zipRight(note("manifest"), store.load(name))
          })),
          Effect.updateService(LogReader, (reader) => ({
            ...reader,
            at: (position) => Effect.zipRight(note("line"), reader.at(position)),
            records: (from) => {
              if (from === undefined) throw new Error("the whole log is read")
              return reader.records(from)
            }
          }))
        ))
      assert.deepInclude(report, { unchanged: 50, fetched: 0, embed_texts: 0, embed_calls: 0 })
      // The line is the last one that the projection knows: is it still there?
      assert.deepStrictEqual(yield* Ref.get(asked), ["manifest", "line"])
      assert.deepInclude(yield* control.counts, { listings: 1, fetches: 0 })
    }))
})

describe("what is known is not embedded again", () => {
  it.effect("a twin, a swap and a revert embed nothing; one edited section embeds itself", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")], { cached: true })
      yield* run()
      yield* control.put(document("twin", "a"))
      assert.deepInclude(yield* run(), { new: 1, fetched: 1, embed_texts: 0, embed_calls: 0, reused: 3 })
      yield* control.put(document("a", "b"))
      yield* control.put(document("b", "a"))
      assert.deepInclude(yield* run(), { changed: 2, unchanged: 1, embed_texts: 0 })
      yield* control.put({ doc_id: "a", content: text("b").replace(paragraph("b", 2), paragraph("edited", 2)) })
      assert.deepInclude(yield* run(), { changed: 1, embed_texts: 1, reused: 2, chunks_added: 3, chunks_tombstoned: 3 })
      yield* control.put(document("a"))
      yield* control.put(document("b"))
      assert.deepInclude(yield* run(), { changed: 2, embed_texts: 0 })
      assert.strictEqual((yield* world.counts).texts, 7)
      assert.deepStrictEqual(
        yield* documentsOf(world),
        new Map([["a", text("a")], ["b", text("b")], ["twin", text("a")]])
      )
    }))

  it.effect("without the cache a changed document is embedded whole, and no text of a run twice", () =>
    Effect.gen(function*() {
      const { control, run } = yield* notesOf([document("a"), document("b", "a")])
      assert.deepInclude(yield* run(), { new: 2, embed_texts: 3, reused: 3 })
      yield* control.put({ doc_id: "a", content: text("a").replace(paragraph("a", 2), paragraph("edited", 2)) })
      assert.deepInclude(yield* run(), { changed: 1, embed_texts: 3, embed_calls: 1, chunks_added: 3 })
    }))

  it.effect("twins that both move are both moves, and no guard takes them for removals", () =>
    Effect.gen(function*() {
      const blank = many(12).map(({ doc_id }) => ({ doc_id, content: text("same") }))
      const { control, run } = yield* notesOf(blank, { cached: true })
      yield* run()
      for (const { doc_id } of blank) yield* control.rename(doc_id, `moved/${doc_id}`)
      assert.deepInclude(yield* run(), { status: "ok", moved: 12, new: 0, removed: 0, embed_texts: 0 })
    }))

  it.effect("another way to cut is applied to the log's own text: no fetch", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      yield* control.resetCounts
      const policyOf = () => ({ ...defaultPolicy, max_tokens: 20 })
      const report = yield* run({ policyOf })
      assert.deepInclude(report, { status: "ok", stale: 2, unchanged: 0, fetched: 0, chunks_tombstoned: 6 })
      assert.isAbove(report.chunks_added, 6)
      assert.strictEqual((yield* control.counts).fetches, 0)
      assert.deepStrictEqual(yield* documentsOf(world), new Map([["a", text("a")], ["b", text("b")]]))
      assert.deepInclude(yield* run({ policyOf }), { stale: 0, unchanged: 2, embed_texts: 0 })
      // And back: with nothing but what the log holds.
      assert.deepInclude(yield* run(), { stale: 2, fetched: 0, chunks_added: 6 })
      assert.deepStrictEqual(yield* documentsOf(world), new Map([["a", text("a")], ["b", text("b")]]))
    }))

  it.effect("documents stored without an embedder get their vectors from the log", () =>
    Effect.gen(function*() {
      const none = Embedder.of({
        ...Hashed.make(),
        fingerprint: EmbedderFingerprint.make("none"),
        missing: () => Effect.succeed([])
      })
      const { control, run, world } = yield* notesOf([document("a")])
      assert.deepInclude(yield* run({}, withEmbedder(none)), { new: 1, embed_texts: 0 })
      assert.deepInclude(yield* run({}, withEmbedder(none)), { unchanged: 1, stale: 0 })
      yield* control.resetCounts
      assert.deepInclude(yield* run(), { stale: 1, fetched: 0, embed_texts: 3, chunks_added: 0 })
      // An embedder that is not there makes nothing stale.
      assert.deepInclude(yield* run({}, withEmbedder(none)), { unchanged: 1, stale: 0 })
      assert.strictEqual((yield* control.counts).fetches, 0)
      assert.isTrue((yield* passages(world)).every(({ embedding }) => embedding !== undefined))
    }))

  for (const revision of [true, false]) {
    it.effect(`a swapped model reaches documents that only a fetch can tell (${revision ? "touched" : "no hash"})`, () =>
      Effect.gen(function*() {
        const { control, run, world } = yield* notesOf([document("a")], { listing: { content_hash: false, revision } })
        yield* run()
        yield* control.touch("a")
        yield* run({}, withEmbedder(otherModel))
        const entry = (yield* world.manifest(notes)).get(DocId.make("a"))
        assert.strictEqual(entry?.embedder, otherModel.fingerprint)
        assert.lengthOf(yield* passages(world), 3)
      }))
  }

  it.effect("a moved revision over the same content changes the manifest alone", () =>
    Effect.gen(function*() {
      for (const content_hash of [true, false]) {
        const { control, run, world } = yield* notesOf([document("a")], { listing: { content_hash, revision: true } })
        yield* run()
        const before = yield* world.lines
        yield* control.touch("a")
        assert.deepInclude(yield* run(), { unchanged: 1, changed: 0, fetched: content_hash ? 0 : 1, embed_texts: 0 })
        assert.deepInclude(yield* run(), { unchanged: 1, fetched: 0 })
        assert.deepStrictEqual(yield* world.lines, before)
        assert.strictEqual((yield* world.manifest(notes)).get(DocId.make("a"))?.revision, "r2")
      }
    }))

  for (const [what, harm] of [["lost", undefined], ["garbled", "{\"doc_id\":"]] as const) {
    it.effect(`a ${what} manifest is recovered from the log: no fetch, nothing embedded`, () =>
      Effect.gen(function*() {
        const { control, run, world } = yield* notesOf([document("a"), document("b"), document("c")])
        yield* run()
        yield* control.remove("c")
        yield* run()
        const manifest = yield* world.manifest(notes)
        const [path] = [...world.files.keys()].filter((path) => path.endsWith("notes.manifest.jsonl"))
        assert.isDefined(path)
        if (harm === undefined) world.files.delete(path)
        else world.files.set(path, new TextEncoder().encode(harm))
        yield* control.resetCounts
        const expected = {
          status: "ok" as const,
          unchanged: 2,
          new: 0,
          removed: 0,
          fetched: 0,
          embed_texts: 0,
          resumed: 0
        }
        assert.deepInclude(yield* run(), expected)
        assert.strictEqual((yield* control.counts).fetches, 0)
        assert.deepStrictEqual(yield* world.manifest(notes), manifest)
      }))
  }

  it.effect("langchain-ai/langchain#39937: a lost projection comes back with the next sync, whatever the manifest says", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf([document("a"), document("b")])
      yield* run()
      const before = yield* passages(world)
      const { texts } = yield* world.counts
      yield* control.resetCounts
      yield* world.process(Effect.flatMap(Projection, ({ clear }) => clear))
      assert.lengthOf(yield* passages(world), 0)
      assert.deepInclude(yield* run(), { unchanged: 2, fetched: 0, embed_texts: 0 })
      assert.deepStrictEqual(yield* passages(world), before)
      assert.strictEqual((yield* world.counts).texts, texts)
      assert.strictEqual((yield* control.counts).fetches, 0)
      assert.isTrue(Option.isSome(yield* world.process(Effect.flatMap(Projection, ({ last }) => last))))
    }))
})
