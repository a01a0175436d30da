/** The folder connector on a real disk: what it takes, what it leaves and says why, and what it never reads. */
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import * as Registry from "../../layers/ConnectorKinds/Registry.ts"
import * as Configured from "../../layers/Connectors/Configured.ts"
import * as Folder from "../../layers/SourceConnector/Folder.ts"
import { folderOf } from "../../layers/SourceConnector/Folder/Config.ts"
import * as Disk from "../../layers/SourceConnector/Folder/Disk.ts"
import { forEachInTurns } from "../../layers/SourceConnector/Folder/InTurns.ts"
import { rootUri } from "../../layers/SourceConnector/Folder/Names.ts"
import { Connectors } from "../../services/Connectors.ts"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
import { parse } from "../../src/config/ConnectorsYaml.ts"
import { DocumentRef } from "../../src/domain/Document.ts"
import { ConnectorName, DocId } from "../../src/domain/Ids.ts"
import { ListingSkip } from "../../src/domain/Listing.ts"
import { connectorKind } from "../../src/sync/connectorKind.ts"
import { contract } from "../contracts/SourceConnector.ts"
import { clockAt } from "../fixtures/ClockAt.ts"
import { connectorTo, vault } from "../fixtures/Vault.ts"

const withClock = (connector: DocumentConnector, millis: () => number): DocumentConnector => ({
  ...connector,
  list: (known) => Effect.withClock(connector.list(known), clockAt(millis)),
  fetch: (ref) => Effect.withClock(connector.fetch(ref), clockAt(millis))
})

const ids = ["a/é x.md", "A/é x.md", "a/e\u0301 x.md", "a/#?%20\n\"'\\ 😀.md"] as const

const still = 1_700_000_000_000

/** Two edits within one tick of the clock look alike: size and inode are all there is to tell them by. */
contract(
  "Folder, on a clock that stands still",
  Effect.gen(function*() {
    const { at, put, root } = yield* vault
    const { connector, watch } = yield* connectorTo({ at, put, root, outside: "" })
    const time = BigInt(still) * 1_000_000n
    watch.stat = (_, stat) => ({ ...stat, mtimeNs: time, ctimeNs: time })
    return {
      connector: withClock(connector, () => still),
      ids,
      put: (doc_id, text) => Effect.sync(() => put(doc_id, text)),
      remove: (doc_id) => Effect.sync(() => fs.rmSync(at(doc_id))),
      touch: () => Effect.void,
      unplug: Effect.sync(() => fs.renameSync(root, `${root} elsewhere`))
    }
  })
)

/** Every change has a tick of its own, long ago. */
contract(
  "Folder, long after",
  Effect.gen(function*() {
    const { at, put, root } = yield* vault
    const { connector, watch } = yield* connectorTo({ at, put, root, outside: "" })
    const ticks = new Map<string, bigint>()
    const tick = (doc_id: string) => ticks.set(at(doc_id), (ticks.get(at(doc_id)) ?? 0n) + 1n)
    watch.stat = (path, stat) => ({ ...stat, mtimeNs: 0n, ctimeNs: ticks.get(path) ?? 0n })
    return {
      connector,
      ids,
      put: (doc_id, text) => Effect.sync(() => (put(doc_id, text), tick(doc_id))),
      remove: (doc_id) => Effect.sync(() => fs.rmSync(at(doc_id))),
      touch: (doc_id) => Effect.sync(() => tick(doc_id)),
      unplug: Effect.sync(() => fs.renameSync(root, `${root} elsewhere`)),
      reads: Effect.sync(() => watch.opened.length)
    }
  })
)

const listed = (connector: DocumentConnector) =>
  Effect.gen(function*() {
    const { documents, roots } = yield* connector.list(new Map())
    const items = Chunk.toReadonlyArray(yield* Stream.runCollect(documents))
    const refs = items.filter((item) => item instanceof DocumentRef)
    return {
      roots: roots.map(({ status, uri }) => [String(uri), status]),
      refs,
      ids: refs.flatMap(({ availability, doc_id }) => availability === "available" ? [String(doc_id)] : []),
      unavailable: refs.flatMap(({ availability, doc_id }) => availability === "unavailable" ? [String(doc_id)] : []),
      skipped: Object.fromEntries(
        items.flatMap((item) => item instanceof ListingSkip ? [[String(item.doc_id), item.reason]] : [])
      )
    }
  })

const fetched = (connector: DocumentConnector, doc_id: string) =>
  Effect.gen(function*() {
    const ref = (yield* listed(connector)).refs.find((ref) => ref.doc_id === doc_id)
    return yield* Effect.flatMap(Effect.fromNullable(ref), connector.fetch)
  })

