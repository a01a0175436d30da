import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as NodeHttp from "../../layers/HttpClient/Node.ts"
import type * as OpenAiCompatible from "../../layers/LanguageModel/OpenAiCompatible.ts"
import * as Probe from "../../layers/LanguageModel/Probe.ts"
import * as MemoryProjection from "../../layers/Projection/Memory.ts"
import { Connectors } from "../../services/Connectors.ts"
import { type LockState, LogLock } from "../../services/LogLock.ts"
import { LogReader } from "../../services/LogReader.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { Projection } from "../../services/Projection.ts"
import { ConnectorError } from "../../src/domain/ConnectorErrors.ts"
import type { Finding } from "../../src/domain/DoctorReport.ts"
import { EmbedderStatus, EngineStatus } from "../../src/domain/EmbedderStatus.ts"
import { ConnectorName, DocId } from "../../src/domain/Ids.ts"
import { LogFsError, LogLocked } from "../../src/domain/LogErrors.ts"
import { LogFault } from "../../src/domain/LogVerifyReport.ts"
import { ManifestEntry } from "../../src/domain/Manifest.ts"
import { checkEmbedder } from "../../src/sync/checks/EmbedderCheck.ts"
import { checkModel } from "../../src/sync/checks/ModelCheck.ts"
import { doctor } from "../../src/sync/doctor.ts"
import { repair } from "../../src/sync/repair.ts"
import * as ModelServer from "../fixtures/ModelServer.ts"
import { document, many, notes, notesOf, passages, synced, withoutDisk } from "./Given.ts"
import { type Services, vec, type World } from "./Harness.ts"

type Program = Effect.Effect<ReadonlyArray<Finding>, never, Services | LogLock>

const check = (
  world: World,
  around: (program: Program) => Program = (program) => program,
  lock: LockState = { _tag: "Free" }
) =>
  world.process(Effect.provideService(around(doctor(MemoryProjection.make)), LogLock, { state: Effect.succeed(lock) }))

/** What is not as it should be, as `check level: message`. */
const told = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings.filter(({ level }) => level !== "ok").map(({ check, level, message, subject }) =>
    `${check}${subject === undefined ? "" : ` of ${subject}`} ${level}: ${message}`
  )

const mend = (world: World) => world.process(repair([notes], MemoryProjection.make))

/** Changes the manifest behind the engine's back. */
const meddle = (world: World, change: (entries: Map<DocId, ManifestEntry>) => void) =>
  Effect.gen(function*() {
    const entries = new Map(yield* world.manifest(notes))
    change(entries)
    yield* world.process(Effect.flatMap(ManifestStore, ({ save }) => save(notes, entries)))
  })

const id = DocId.make("d1.txt")

