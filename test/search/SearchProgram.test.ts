import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Ref from "effect/Ref"
import * as TestClock from "effect/TestClock"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import { Connectors } from "../../services/Connectors.ts"
import { Embedder } from "../../services/Embedder.ts"
import { Search, type SearchQuery } from "../../services/Search.ts"
import { ConnectorError } from "../../src/domain/ConnectorErrors.ts"
import { EmbedderUnavailable, EmbedRefused } from "../../src/domain/EmbedderErrors.ts"
import { ChunkId, ConnectorName, DocId, SourceUri } from "../../src/domain/Ids.ts"
import { SearchHit } from "../../src/domain/SearchReport.ts"
import { EmbedderMismatch } from "../../src/domain/StoreErrors.ts"
import { embedded, search } from "../../src/search/search.ts"
import { document, many, notes, notesOf, synced, withoutDisk } from "../sync/Given.ts"
import { vec } from "../sync/Harness.ts"

const hitIn = (doc_id: string, connector = notes): SearchHit =>
  new SearchHit({
    score: 1,
    level: "R",
    connector,
    doc_id: DocId.make(doc_id),
    source_uri: SourceUri.make("vec:///x"),
    heading_path: [],
    lines: [1, 1],
    text: "x",
    chunk_id: ChunkId.make("0".repeat(32)),
    stale: false
  })

/** An index that answers each question with hits in these documents. */
const finds = (...hits: ReadonlyArray<SearchHit>) =>
  Effect.provideService(Search, { records: () => Effect.succeed([]), search: () => Effect.succeed(hits) })

const query: SearchQuery = { text: "what", mode: "hybrid", k: 10 }

const warnings = Effect.map(Ref.make<ReadonlyArray<string>>([]), (said) => ({
  said: Ref.get(said),
  layer: Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => Effect.runSync(Ref.update(said, (all) => [...all, String(message)])))
  )
}))

describe("a hit is stale", () => {
  it.effect("tobi/qmd#961: when its document was changed, moved or removed since the last sync, and not before", () =>
    Effect.gen(function*() {
      const { control, run, world } = yield* notesOf(many(5), { listing: { revision: true, content_hash: true } })
      yield* run()
      const stale = Effect.map(
        world.process(search(query).pipe(finds(...[0, 1, 2, 3, 4].map((n) => hitIn(`d${n}.txt`))))),
        ({ hits }) => hits.filter(({ stale }) => stale).map(({ doc_id }) => String(doc_id))
      )
      assert.deepStrictEqual(yield* stale, [])
      yield* control.put(document("d0.txt", "edited"))
      yield* control.remove("d1.txt")
      yield* control.rename("d2.txt", "e2.txt")
      yield* control.touch("d3.txt")
      yield* control.put(document("new.txt"))
      assert.deepStrictEqual(yield* stale, ["d0.txt", "d1.txt", "d2.txt"])
      yield* run()
      // An index that was not brought up to the log may still know them.
      assert.deepStrictEqual(yield* stale, ["d1.txt", "d2.txt"])
    }))

  it.effect("not when nobody can tell: its source is closed, slow, away, or names only what is new", () =>
    Effect.gen(function*() {
      const names = ["slow", "window", "away", "gone"]
      const all = yield* Effect.forEach(names, (name) => vec(name, [document("a.txt", name)]))
      const [slow, window, away] = all
      assert.isTrue(slow !== undefined && window !== undefined && away !== undefined)
      const world = yield* withoutDisk({ connectors: all.map(({ connector }) => connector) })
      yield* synced(world)
      yield* window?.control.setListing({ coverage: "window" }) ?? Effect.void
      yield* window?.control.remove("a.txt") ?? Effect.void
      yield* away?.control.setListing({ roots: [{ uri: "vec:///away", status: "missing" }] }) ?? Effect.void
      yield* away?.control.remove("a.txt") ?? Effect.void
      const { layer, said } = yield* warnings
      const asked = yield* Deferred.make<void>()
      const closed = new ConnectorError({
        connector: ConnectorName.make("gone"),
        operation: "open",
        detail: "TOKEN is not set",
        advice: "set it",
        retryable: false
      })
      const running = yield* world.process(
        search(query).pipe(
          finds(...[...names, "unknown"].map((name) => hitIn("a.txt", ConnectorName.make(name)))),
          Effect.updateService(Connectors, (connectors) => ({
            ...connectors,
            get: (name) =>
              name === "gone"
                ? closed
                : name !== "slow"
                ? connectors.get(name)
                : Effect.map(connectors.get(name), (connector) =>
                  connector.source_type === "session" ? connector : {
                    ...connector,
                    list: () => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
                  })
          })),
          Effect.provide(layer)
        )
      ).pipe(Effect.fork)
      yield* Deferred.await(asked)
      yield* TestClock.adjust("5 seconds")
      const { hits } = yield* Fiber.join(running)
      assert.deepStrictEqual(hits.map(({ stale }) => stale), [false, false, false, false, false])
      assert.deepStrictEqual((yield* said).toSorted(), [
        "whether the hits in gone are still what their source holds is not known: cannot open connector \"gone\": TOKEN is not set; set it",
        "whether the hits in slow are still what their source holds is not known: it did not answer within 5s"
      ])
    }))
})

describe("a query", () => {
  const unavailable = Embedder.of({
    ...Hashed.make(),
    embed: () => new EmbedderUnavailable({ embedder: "x", detail: "no engine" })
  })
  const refusing = Embedder.of({
    ...Hashed.make(),
    embed: () => Effect.succeed([Either.left(new EmbedRefused({ detail: "too odd", retryable: false }))])
  })

  it.effect("is embedded by the embedder that the index is compared with", () =>
    Effect.gen(function*() {
      const embedder = Hashed.make()
      const { vector } = yield* Effect.provideService(embedded(query), Embedder, embedder)
      const answers = yield* embedder.embed(["what"])
      const { fingerprint } = embedder
      assert.deepStrictEqual([vector], answers.map((answer) => ({ values: Either.getOrThrow(answer), fingerprint })))
    }))

  it.effect("searches by words where there is no embedder, says so, and never where meaning alone was asked for", () =>
    Effect.gen(function*() {
      const { layer, said } = yield* warnings
      for (const embedder of [unavailable, refusing]) {
        const of = (query: SearchQuery) =>
          embedded(query).pipe(Effect.provideService(Embedder, embedder), Effect.provide(layer))
        assert.deepStrictEqual(yield* of(query), { ...query, mode: "keyword" })
        assert.match((yield* said).at(-1) ?? "", /^searched by words only: /)
        assert.isTrue(Either.isLeft(yield* Effect.either(of({ ...query, mode: "vector" }))))
      }
      assert.lengthOf(yield* said, 2)
    }))

  it.effect("searches by words where the index was made by another embedder", () =>
    Effect.gen(function*() {
      const { world } = yield* notesOf([])
      const { layer, said } = yield* warnings
      const other = Effect.provideService(Search, {
        records: () => Effect.succeed([]),
        search: ({ mode }: SearchQuery) =>
          mode === "keyword"
            ? Effect.succeed([hitIn("a.txt")])
            : new EmbedderMismatch({ index: "old", query: "new" })
      })
      const report = yield* world.process(search(query).pipe(other, Effect.provide(layer)))
      assert.deepStrictEqual([report.mode, report.hits.length], ["keyword", 1])
      assert.include((yield* said)[0], "embedded by old")
      const vector = world.process(search({ ...query, mode: "vector" }).pipe(other))
      assert.instanceOf(yield* Effect.flip(vector), EmbedderMismatch)
    }))
})