/** How the fetch of a document ends, whether it was listed or not. */
const ending = (connector: DocumentConnector, doc_id: string) =>
  connector.fetch(
    new DocumentRef({ doc_id: DocId.make(doc_id), source_uri: rootUri("/nowhere") })
  ).pipe(
    Effect.match({
      onSuccess: ({ bytes }) => new TextDecoder().decode(bytes),
      onFailure: ({ detail, reason, retryable }) => `${reason}: ${detail}${retryable ? " (again)" : ""}`
    })
  )

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

describe("SourceConnector/Folder takes", () => {
  it.scopedLive("Markdown and text at any depth, in the order of the bytes of their paths", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      const paths = ["b.md", "a/b.txt", "a.md", "a b/c.markdown", "a/é.md", "a/😀.md", "a/\uffee.md", "a/z/y/x.md"]
      for (const path of [...paths, "c.MD", "d.pdf", "e.canvas", "f.jsonl", "md", "g.md.png"]) notes.put(path, path)
      const { connector } = yield* connectorTo(notes)
      const { ids, refs, roots, skipped } = yield* listed(connector)
      assert.deepStrictEqual(ids, [...paths].sort(byBytes))
      assert.deepStrictEqual([roots, skipped], [[[rootUri(notes.root), "readable"]], {}])
      for (const { doc_id, media_type, size } of refs) {
        assert.strictEqual(size, Buffer.byteLength(doc_id))
        assert.strictEqual(media_type, doc_id.endsWith(".txt") ? "text/plain" : "text/markdown")
      }
    }))

  it.scopedLive("what include matches and exclude does not, and looks into no folder that exclude matches", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      for (const path of ["a.md", "b.rst", "old/a.rst", "x/old/b.rst", "x/c.rst", "x/d.tmp.rst", "y.rst/e.rst"]) {
        notes.put(path, path)
      }
      const options = { include: ["./**/*.rst"], exclude: ["/old/", "x/d.*", "y.rst/**"] }
      const { connector, watch } = yield* connectorTo(notes, options)
      assert.deepStrictEqual((yield* listed(connector)).ids, ["b.rst", "x/c.rst", "x/old/b.rst"])
      assert.deepStrictEqual(watch.folders.map((path) => relative(notes.root, path)), ["", "x", "x/old"])
    }))

  it.scopedLive("every name as it is, with a URI that leads back to it", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      const names = [
        " lead and trail .md",
        "#hash?.md",
        "100%.md",
        "%41.md",
        "A.md",
        "new\nline\r.md",
        "quotes '\"`.md",
        "back\\slash.md",
        "\ufeffbom.md",
        "emoji 👩‍👩‍👧.md",
        "é.md",
        "e\u0301.md",
        "E.MD.md",
        "e.md.md",
        "-rf.md",
        "…/ñ/\u2028.md",
        "constructor/__proto__.md",
        "\u007f\u0001.md",
        "C:.md",
        `${"long ".repeat(49)}.md`
      ]
      for (const name of names) notes.put(name, `text of ${name}`)
      const { connector } = yield* connectorTo(notes)
      const { ids, refs, skipped } = yield* listed(connector)
      assert.deepStrictEqual(ids, [...names].sort(byBytes))
      assert.deepStrictEqual(skipped, {})
      for (const ref of refs) {
        assert.strictEqual(fileURLToPath(ref.source_uri), notes.at(ref.doc_id))
        assert.match(ref.source_uri, /^file:\/\/\/[A-Za-z0-9\-_.!~*'()%/]+$/)
        const { bytes } = yield* connector.fetch(ref)
        assert.strictEqual(new TextDecoder().decode(bytes), `text of ${ref.doc_id}`)
      }
    }))
})