describe("mem doctor", () => {
  it.effect("finds all well after a sync, and nothing to complain of before the first", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf(many(3))
      assert.deepStrictEqual(told(yield* check(world)), [
        "manifest of notes note: nothing was synced yet",
        "index note: there is nothing to search yet"
      ])
      yield* run()
      const findings = yield* check(world)
      assert.deepStrictEqual(told(findings), [])
      assert.deepStrictEqual(findings.map(({ check }) => check), ["log", "lock", "manifest", "index", "source"])
      assert.deepStrictEqual(yield* mend(world), [])
    }))

  it.effect("finds a manifest that does not say what the log says, in each way, and mends it", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf(many(3))
      yield* run()
      const right = yield* world.manifest(notes)
      const [one] = [...right.values()].filter(({ doc_id }) => doc_id === id)
      assert.isDefined(one)
      const stranger = new ManifestEntry({ ...one, doc_id: DocId.make("stranger.txt") })
      const { seq: _, ...older } = one
      const changes: ReadonlyArray<readonly [string, (entries: Map<DocId, ManifestEntry>) => void]> = [
        ["d1.txt", (entries) => entries.delete(id)],
        ["stranger.txt", (entries) => entries.set(stranger.doc_id, stranger)],
        [
          "d1.txt",
          (entries) => entries.set(id, new ManifestEntry({ ...one, content_hash: first(entries).content_hash }))
        ],
        ["d1.txt", (entries) => entries.set(id, new ManifestEntry({ ...one, chunk_count: 1 }))],
        ["d1.txt", (entries) => entries.set(id, new ManifestEntry({ ...one, excluded: true }))],
        ["d1.txt", (entries) => entries.set(id, new ManifestEntry({ ...one, seq: first(entries).seq }))]
      ]
      for (const [doc, change] of changes) {
        yield* meddle(world, change)
        assert.deepStrictEqual(told(yield* check(world)), [
          `manifest of notes problem: it differs from the log in 1 document: ${doc}`
        ])
        assert.deepStrictEqual(yield* mend(world), ["the manifest of notes was written anew from the log"])
        assert.deepStrictEqual(yield* world.manifest(notes), right)
      }
      // What another tool wrote need not name the commit; and only the file knows the later revision.
      const revised = new ManifestEntry({ ...older, revision: "later" })
      yield* meddle(world, (entries) => entries.set(id, revised).delete(stranger.doc_id))
      assert.deepStrictEqual(told(yield* check(world)), [])
    }))

  it.effect("bobmatnyc/trusty-tools#4390: finds a vector that the index lost, and an index that is lost", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf(many(2))
      yield* run()
      const before = yield* passages(world)
      const withoutAVector = (program: Program): Program =>
        Effect.updateService(program, Projection, (projection) => ({
          ...projection,
          dump: (options) =>
            Stream.map(projection.dump(options), (line) => {
              if (line.kind !== "reference") return line
              const { embedding: _, ...rest } = line
              return line.ordinal === 0 ? rest : line
            })
        }))
      assert.deepStrictEqual(told(yield* check(world, withoutAVector)), [
        "index problem: it does not say what the log says"
      ])
      yield* world.process(Effect.flatMap(Projection, ({ clear }) => clear))
      assert.include(told(yield* check(world))[0], "index problem: it is not there")
      assert.deepStrictEqual(yield* mend(world), ["the search index was brought up to the log"])
      assert.deepStrictEqual(told(yield* check(world)), [])
      assert.deepStrictEqual(yield* passages(world), before)
    }))

  it.effect("makes an index anew that says something else than the log", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf(many(2))
      yield* run()
      const before = yield* passages(world)
      // Of a log that has lost a line.
      yield* world.process(Effect.gen(function*() {
        const projection = yield* Projection
        yield* projection.clear
        const lines = yield* world.lines
        yield* projection.apply(lines.filter(({ record }) => record.kind !== "vector" || record.seq > 3))
      }))
      assert.deepStrictEqual(told(yield* check(world)), ["index problem: it does not say what the log says"])
      assert.deepStrictEqual(yield* mend(world), ["the search index was made anew from the log"])
      assert.deepStrictEqual(yield* passages(world), before)
    }))

  it.effect("takes up a sync that was cut short, where it is told to", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf(many(2))
      yield* run()
      const right = yield* world.manifest(notes)
      yield* world.process(Effect.flatMap(ProgressStore, ({ begin }) => begin(notes)))
      yield* meddle(world, (entries) => entries.delete(id))
      assert.deepStrictEqual(told(yield* check(world)), [
        "manifest of notes note: a sync runs now, or was cut short: the next one goes on from the log"
      ])
      assert.deepStrictEqual(yield* mend(world), ["the manifest of notes was written anew from the log"])
      assert.deepStrictEqual(yield* world.manifest(notes), right)
      assert.deepStrictEqual(told(yield* check(world)), [])
    }))

  it.effect("names damage and where it is, compares nothing with it, and looks at the sources all the same", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf(many(2))
      yield* run()
      const fault = (n: number, kind: LogFault["kind"]) =>
        new LogFault({ kind, segment: 1, path: "/l/1", offset: n, length: 1, detail: "bad" })
      const withFaults = (...faults: ReadonlyArray<LogFault>) => (program: Program): Program =>
        Effect.updateService(program, LogReader, (reader) => ({
          ...reader,
          inspect: Stream.concat(
            Stream.fromIterable(faults.map((fault) => ({ _tag: "Fault" as const, fault }))),
            reader.inspect
          )
        }))
      const findings = yield* check(world, withFaults(...[1, 2, 3, 4, 5].map((n) => fault(n, "damaged"))))
      assert.deepStrictEqual(findings.map(({ check, level }) => `${check} ${level}`), [
        "log damage",
        "log damage",
        "log damage",
        "log damage",
        "lock ok",
        "source ok"
      ])
      assert.deepStrictEqual(told(findings).slice(2), [
        "log damage: /l/1 is damaged at byte 3: bad",
        "log damage: there are 2 faults more"
      ])
      assert.include(findings[0]?.advice, "run \"mem doctor --repair\"")
      assert.deepStrictEqual(told(yield* check(world, withFaults(fault(9, "too-new")))), [
        "log problem: /l/1 at byte 9: bad"
      ])
      const unreadable = (program: Program): Program =>
        Effect.updateService(program, LogReader, (reader) => ({
          ...reader,
          inspect: Stream.fail(
            new LogFsError({ operation: "list", path: "/l", reason: "PermissionDenied" })
          )
        }))
      assert.match(told(yield* check(world, unreadable))[0] ?? "", /^log problem: cannot list \/l: permission denied/)
    }))

  it.effect("says who writes, and what to do about a lock of another host", () =>
    Effect.gen(function*() {
      const { world } = yield* notesOf([])
      const holder = new LogLocked({ path: "/l/LOCK", pid: 7, host: "far", command: "mem sync", started_at: "then" })
      const lock = (state: LockState) =>
        Effect.map(check(world, undefined, state), (all) => all.find(({ check }) => check === "lock"))
      assert.deepInclude(yield* lock({ _tag: "Left", path: "/l/LOCK" }), { level: "note" })
      const here = yield* lock({ _tag: "Held", holder, here: true })
      assert.deepInclude(here, { level: "note", message: "process 7 (\"mem sync\", since then) writes to the log now" })
      const far = yield* lock({ _tag: "Held", holder, here: false })
      assert.include(far?.message, "of far holds it")
      assert.include(far?.advice, "remove /l/LOCK")
    }))

  it.effect("finds sources that cannot be opened, listed or read, and one that is empty", () =>
    Effect.gen(function*() {
      const good = yield* vec("good", [document("a.txt")])
      const empty = yield* vec("empty", [])
      const away = yield* vec("away", [document("b.txt")])
      yield* away.control.setListing({ roots: [{ uri: "vec:///away", status: "missing" }] })
      const broken = new ConnectorError({
        connector: ConnectorName.make("broken"),
        operation: "open",
        detail: "TOKEN is not set",
        advice: "set it",
        retryable: false
      })
      const world = yield* withoutDisk({
        connectors: [good.connector, empty.connector, away.connector, broken]
      })
      yield* synced(world)
      const findings = yield* check(world)
      assert.deepStrictEqual(told(findings.filter(({ check }) => check === "source")), [
        "source of empty note: no document is there; see its options in connectors.yaml",
        "source of away problem: vec:///away is missing",
        "source of broken problem: cannot open connector \"broken\": TOKEN is not set; set it"
      ])
      assert.isTrue(findings.some(({ level, subject }) => level === "ok" && subject === "good"))
    }))

  it.effect("compares the manifest of a connector that is configured no more", () =>
    Effect.gen(function*() {
      const { run, world } = yield* notesOf(many(1))
      yield* run()
      const nobody = { configured: [], get: () => Effect.dieMessage("nobody is configured") }
      const findings = yield* check(world, (program) => Effect.provideService(program, Connectors, nobody))
      assert.isTrue(
        findings.some(({ check, level, subject }) => check === "manifest" && level === "ok" && subject === notes)
      )
    }))
})

