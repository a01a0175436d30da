/**
 * What a home should look like after anything that people, crashes and power cuts do to it: a Map of documents beside
 * the real programs on a simulated disk, and a second, plain reading of the log that shares no code with the product.
 */
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import * as Disk from "../../layers/LogFs/SimulatedDisk.ts"
import * as MemoryProjection from "../../layers/Projection/Memory.ts"
import type { VecListing } from "../../layers/SourceConnector/Vec.ts"
import { Embedder } from "../../services/Embedder.ts"
import type { LocatedRecord } from "../../services/LogReader.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { Projection } from "../../services/Projection.ts"
import { ConnectorName, DocId } from "../../src/domain/Ids.ts"
import type { FsReason } from "../../src/domain/LogErrors.ts"
import type { ManifestEntry } from "../../src/domain/Manifest.ts"
import { apply, empty, manifestOf } from "../../src/log/Live.ts"
import { exclude, include, UnknownDocument } from "../../src/sync/exclude.ts"
import { digest, dump, rebuild } from "../../src/sync/rebuild.ts"
import { defaults, sync } from "../../src/sync/sync.ts"
import {
  type Ended,
  type Ending,
  logBytes,
  onSimulatedDisk,
  type Services,
  type SimulatedWorld,
  vec,
  type WorldOptions
} from "./Harness.ts"

const notes = ConnectorName.make("notes")

export type Crash = {
  /** The change of the disk at which the process dies. */
  readonly at: number
  /** The power goes with it. */
  readonly power: number | undefined
  /** Says how much arrives of a write that is cut; the same every time where it is not given. */
  readonly cut?: number
  /** It does not die there: this happens to the change. */
  readonly instead?: Instead | undefined
}

/** Only some of the bytes are written, and the process is told how many; or nothing is, once or from then on. */
export type Instead = "short" | { readonly reason: FsReason; readonly sticky: boolean }

export type Action =
  | { readonly do: "put"; readonly id: string; readonly content: string }
  | { readonly do: "remove" | "revert" | "touch"; readonly id: string }
  | { readonly do: "rename" | "twin"; readonly id: string; readonly to: string }
  | { readonly do: "exclude" | "include"; readonly id: string; readonly crash: Crash | undefined }
  | { readonly do: "sync"; readonly allow: boolean; readonly crash: Crash | undefined }
  | { readonly do: "rebuild" }

/** Long enough to be a passage of its own. Contents are made of few of them, so documents share passages. */
const paragraphs = ["alpha", "beta", "gamma", "delta"].map((word) => `${word} `.repeat(30).trim())

const content = FastCheck.oneof(
  { weight: 12, arbitrary: FastCheck.array(FastCheck.constantFrom(...paragraphs), { maxLength: 3 }) },
  { weight: 1, arbitrary: FastCheck.constantFrom([], ["", ""], ["\u{feff}crumb\r"]) }
).map((parts) => parts.map((part) => `${part}\n`).join("\n"))

const id = FastCheck.constantFrom("a.txt", "b.md", "c/é #.txt", "__proto__", "A.txt", "d.txt")

const crash: FastCheck.Arbitrary<Crash> = FastCheck.record({
  at: FastCheck.integer({ min: 1, max: 60 }),
  power: FastCheck.option(FastCheck.nat(1000), { nil: undefined })
})

const perhaps = FastCheck.option(crash, { nil: undefined, freq: 1 })

const action: FastCheck.Arbitrary<Action> = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.record({ do: FastCheck.constant("put" as const), id, content }) },
  {
    weight: 3,
    arbitrary: FastCheck.record({ do: FastCheck.constantFrom(...(["remove", "revert", "touch"] as const)), id })
  },
  {
    weight: 3,
    arbitrary: FastCheck.record({ do: FastCheck.constantFrom(...(["rename", "twin"] as const)), id, to: id })
  },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      do: FastCheck.constantFrom(...(["exclude", "include"] as const)),
      id,
      crash: perhaps
    })
  },
  {
    weight: 6,
    arbitrary: FastCheck.record({ do: FastCheck.constant("sync" as const), allow: FastCheck.boolean(), crash: perhaps })
  },
  { weight: 1, arbitrary: FastCheck.record({ do: FastCheck.constant("rebuild" as const) }) }
)