describe("SourceConnector/Folder leaves out", () => {
  it.scopedLive("what is no document, and names those that include matches", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      for (
        const path of ["a.md", ".hidden.md", "draft.md~", "b.tmp", "c.swp", "d.excalidraw.md", ".DS_Store", "e.png"]
      ) {
        notes.put(path, path)
      }
      fs.writeFileSync(join(notes.outside, "secret.md"), "secret")
      fs.symlinkSync(notes.at("a.md"), notes.at("inside.md"))
      fs.symlinkSync(join(notes.outside, "secret.md"), notes.at("out.md"))
      fs.symlinkSync("nowhere", notes.at("broken.md"))
      fs.symlinkSync("loop.md", notes.at("loop.md"))
      fs.symlinkSync(notes.outside, notes.at("folder"))
      fs.symlinkSync(".", notes.at("self"))
      execFileSync("mkfifo", [notes.at("pipe.md")])
      const { connector, watch } = yield* connectorTo(notes)
      const links = {
        "inside.md": "a symbolic link",
        "out.md": "a symbolic link",
        "broken.md": "a symbolic link",
        "loop.md": "a symbolic link"
      }
      const named = {
        ...links,
        ".hidden.md": "hidden",
        "d.excalidraw.md": "an Excalidraw drawing",
        "pipe.md": "not a regular file"
      }
      const first = yield* listed(connector)
      assert.deepStrictEqual([first.ids, first.skipped], [["a.md"], named])
      assert.deepStrictEqual([watch.folders, watch.opened], [[notes.root], []])

      const all = yield* listed((yield* connectorTo(notes, { include: ["**"] })).connector)
      assert.deepStrictEqual(all.ids, ["a.md", "e.png"])
      assert.deepStrictEqual(all.skipped, {
        ...named,
        ".DS_Store": "hidden",
        "draft.md~": "a temporary file",
        "b.tmp": "a temporary file",
        "c.swp": "a temporary file",
        "folder": "a symbolic link",
        "self": "a symbolic link"
      })
    }))

  it.scopedLive("folders that are hidden, hold packages, or belong to version control, without a look into them", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      for (const folder of [".obsidian", ".git", ".trash", "node_modules", "CVS", "x/.stversions", "x/node_modules"]) {
        notes.put(`${folder}/a.md`, "a")
      }
      notes.put("x/vendor/a.md", "a")
      const { connector, watch } = yield* connectorTo(notes)
      const { ids, skipped } = yield* listed(connector)
      assert.deepStrictEqual([ids, skipped], [["x/vendor/a.md"], {}])
      assert.deepStrictEqual(watch.folders.map((path) => relative(notes.root, path)), ["", "x", "x/vendor"])
    }))

  it.scopedLive("what mem itself keeps in a home, and nothing else of that name", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      notes.put("connectors.yaml", "")
      notes.put("lost/log/segments/00000001.jsonl", "")
      for (const folder of ["", "lost/", "mine/", "mine/log/deep/"]) {
        for (const path of ["log/a.md", "projection/a.md", "a.md"]) notes.put(folder + path, "a")
      }
      const { connector } = yield* connectorTo(notes)
      assert.deepStrictEqual((yield* listed(connector)).ids, [
        "a.md",
        "lost/a.md",
        "mine/a.md",
        "mine/log/a.md",
        "mine/log/deep/a.md",
        "mine/log/deep/log/a.md",
        "mine/log/deep/projection/a.md",
        "mine/projection/a.md"
      ])
      for (const path of ["log", "lost/log", "projection"]) {
        const inside = yield* connectorTo({ ...notes, root: notes.at(path) })
        const failure = yield* Effect.flip(inside.connector.list(new Map()))
        assert.deepStrictEqual([failure.operation, failure.retryable], ["list", false])
        assert.include(failure.message, "what mem itself wrote")
      }
      const below = yield* connectorTo({ ...notes, root: notes.at("mine/log") })
      assert.strictEqual((yield* listed(below.connector)).ids.length, 4)
    }))

  it.scopedLive("names that are not UTF-8, each under a name of its own that no document has", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      const put = (name: Buffer) => fs.writeFileSync(Buffer.concat([Buffer.from(`${notes.root}/`), name]), "text")
      const latin = Buffer.from("caf\xe9.md", "latin1")
      put(latin)
      put(Buffer.from("caf\xe8.md", "latin1"))
      put(Buffer.from("caf\xe9.png", "latin1"))
      notes.put("caf%E9.md", "a document")
      notes.put("caf\ufffd.md", "a document")
      notes.put("%.md", "a document")
      fs.mkdirSync(Buffer.concat([Buffer.from(`${notes.root}/`), Buffer.from([0xff])]))
      put(Buffer.from([0xff, 0x2f, 0x61, 0x25, 0x2e, 0x6d, 0x64]))
      const { connector } = yield* connectorTo(notes)
      const { ids, skipped } = yield* listed(connector)
      assert.deepStrictEqual(ids, ["%.md", "caf%E9.md", "caf\ufffd.md"])
      const why = "its name is not UTF-8"
      assert.deepStrictEqual(skipped, { "./caf%E8.md": why, "./caf%E9.md": why, "./%FF/a%25.md": why })
      for (const id of ids) assert.strictEqual(yield* ending(connector, id), "a document")
    }))

  it.scopedLive("contents that are no text, once they are fetched", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      notes.put("nul.md", "a\0b")
      notes.put("late nul.md", `${"x".repeat(8192)}\0`)
      notes.put("utf16.txt", Buffer.from("\ufeffHello", "utf16le"))
      notes.put("latin.md", Buffer.from("na\xefve", "latin1"))
      notes.put("cut.md", Buffer.from("é").subarray(0, 1))
      notes.put("bom.md", "\ufeffé")
      notes.put("empty.md", "")
      notes.put("huge.md", "")
      fs.truncateSync(notes.at("huge.md"), 256 * 1024 * 1024 + 1)
      const { connector, watch } = yield* connectorTo(notes)
      assert.strictEqual((yield* listed(connector)).ids.length, 8)
      const end = (doc_id: string) => ending(connector, doc_id)
      assert.strictEqual(yield* end("nul.md"), "unsupported: binary")
      assert.strictEqual(yield* end("utf16.txt"), "unsupported: binary")
      assert.strictEqual(yield* end("latin.md"), "unsupported: not UTF-8")
      assert.strictEqual(yield* end("cut.md"), "unsupported: not UTF-8")
      assert.strictEqual((yield* end("late nul.md")).length, 8193)
      assert.deepStrictEqual([...(yield* fetched(connector, "bom.md")).bytes], [0xef, 0xbb, 0xbf, 0xc3, 0xa9])
      assert.strictEqual(yield* end("empty.md"), "")
      watch.read.length = 0
      assert.strictEqual(yield* end("huge.md"), "unsupported: larger than 268435456 bytes")
      assert.deepStrictEqual(watch.read, [])
    }))

  it.scopedLive("on macOS, what iCloud has taken away, without a read", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      for (const path of ["here.md", "away.md", "both.md", "empty.md"]) notes.put(path, path)
      fs.writeFileSync(notes.at("empty.md"), "")
      for (const stub of [".old.md.icloud", ".both.md.icloud", ".image.png.icloud", "x/.deep.txt.icloud"]) {
        notes.put(stub, "stub")
      }
      const blocks = (path: string) => path.endsWith("here.md") || path.endsWith("both.md") ? 8n : 0n
      const run = (evicts: boolean, read_evicted: boolean) =>
        Effect.gen(function*() {
          const { connector, watch } = yield* connectorTo(notes, { read_evicted })
          watch.evicts = evicts
          watch.stat = (path, stat) => ({ ...stat, blocks: blocks(path) })
          const { ids, skipped, unavailable } = yield* listed(connector)
          const away = yield* ending(connector, "away.md")
          return { ids, unavailable, skipped, away, opened: watch.opened.length }
        })
      assert.deepStrictEqual(yield* run(true, false), {
        ids: ["both.md", "empty.md", "here.md"],
        unavailable: ["old.md", "away.md", "x/deep.txt"],
        skipped: {},
        away: "unavailable: its content is in iCloud (again)",
        opened: 0
      })
      const read = { ids: ["away.md", "both.md", "empty.md", "here.md"], skipped: {}, away: "away.md", opened: 1 }
      assert.deepStrictEqual(yield* run(true, true), { ...read, unavailable: ["old.md", "x/deep.txt"] })
      assert.deepStrictEqual(yield* run(false, false), { ...read, unavailable: [] })
    }))
})