describe("an embedder", () => {
  const engine = (engine: string, used: boolean, problem?: string) =>
    new EngineStatus({ engine, used, ...(problem === undefined ? {} : { problem }) })
  const of = (...engines: ReadonlyArray<EngineStatus>) =>
    told(checkEmbedder(new EmbedderStatus({ kind: "minilm", engines })))

  it("is well where one engine runs it, though another does not", () => {
    assert.deepStrictEqual(of(engine("native", true)), [])
    assert.deepStrictEqual(of(engine("native", false, "no binary"), engine("wasm", true)), [
      "embedder of minilm note: native: no binary"
    ])
    assert.deepStrictEqual(of(), [])
  })

  it("is a problem where none does, and says what becomes of the documents", () => {
    assert.deepStrictEqual(of(engine("native", false, "no binary"), engine("wasm", false, "no memory")), [
      "embedder of minilm problem: nothing here can run it (native: no binary; wasm: no memory), so documents are "
      + "stored without vectors and found by their words alone"
    ])
  })

  it("is a problem where it is of no use itself, whatever the engine", () => {
    const status = new EmbedderStatus({ kind: "onnx-folder", problem: "there is no folder models", engines: [] })
    assert.deepStrictEqual(told(checkEmbedder(status)), [
      "embedder of onnx-folder problem: there is no folder models"
    ])
  })

  it("is told with what one should know of it", () => {
    const [note] = checkEmbedder(new EmbedderStatus({ kind: "minilm", remark: "it is English", engines: [] }))
    assert.deepInclude(note, { level: "note", message: "it is English" })
    assert.include(note?.advice, "chooses another")
  })
})