export const actions: FastCheck.Arbitrary<ReadonlyArray<Action>> = FastCheck.array(action, {
  minLength: 4,
  maxLength: 24,
  size: "max"
})

export type Tokens = Pick<VecListing, "content_hash" | "revision">

/** What refs of a listing carry; one of the two at least, or only a fetch can tell what changed. */
export const tokens: FastCheck.Arbitrary<Tokens> = FastCheck.constantFrom(
  { content_hash: true, revision: false },
  { content_hash: false, revision: true },
  { content_hash: true, revision: true }
)

const endingOf = (crash: Crash | undefined): Ending => {
  if (crash === undefined) return {}
  const { at, cut, instead, power } = crash
  const seed = cut === undefined ? {} : { seed: cut }
  if (instead === undefined) return { ...seed, crashAt: at, power }
  return instead === "short"
    ? { ...seed, shortWriteAt: at }
    : { ...seed, failAt: { operation: at, ...instead }, power }
}

/** Moves on by a second each time it is read. Short waits are over at once, and long ones never end. */
const steadyClock = (): Clock.Clock => {
  let now = 0
  const millis = () => now += 1000
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    currentTimeMillis: Effect.sync(millis),
    unsafeCurrentTimeNanos: nanos,
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => Duration.toMillis(duration) < 1000 ? Effect.yieldNow() : Effect.never
  }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

interface Told {
  /** The text of each live document, and the hash of what was fetched. */
  readonly texts: ReadonlyMap<string, string>
  readonly hashes: ReadonlyMap<string, string>
  /** What was embedded for each live passage. */
  readonly embedded: ReadonlySet<string>
  readonly excluded: ReadonlySet<string>
  /** Texts with a vector. */
  readonly vectors: ReadonlySet<string>
}

interface Passage {
  readonly chunk_id: string
  readonly ordinal: number
  readonly text: string
  readonly embed_sha256: string
}

/** What the log says, read in the plainest way; it is checked on the way that it says nothing twice. */
const told = (lines: ReadonlyArray<LocatedRecord>): Told => {
  const documents = new Map<string, ReadonlyArray<Passage>>()
  const hashes = new Map<string, string>()
  const excluded = new Set<string>()
  const vectors = new Set<string>()
  let group: { readonly txn: number; readonly lines: Array<LocatedRecord> } | undefined
  const exclusion = ({ record }: LocatedRecord): void => {
    if (record.kind !== "exclusion") return
    if (record.body.excluded) excluded.add(record.body.doc_id)
    else excluded.delete(record.body.doc_id)
  }
  lines.forEach((line, i) => {
    const { record } = line
    assert.strictEqual(record.seq, i + 1, "seq is contiguous")
    if (record.kind === "vector") {
      assert.isFalse(vectors.has(record.body.embed_sha256), "a vector is written once")
      vectors.add(record.body.embed_sha256)
    }
    if (record.txn === undefined) return exclusion(line)
    if (group?.txn !== record.txn) group = { txn: record.txn, lines: [] }
    if (record.kind !== "commit") return void group.lines.push(line)
    const { body } = record
    assert.strictEqual(group.lines.length, body.n, "a commit has the lines that it counts")
    const gone = group.lines.flatMap(({ record }) => record.kind === "tombstone" ? [record.body.chunk_id] : [])
    const added = group.lines.flatMap(({ record }): ReadonlyArray<Passage> =>
      record.kind === "reference" ? [record.body] : []
    )
    group.lines.forEach(exclusion)
    group = undefined
    const before = documents.get(body.doc_id) ?? []
    for (const chunk_id of gone) {
      assert.isTrue(before.some((passage) => passage.chunk_id === chunk_id), "a tombstone names what is live there")
    }
    assert.strictEqual(new Set(gone).size, gone.length, "a passage goes once")
    const after = [...before.filter(({ chunk_id }) => !gone.some((other) => other === chunk_id)), ...added]
    assert.strictEqual(new Set(after.map(({ chunk_id }) => chunk_id)).size, after.length, "ids are unique")
    assert.strictEqual(after.length, body.chunk_count, "a commit counts what it leaves live")
    hashes.delete(body.doc_id)
    documents.delete(body.doc_id)
    if (body.removed === true) return
    hashes.set(body.doc_id, body.content_hash)
    documents.set(body.doc_id, after)
  })
  const live = [...documents.values()].flat()
  return {
    texts: new Map(
      [...documents].map(([id, passages]) =>
        [id, passages.toSorted((a, b) => a.ordinal - b.ordinal).map(({ text }) => text).join("")] as const
      )
    ),
    hashes,
    embedded: new Set(live.map(({ embed_sha256 }) => embed_sha256)),
    excluded,
    vectors
  }
}