describe("SourceConnector/Folder reads nothing outside", () => {
  const secret = "the secret outside"

  // Linux tells where an open file is; what other systems do instead has to hold too.
  for (const openFiles of ["/proc/self/fd", "/nowhere"]) {
    it.scopedLive(`when a file or a folder is swapped for a link before it is fetched (${openFiles})`, () =>
      Effect.gen(function*() {
        const notes = yield* vault
        fs.writeFileSync(join(notes.outside, "a.md"), secret)
        for (const path of ["a.md", "x/a.md", "y/z/a.md"]) notes.put(path, "inside")
        const { connector, watch } = yield* connectorTo(notes, {}, openFiles)
        const { refs } = yield* listed(connector)
        assert.strictEqual(refs.length, 3)
        for (const { doc_id } of refs) assert.strictEqual(yield* ending(connector, doc_id), "inside")
        watch.read.length = 0

        fs.rmSync(notes.at("a.md"))
        fs.symlinkSync(join(notes.outside, "a.md"), notes.at("a.md"))
        fs.renameSync(notes.at("x"), notes.at("was x"))
        fs.symlinkSync(notes.outside, notes.at("x"))
        fs.renameSync(notes.at("y"), notes.at("was y"))
        fs.mkdirSync(join(notes.outside, "z"))
        fs.writeFileSync(join(notes.outside, "z", "a.md"), secret)
        fs.symlinkSync("../outside", notes.at("y"))
        assert.strictEqual(yield* ending(connector, "a.md"), "unsupported: a symbolic link")
        assert.strictEqual(yield* ending(connector, "x/a.md"), "gone: it is no longer there")
        assert.strictEqual(yield* ending(connector, "y/z/a.md"), "gone: it is no longer there")
        for (const path of ["../outside/a.md", "was x/../../outside/a.md", "./b.md", "a\0.md", "/etc/passwd"]) {
          assert.include(yield* ending(connector, path), "gone", path)
        }
        assert.deepStrictEqual(watch.read, [])
        const { ids, skipped } = yield* listed(connector)
        assert.deepStrictEqual(ids, ["was x/a.md", "was y/z/a.md"])
        assert.deepStrictEqual(skipped, { "a.md": "a symbolic link" })
      }))

    it.scopedLive(`when they are swapped between the look at them and the opening (${openFiles})`, () =>
      Effect.gen(function*() {
        const notes = yield* vault
        fs.writeFileSync(join(notes.outside, "a.md"), secret)
        const { connector, watch } = yield* connectorTo(notes, {}, openFiles)
        const swap = (change: () => void) =>
          Effect.gen(function*() {
            fs.rmSync(notes.root, { recursive: true })
            notes.put("x/a.md", "inside")
            watch.before = (operation) => {
              if (operation !== "open") return
              watch.before = () => undefined
              change()
            }
            return yield* ending(connector, "x/a.md")
          })
        const file = notes.at("x/a.md")
        const folder = notes.at("x")
        assert.strictEqual(
          yield* swap(() => {
            fs.rmSync(file)
            fs.symlinkSync(join(notes.outside, "a.md"), file)
          }),
          "unsupported: a symbolic link"
        )
        assert.strictEqual(
          yield* swap(() => {
            fs.renameSync(folder, notes.at("was x"))
            fs.symlinkSync(notes.outside, folder)
          }),
          "gone: it is no longer there"
        )
        assert.strictEqual(
          yield* swap(() => {
            fs.rmSync(file)
            execFileSync("mkfifo", [file])
          }),
          "unsupported: not a regular file"
        )
        assert.strictEqual(
          yield* swap(() => {
            fs.rmSync(file)
            fs.mkdirSync(file)
          }),
          "gone: it is no longer there"
        )
        // There and back: what was opened is outside, and its path is inside again.
        const back = yield* swap(() => {
          fs.renameSync(folder, notes.at("was x"))
          fs.symlinkSync(notes.outside, folder)
          watch.before = (operation) => {
            if (operation !== "locate") return
            fs.rmSync(folder)
            fs.renameSync(notes.at("was x"), folder)
          }
        })
        assert.strictEqual(back, "gone: it is no longer there")
        assert.deepStrictEqual(watch.read, [])
      }))
  }

  it.scopedLive("when a folder is swapped for a link while it is listed", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      fs.writeFileSync(join(notes.outside, "secret.md"), secret)
      notes.put("x/y/a.md", "inside")
      notes.put("b.md", "inside")
      const { connector, watch } = yield* connectorTo(notes)
      watch.before = (operation, path) => {
        if (operation !== "entries" || path !== notes.at("x/y")) return
        fs.renameSync(path, notes.at("was y"))
        fs.symlinkSync(notes.outside, path)
      }
      const { ids, roots } = yield* listed(connector)
      assert.deepStrictEqual(ids, ["b.md"])
      assert.deepStrictEqual(roots.slice(1), [[`${rootUri(notes.root)}/x/y`, "missing"]])
    }))

  it.scopedLive("and never opens a FIFO or a device, even where one was a file before", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      execFileSync("mkfifo", [notes.at("a.md")])
      const { connector, watch } = yield* connectorTo(notes)
      assert.strictEqual(yield* ending(connector, "a.md"), "unsupported: not a regular file")
      assert.deepStrictEqual(watch.opened, [])
    }))
})