const first = <A>(entries: ReadonlyMap<DocId, A>): A => {
  for (const [key, entry] of entries) if (key !== id) return entry
  throw new Error("there is none")
}

describe("a language model", () => {
  const probed = (behave: ModelServer.Behave, more: Partial<OpenAiCompatible.Options> = {}) =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make
      server.behave(behave)
      const options = { base_url: `${server.url}/v1`, model: "some-model", ...more }
      const status = yield* Effect.provide(Probe.probe(options), NodeHttp.layer)
      const [request, ...others] = server.requests
      assert.deepStrictEqual([request?.path, others.length], ["/v1/models", 0])
      const { check, level, message, subject } = checkModel(status)
      return `${check} of ${subject} ${level}: ${message}`.replaceAll(server.url, "URL")
    }).pipe(Effect.scoped)

  it.live("is looked for in the list of its server, and nothing is generated", () =>
    Effect.gen(function*() {
      const list = (...ids: ReadonlyArray<string>): ModelServer.Behave => () => ({
        body: { object: "list", data: ids.map((id) => ({ id })) }
      })
      for (const id of ["some-model", "some-model:latest", "models/some-model"]) {
        assert.strictEqual(yield* probed(list("other", id)), "model of some-model ok: URL/v1 has it")
      }
      assert.strictEqual(
        yield* probed(list("other", "some-model-2")),
        "model of some-model problem: URL/v1 does not have it; it has other, some-model-2"
      )
      const llama: ModelServer.Behave = () => ({ body: { data: [{ id: "/m.gguf", owned_by: "llamacpp" }] } })
      assert.include(yield* probed(llama), "ok: URL/v1 runs /m.gguf, which answers to any name")
      for (const behave of [() => ({ body: "hello" }), () => ({ status: 404 }), () => ({ body: {} })]) {
        assert.include(yield* probed(behave), "ok: URL/v1 answers, and does not say which models it has")
      }
    }))

  it.live("is a problem where its server wants a key, is not there, or is broken; the key is not told", () =>
    Effect.gen(function*() {
      const key = "sk-very-secret"
      const closed: ModelServer.Behave = () => ModelServer.complaint(401, `no such key: ${key}`)
      const told = yield* probed(closed, { api_key: Redacted.make(key) })
      assert.include(told, "problem: URL/v1 wants another key: status 401")
      assert.notInclude(told, key)
      assert.include(yield* probed(() => ({ status: 500 })), "problem: URL/v1: status 500")
      const gone = yield* Probe.probe({ base_url: "http://127.0.0.1:9/v1", model: "m" }).pipe(
        Effect.provide(NodeHttp.layer)
      )
      assert.include(gone.problem?.detail, "cannot be reached")
    }))
})