/** Nothing is embedded for a passage without text. */
const noText = sha256("")

const sorted = (values: Iterable<string>): ReadonlyArray<string> => [...values].sort()

/** A document of blanks alone has no passages. */
const withText = (texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...texts].filter(([, text]) => text.trim() !== ""))

const byId = <A>(entries: ReadonlyMap<string, A>) => [...entries].sort(([a], [b]) => a < b ? -1 : 1)

/** A later revision of the same version is in the manifest alone. */
const plain = (entries: ReadonlyMap<DocId, ManifestEntry>) =>
  byId(entries).map(([, entry]) => ({ ...entry, revision: undefined }))

const startsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean =>
  Buffer.compare(bytes.subarray(0, prefix.length), prefix) === 0

/** The files of the home, without those that only live as long as a process. */
const filesOf = (disk: Disk.Disk) =>
  [...Disk.files(disk, "cached")].map(([path, bytes]) => [path, Buffer.from(bytes).toString("latin1")] as const)

const dumped: Effect.Effect<
  { readonly texts: ReadonlyMap<string, string>; readonly withoutVector: number },
  unknown,
  Projection
> = Effect.map(
  Stream.runCollect(Stream.unwrap(Effect.map(Projection, ({ dump }) => dump({ embeddings: true })))),
  (lines) => {
    const texts = new Map<string, string>()
    let withoutVector = 0
    for (const line of lines) {
      if (line.kind !== "reference") continue
      const { doc_id, embedding, text } = line
      texts.set(doc_id, (texts.get(doc_id) ?? "") + text)
      if (embedding === undefined && text.trim() !== "") withoutVector++
    }
    return { texts, withoutVector }
  }
)

/** An embedder that remembers what it was asked. */
const recording = () => {
  const texts: Array<string> = []
  const inner = Hashed.make()
  const layer = Layer.succeed(Embedder, {
    ...inner,
    embed: (asked) => Effect.zipRight(Effect.sync(() => texts.push(...asked)), inner.embed(asked))
  })
  return { layer, take: Effect.sync(() => texts.splice(0)) }
}

/**
 * Does all of it, and checks after each step what can be known then. Answers how many changes of the disk each run
 * tried, in order.
 */