describe("SourceConnector/Folder is sure of what it read", () => {
  it.scopedLive("a file that is written to meanwhile is read again, and left for later if that goes on", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      notes.put("a.md", "first")
      const { connector, watch } = yield* connectorTo(notes)
      const change = (times: number, text: (n: number) => string) => {
        let n = 0
        watch.opened.length = 0
        watch.before = (operation) => {
          if (operation !== "read" || n >= times) return
          notes.put("a.md", text(++n))
          // Never within one tick of the write before.
          fs.utimesSync(notes.at("a.md"), n, n)
        }
      }
      change(1, () => "second")
      assert.strictEqual(yield* ending(connector, "a.md"), "second")
      assert.strictEqual(watch.opened.length, 2)
      change(1, () => "fourth")
      assert.strictEqual(yield* ending(connector, "a.md"), "fourth")
      assert.strictEqual(watch.opened.length, 2)
      change(1, () => "a longer one")
      assert.strictEqual(yield* ending(connector, "a.md"), "a longer one")
      change(1, () => "")
      assert.strictEqual(yield* ending(connector, "a.md"), "")
      change(100, (n) => "x".repeat(n))
      assert.strictEqual(yield* ending(connector, "a.md"), "fetch: it is being written to (again)")
      assert.strictEqual(watch.opened.length, 3)
    }))

  it.scopedLive("a file that has not the size it says is not cut to it", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      notes.put("a.md", "text")
      const { connector, watch } = yield* connectorTo(notes)
      for (const size of [0n, 3n, 5n]) {
        watch.stat = (_, stat) => ({ ...stat, size })
        assert.strictEqual(yield* ending(connector, "a.md"), "fetch: it is being written to (again)")
      }
    }))

  it.scopedLive("the revision is that of the bytes, also where the file changes right after", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      notes.put("a.md", "first")
      const { connector } = yield* connectorTo(notes)
      const { bytes, revision } = yield* fetched(connector, "a.md")
      assert.deepStrictEqual([new TextDecoder().decode(bytes), revision?.split("-")[0]], ["first", "5"])
      notes.put("a.md", "second")
      const [ref] = (yield* listed(connector)).refs
      assert.notStrictEqual(ref?.revision, revision)
      assert.strictEqual((yield* fetched(connector, "a.md")).revision, ref?.revision)
    }))

  it.scopedLive("an error of the disk is told for what it is", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      notes.put("a.md", "text")
      const { connector, watch } = yield* connectorTo(notes)
      const after = (operation: "open" | "read" | "stat", code: string) => {
        watch.fails = (of) => of === operation ? code : undefined
        return ending(connector, "a.md")
      }
      for (const code of ["EACCES", "EPERM", "EAGAIN", "ETIMEDOUT", "EBUSY", "EDEADLK"]) {
        assert.strictEqual(yield* after("open", code), `unavailable: it cannot be read (${code}) (again)`)
        assert.strictEqual(yield* after("read", code), `unavailable: it cannot be read (${code}) (again)`)
      }
      assert.strictEqual(yield* after("read", "EIO"), "fetch: it cannot be read (EIO) (again)")
      assert.strictEqual(yield* after("open", "EMFILE"), "fetch: it cannot be read (EMFILE) (again)")
      assert.strictEqual(yield* after("stat", "ENOENT"), "gone: it is no longer there")
      watch.fails = () => undefined
      fs.renameSync(notes.root, `${notes.root} away`)
      assert.include(yield* ending(connector, "a.md"), `fetch: its folder ${notes.root} cannot be read (ENOENT)`)
    }))

  it.scopedLive("a file that nobody waits for any more is closed", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      notes.put("a.md", "text")
      const openNow = () =>
        fs.readdirSync("/proc/self/fd").filter((fd) => {
          try {
            return fs.readlinkSync(`/proc/self/fd/${fd}`) === notes.at("a.md")
          } catch {
            return false
          }
        }).length
      const opened = yield* Deferred.make<void>()
      const reading = yield* Effect.fork(
        Disk.make().withFile(notes.at("a.md"), () => Effect.zipRight(Deferred.succeed(opened, undefined), Effect.never))
      )
      yield* Deferred.await(opened)
      assert.strictEqual(openNow(), 1)
      const { connector } = yield* connectorTo(notes)
      assert.strictEqual(yield* ending(connector, "a.md"), "text")
      assert.strictEqual(openNow(), 1)
      yield* Fiber.interrupt(reading)
      // Soon, and not only when its handle is collected.
      yield* Effect.sleep("1 millis").pipe(Effect.repeat({ until: () => openNow() === 0, times: 100 }))
      assert.strictEqual(openNow(), 0)
      // The opening itself may be what takes for ever: what it opens after that is closed too.
      yield* Effect.fork(Disk.make().withFile(notes.at("a.md"), () => Effect.never)).pipe(
        Effect.tap(Effect.yieldNow()),
        Effect.flatMap(Fiber.interrupt)
      )
      yield* Effect.sleep("20 millis")
      assert.strictEqual(openNow(), 0)
    }))
})

describe("SourceConnector/Folder and a disk that fails", () => {
  it.scopedLive("a root that is missing, no folder, or cannot be read, is said to be so", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      const status = (root: string, code?: string) =>
        Effect.gen(function*() {
          const { connector, watch } = yield* connectorTo({ ...notes, root })
          watch.fails = (operation) => operation === "entries" ? code : undefined
          const { refs, roots, skipped } = yield* listed(connector)
          assert.deepStrictEqual([refs, skipped], [[], {}])
          return roots
        })
      const uri = rootUri(notes.root)
      notes.put("a.md", "text")
      assert.deepStrictEqual(yield* status(notes.at("nowhere")), [[`${uri}/nowhere`, "missing"]])
      assert.deepStrictEqual(yield* status(notes.at("a.md")), [[`${uri}/a.md`, "unreadable"]])
      assert.deepStrictEqual(yield* status(notes.at("a.md/x")), [[`${uri}/a.md/x`, "missing"]])
      for (const code of ["EACCES", "EIO", "ESTALE", "ETIMEDOUT"]) {
        assert.deepStrictEqual(yield* status(notes.root, code), [[uri, "unreadable"]])
      }
    }))

  it.scopedLive("its own name may be an odd one", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      const root = notes.at("odd\\ #%?\n é")
      notes.put("odd\\ #%?\n é/a.md", "text")
      const { connector } = yield* connectorTo({ ...notes, root })
      const { refs, roots } = yield* listed(connector)
      assert.deepStrictEqual(refs.map(({ source_uri }) => fileURLToPath(source_uri)), [join(root, "a.md")])
      assert.deepStrictEqual(roots.map(([uri]) => fileURLToPath(uri ?? "")), [root])
    }))

  it.scopedLive("a link may lead to the root itself", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      notes.put("x/a.md", "text")
      fs.symlinkSync(notes.root, join(notes.outside, "link"))
      const { connector } = yield* connectorTo({ ...notes, root: join(notes.outside, "link") })
      const { ids, refs } = yield* listed(connector)
      assert.deepStrictEqual(ids, ["x/a.md"])
      assert.strictEqual(refs[0]?.source_uri, `${rootUri(notes.outside)}/link/x/a.md`)
      assert.strictEqual(yield* ending(connector, "x/a.md"), "text")
    }))

  it.scopedLive("a folder that cannot be read is a root of its own, one that vanishes too; the others are listed", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      for (const path of ["a.md", "x/a.md", "x/y/a.md", "z/a.md", "w #/a.md"]) notes.put(path, path)
      const { connector, watch } = yield* connectorTo(notes)
      watch.fails = (operation, path) =>
        operation !== "entries" ? undefined : path.endsWith("/x") ? "EACCES" : undefined
      watch.before = (operation, path) => {
        if (operation === "entries" && path.endsWith("/w #")) fs.rmSync(path, { recursive: true })
      }
      const { ids, roots } = yield* listed(connector)
      assert.deepStrictEqual(ids, ["a.md", "z/a.md"])
      const uri = rootUri(notes.root)
      assert.sameDeepMembers(roots, [[uri, "readable"], [`${uri}/w%20%23`, "missing"], [`${uri}/x`, "unreadable"]])
    }))

  it.scopedLive("a file that cannot be looked at is unavailable; one that has just gone is named", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      for (const path of ["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"]) notes.put(path, path)
      const { connector, watch } = yield* connectorTo(notes)
      const codes = new Map([["a.md", "EACCES"], ["b.md", "EIO"], ["c.md", "ENOENT"], ["d.md", "ENAMETOOLONG"]])
      watch.fails = (operation, path) =>
        operation === "stat"
          ? codes.get(relative(notes.root, path))
          : operation === "access" && path.endsWith("e.md")
          ? "EACCES"
          : undefined
      watch.before = (operation, path) => {
        if (operation === "stat" && path.endsWith("f.md")) fs.rmSync(path)
      }
      const { ids, skipped, unavailable } = yield* listed(connector)
      assert.deepStrictEqual([ids, unavailable], [[], ["a.md", "b.md", "d.md", "e.md"]])
      assert.deepStrictEqual(skipped, { "c.md": "gone", "f.md": "gone" })
    }))

  it.scopedLive("what says nothing of the files fails the listing", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      notes.put("x/a.md", "text")
      const { connector, watch } = yield* connectorTo(notes)
      for (const operation of ["entries", "stat"] as const) {
        for (const code of ["EMFILE", "ENFILE", "ENOMEM"]) {
          watch.fails = (of) => of === operation ? code : undefined
          const failure = yield* Effect.flip(connector.list(new Map()))
          assert.deepStrictEqual([failure.operation, failure.retryable], ["list", true])
          assert.include(failure.message, code)
        }
      }
      watch.fails = () => undefined
      watch.before = (operation, path) => {
        if (operation !== "entries" || path !== notes.at("x")) return
        fs.renameSync(notes.root, `${notes.root} was`)
        fs.mkdirSync(notes.at("x"), { recursive: true })
      }
      const failure = yield* Effect.flip(connector.list(new Map()))
      assert.include(failure.message, "was replaced, while it was read")
    }))
})