export const play = (
  todo: ReadonlyArray<Action>,
  listing: Tokens,
  mutant?: WorldOptions["mutant"]
): Effect.Effect<ReadonlyArray<number>, unknown> =>
  Effect.gen(function*() {
    const { connector, control } = yield* vec("notes", [], { listing })
    const embedder = recording()
    const world: SimulatedWorld = yield* onSimulatedDisk({
      connectors: [connector],
      cached: true,
      embedder: embedder.layer,
      ...(mutant === undefined ? {} : { mutant })
    })
    const taken: Array<number> = []
    const source = new Map<string, string>()
    const history = new Map<string, Array<string>>()
    /** What the last completed run left. */
    let live: ReadonlyMap<string, string> = new Map()
    /** What no run since has confirmed may still be undone by a loss of power: then this is there again. */
    let confirmed = live
    const excluded = new Set<string>()

    let heard: { readonly bytes: Uint8Array; readonly told: Told } | undefined
    /** Read anew where its bytes are others. */
    const log = Effect.gen(function*() {
      const bytes = logBytes(yield* world.disk, "cached")
      if (heard === undefined || Buffer.compare(heard.bytes, bytes) !== 0) {
        heard = { bytes, told: told(yield* world.lines) }
      }
      return heard.told
    })

    const put = (id: string, content: string) => {
      source.set(id, content)
      history.set(id, [...history.get(id) ?? [], content])
      return control.put({ doc_id: id, content })
    }

    /** A run, with the promises that hold whatever becomes of it. */
    const run = <A, E>(program: Effect.Effect<A, E, Services>, crash: Crash | undefined) =>
      Effect.gen(function*() {
        const before = yield* world.acked
        const ended: Ended<A> = yield* world.run(program, endingOf(crash))
        taken.push(ended.steps.length)
        const acked = yield* world.acked
        assert.isTrue(startsWith(acked, before), "what was acknowledged is still there")
        assert.isTrue(startsWith(logBytes(yield* world.disk, "durable"), acked), "and on the disk")
        const fault = crash?.instead
        if (ended.crashed || Exit.isSuccess(ended.exit)) return { ...ended, cut: ended.crashed }
        // A fault of the disk ends a run with an error that says so, and never with a defect.
        const told = Cause.failureOption(ended.exit.cause)
        if (fault === undefined || fault === "short" || Option.isNone(told)) {
          return yield* Effect.failCause(ended.exit.cause)
        }
        if (fault.reason === "NoSpace") {
          const left = logBytes(yield* world.disk, "cached")
          const last = (yield* world.lines).at(-1)?.record
          assert.isTrue(left.length === 0 || left.at(-1) === 10, "a line that had no room is taken back")
          assert.isTrue(last?.txn === undefined || last.kind === "commit", "and all of its group")
        }
        return { ...ended, cut: true }
      })

    const expected = (allow: boolean): { readonly refused: boolean; readonly texts: ReadonlyMap<string, string> } => {
      const refused = !allow && source.size === 0 && live.size > 0
      return { refused, texts: refused ? live : new Map([...source].filter(([id]) => !excluded.has(id))) }
    }

    const checkState = Effect.gen(function*() {
      const said = yield* log
      assert.deepStrictEqual(byId(withText(said.texts)), byId(withText(live)), "the log says what the model does")
      assert.deepStrictEqual(sorted(said.excluded), sorted(excluded))
      const { incremental, manifest, shown } = yield* world.process(
        Effect.all({
          shown: dumped,
          manifest: Effect.flatMap(ManifestStore, ({ load }) => load(notes)),
          incremental: digest
        })
      )
      assert.deepStrictEqual(byId(shown.texts), byId(withText(live)), "the projection shows what the model does")
      assert.strictEqual(shown.withoutVector, 0, "every live passage has its vector")
      const lines = yield* world.lines
      const state = lines.reduce((state, line) => apply(state, line)[0], empty)
      assert.deepStrictEqual(
        plain(Option.getOrElse(manifest, () => new Map())),
        plain(manifestOf(state, notes)),
        "the manifest is what the log says"
      )
      const fresh = yield* MemoryProjection.make
      yield* fresh.apply(lines)
      assert.deepStrictEqual(yield* Effect.provideService(digest, Projection, fresh), incremental, "rebuild parity")
    })

    const checkNoop = Effect.gen(function*() {
      const before = filesOf(yield* world.disk)
      yield* control.resetCounts
      yield* embedder.take
      const { exit, steps } = yield* run(sync(), undefined)
      const [report] = (yield* exit).connectors
      assert.deepInclude(report, { new: 0, changed: 0, stale: 0, moved: 0, removed: 0, fetched: 0, embed_calls: 0 })
      assert.strictEqual((yield* control.counts).fetches, 0)
      assert.deepStrictEqual(yield* embedder.take, [])
      assert.deepStrictEqual(filesOf(yield* world.disk), before, "no byte of any file is another one")
      const touched = steps.filter(({ operation, path }) =>
        !["makeDir", "syncDir", "unlink"].includes(operation) && !path.endsWith("/LOCK")
      )
      assert.deepStrictEqual(touched, [], "and none was written again")
    })

    const completedSync = (allow: boolean) =>
      Effect.gen(function*() {
        const before = yield* log
        yield* embedder.take
        yield* control.resetCounts
        const { refused, texts } = expected(allow)
        const due = [...texts].filter(([id, text]) => !refused && before.hashes.get(id) !== `sha256:${sha256(text)}`)
        const { exit } = yield* run(sync({ ...defaults, allowMassRemoval: allow }), undefined)
        const [report] = (yield* exit).connectors
        assert.strictEqual(report?.status, refused ? "refused" : "ok")
        live = confirmed = texts
        const { fetches_by_id } = yield* control.counts
        if (listing.content_hash) {
          assert.deepStrictEqual(sorted(fetches_by_id.keys()), sorted(due.map(([id]) => id)), "what changed is fetched")
        }
        assert.isTrue([...fetches_by_id.values()].every((n) => n === 1), "and once")
        const after = yield* log
        const wanted = [...after.embedded].filter((sha) => sha !== noText && !before.vectors.has(sha))
        assert.deepStrictEqual(
          (yield* embedder.take).map(sha256).sort(),
          sorted(wanted),
          "what the log has no vector for is embedded, once, and nothing else"
        )
        yield* checkState
        yield* checkNoop
      })

    /** What a run that was cut short may have left: of each document the old version or the new one. */
    const adopt = (allow: boolean) =>
      Effect.gen(function*() {
        const text = (of: string | undefined): string => (of ?? "").trim() === "" ? "" : of ?? ""
        const { texts } = expected(allow)
        const said = yield* log
        for (const id of new Set([said.texts, live, texts, confirmed].flatMap((documents) => [...documents.keys()]))) {
          const [now, old, after] = [said.texts.get(id), live.get(id), texts.get(id)]
          const was = text(confirmed.get(id))
          assert.isTrue([was, text(old), text(after)].includes(text(now)), `${id} is old or new`)
        }
        live = said.texts
      })

    const marked = (action: Extract<Action, { readonly do: "exclude" | "include" }>, crash: Crash | undefined) =>
      run(Effect.either((action.do === "exclude" ? exclude : include)(notes, DocId.make(action.id))), crash)

    const mark = (action: Extract<Action, { readonly do: "exclude" | "include" }>) =>
      Effect.gen(function*() {
        const { do: what, id } = action
        // Without a sync since, what is known is what the log says.
        const known = what === "exclude" ? (yield* log).texts.has(id) && !excluded.has(id) : excluded.has(id)
        const first = yield* marked(action, action.crash)
        const exit = first.crashed ? (yield* marked(action, undefined)).exit : first.exit
        const answer = yield* exit
        const unknown = Either.isLeft(answer) && answer.left instanceof UnknownDocument
        if (Either.isLeft(answer) && !unknown) return yield* Effect.fail(answer.left)
        if (!first.crashed) assert.strictEqual(unknown, !known)
        if (known && what === "exclude") {
          excluded.add(id)
          live = confirmed = new Map([...live].filter(([other]) => other !== id))
        }
        if (known && what === "include") excluded.delete(id)
        assert.deepStrictEqual(byId(withText((yield* log).texts)), byId(withText(live)), "excluded text is not live")
      })

    const perform = (action: Action) =>
      Effect.gen(function*() {
        switch (action.do) {
          case "put":
            return yield* put(action.id, action.content)
          case "remove":
            source.delete(action.id)
            return yield* control.remove(action.id)
          case "touch":
            return yield* control.touch(action.id)
          case "revert": {
            const earlier = history.get(action.id)?.at(-2)
            return earlier === undefined ? undefined : yield* put(action.id, earlier)
          }
          case "rename": {
            const content = source.get(action.id)
            if (content === undefined) return
            source.delete(action.id)
            source.set(action.to, content)
            history.set(action.to, [...history.get(action.to) ?? [], content])
            return yield* control.rename(action.id, action.to)
          }
          case "twin": {
            const content = source.get(action.id)
            return content === undefined ? undefined : yield* put(action.to, content)
          }
          case "exclude":
          case "include":
            return yield* mark(action)
          case "sync": {
            if (action.crash === undefined) return yield* completedSync(action.allow)
            const ended = yield* run(sync({ ...defaults, allowMassRemoval: action.allow }), action.crash)
            if (ended.cut) return yield* adopt(action.allow)
            live = confirmed = expected(action.allow).texts
            yield* checkState
            return yield* checkNoop
          }
          case "rebuild": {
            const before = yield* world.process(Stream.runCollect(dump({ embeddings: true })))
            yield* world.process(rebuild)
            // A projection that is behind, as a crash leaves it, is ahead of where it was.
            const after = yield* world.process(Stream.runCollect(dump({ embeddings: true })))
            if (live === settled) assert.deepStrictEqual(after, before)
          }
        }
      })

    let settled: ReadonlyMap<string, string> | undefined
    for (const action of todo) {
      yield* perform(action)
      if (action.do === "sync" && action.crash === undefined) settled = live
    }
    const last = todo.at(-1)
    const complete = last?.do === "sync" && last.crash === undefined && (last.allow || source.size > 0)
    if (!complete) yield* completedSync(true)
    // All of this happens without a turn for anything else in the process, which the test runner needs.
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    return taken
  }).pipe(Effect.withClock(steadyClock()))