describe("SourceConnector/Folder and a great many files", () => {
  it.live("lets everything else have its turn in a long loop", () =>
    Effect.gen(function*() {
      let turns = 0
      let over = false
      const count = () => {
        turns++
        if (!over) setImmediate(count)
      }
      setImmediate(count)
      const seen: Array<number> = []
      yield* forEachInTurns(Array.from({ length: 2000 }, (_, i) => i), (i) => {
        const until = performance.now() + 0.05
        while (performance.now() < until);
        seen.push(i)
      })
      over = true
      assert.isAtLeast(turns, 3)
      assert.deepStrictEqual(seen, Array.from({ length: 2000 }, (_, i) => i))
    }))

  it.scopedLive("finds each of those in one folder, and in many", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      const paths = Array.from({ length: 1500 }, (_, i) => i < 700 ? `one/${i}.md` : `${i % 100}/${i % 7}/${i}.md`)
      for (const path of paths) notes.put(path, "")
      const { connector } = yield* connectorTo(notes)
      assert.deepStrictEqual((yield* listed(connector)).ids, paths.sort(byBytes))
    }))
})

describe("the kind folder", () => {
  const open = (yaml: string, file: string) =>
    Effect.gen(function*() {
      const { configured, get } = yield* Connectors
      const [first] = configured
      return yield* get(first?.name ?? ConnectorName.make("none"))
    }).pipe(
      Effect.provide(
        Layer.unwrapEffect(Effect.map(parse(yaml, file), Configured.layer)).pipe(
          Layer.provide(Registry.layer([connectorKind(Folder.kind)]))
        )
      ),
      Effect.scoped
    )

  it.scopedLive("takes its path relative to the file that names it", () =>
    Effect.gen(function*() {
      const notes = yield* vault
      notes.put("a.md", "a")
      notes.put("b.txt", "b")
      const file = join(notes.outside, "connectors.yaml")
      const yaml = `connectors:
  notes:
    kind: folder
    path: ../notes
    include: ["*.txt"]
    exclude: []
    read_evicted: true
    max_concurrent_fetches: 3
    chunking: { text: paragraph }
`
      const connector = yield* open(yaml, file)
      if (connector.source_type !== "document") return assert.fail("a folder holds documents")
      assert.deepStrictEqual((yield* listed(connector)).ids, ["b.txt"])
      assert.deepStrictEqual([connector.kind, connector.limits.max_concurrent_fetches], ["folder", 3])
    }))

  it("knows the home folder, and what is relative to nothing", () => {
    const origin = { file: "/h/connectors.yaml", lineOf: () => undefined }
    assert.strictEqual(folderOf("~", origin), homedir())
    assert.strictEqual(folderOf("~/my notes", origin), join(homedir(), "my notes"))
    assert.strictEqual(folderOf("~//x", origin), join(homedir(), "x"))
    assert.strictEqual(folderOf("~x/y", origin), "/h/~x/y")
    assert.strictEqual(folderOf("./vault/", origin), "/h/vault")
    assert.strictEqual(folderOf("/vault", origin), "/vault")
    assert.strictEqual(folderOf("vault", undefined), join(process.cwd(), "vault"))
  })

  for (
    const [options, said] of [
      ["path: \"\"", "connectors.notes.path: expected the path of a folder"],
      ["include: [\"*.md\"]", "connectors.notes.path: this key is missing"],
      ["path: x, include: []", "connectors.notes.include: expected at least one glob"],
      ["path: x, include: [\"./\"]", "connectors.notes.include.0: expected a list of globs"],
      ["path: x, exclude: old", "connectors.notes.exclude: expected a list of globs"],
      ["path: x, exlude: []", "connectors.notes.exlude: unknown key"]
    ] as const
  ) {
    it.live(`refuses { ${options} }, and names file, line and key`, () =>
      Effect.gen(function*() {
        const failure = yield* Effect.flip(open(`connectors:\n  notes: { kind: folder, ${options} }\n`, "c.yaml"))
        assert.include(failure.message, `c.yaml:2: ${said}`)
      }))
  }
})
