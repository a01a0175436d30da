/**
 * Embeds the engine as a service in an Effect app. The app has articles of its own, and registers a kind of connector
 * that lists and fetches them; its memory of them stands in a log on disk, is brought up to date, and is rebuilt.
 */
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  connectorKind,
  defaultLimits,
  DocId,
  DocumentContent,
  DocumentError,
  DocumentRef,
  drift,
  ListingRoot,
  parseConnectorsFile,
  rebuild,
  SourceUri,
  sync,
  syncDefaults
} from "poimen-memory"
import * as ConnectorKinds from "poimen-memory/layers/ConnectorKinds/Registry"
import * as ConfiguredConnectors from "poimen-memory/layers/Connectors/Configured"
import * as CachedEmbedder from "poimen-memory/layers/Embedder/Cached"
import * as HashedEmbedder from "poimen-memory/layers/Embedder/Hashed"
import * as Segments from "poimen-memory/layers/Log/Segments"
import * as NodeLogFs from "poimen-memory/layers/LogFs/Node"
import * as ManifestFiles from "poimen-memory/layers/ManifestStore/Files"
import * as ProgressFiles from "poimen-memory/layers/ProgressStore/Files"
import * as MemoryProjection from "poimen-memory/layers/Projection/Memory"

// What the app has anyway: articles, each with a version that moves whenever its text does.

interface Article {
  readonly text: string
  readonly version: number
}

class Articles extends Context.Tag("app/Articles")<Articles, {
  readonly all: Effect.Effect<ReadonlyMap<string, Article>>
  readonly write: (name: string, text: string) => Effect.Effect<void>
  readonly remove: (name: string) => Effect.Effect<void>
}>() {
  static readonly layer = Layer.effect(
    Articles,
    Effect.map(Ref.make<ReadonlyMap<string, Article>>(new Map()), (articles) => ({
      all: Ref.get(articles),
      write: (name, text) =>
        Ref.update(articles, (all) => new Map(all).set(name, { text, version: (all.get(name)?.version ?? 0) + 1 })),
      remove: (name) => Ref.update(articles, (all) => new Map([...all].filter(([other]) => other !== name)))
    }))
  )
}

// How the engine sees them. A connector lists and delivers; what is new, changed or gone is the engine's business.

const articlesKind = Effect.map(Articles, ({ all }) =>
  connectorKind({
    kind: "articles",
    source_type: "document",
    config: Schema.Struct({ shelf: Schema.String }),
    make: (name, { shelf }) =>
      Effect.succeed({
        source_type: "document",
        name,
        kind: "articles",
        limits: defaultLimits,
        list: () =>
          Effect.map(all, (articles) => ({
            coverage: "complete",
            roots: [new ListingRoot({ uri: SourceUri.make(`app:///${shelf}`), status: "readable" })],
            documents: Stream.fromIterable(
              Array.from(articles, ([id, { version }]) =>
                new DocumentRef({
                  doc_id: DocId.make(id),
                  source_uri: SourceUri.make(`app:///${shelf}/${encodeURIComponent(id)}`),
                  revision: String(version),
                  media_type: "text/plain"
                }))
            )
          })),
        fetch: ({ doc_id }) =>
          Effect.flatMap(all, (articles) => {
            const article = articles.get(doc_id)
            return article === undefined
              ? new DocumentError({ doc_id, reason: "gone", detail: "it was removed", retryable: false })
              : Effect.succeed(
                new DocumentContent({
                  bytes: new TextEncoder().encode(article.text),
                  media_type: "text/plain",
                  revision: String(article.version)
                })
              )
          })
      })
  }))

const configuration = `
connectors:
  help:
    kind: articles
    shelf: help
    max_concurrent_fetches: 4
`

// The engine, as one service of the app: what it is made of is nobody else's concern.

type Program<A> = A extends Effect.Effect<infer Report, infer E, infer _> ? Effect.Effect<Report, E> : never

class Memory extends Context.Tag("app/Memory")<Memory, {
  readonly refresh: Program<ReturnType<typeof sync>>
  readonly pending: Program<ReturnType<typeof drift>>
  readonly rebuild: Program<typeof rebuild>
}>() {
  static readonly layer = (home: string) => {
    const kinds = Layer.unwrapEffect(Effect.map(articlesKind, (kind) => ConnectorKinds.layer([kind])))
    const connectors = Layer.unwrapEffect(
      Effect.map(parseConnectorsFile(configuration), (file) => ConfiguredConnectors.layer(file))
    )
    const files = Layer.mergeAll(
      Segments.reader({ home }),
      // Takes the lock, and recovers what a run that was cut short has left.
      Segments.writer({ home }),
      ManifestFiles.layer({ home }),
      ProgressFiles.layer({ home })
    ).pipe(Layer.provide(NodeLogFs.layer))
    // In an app of yours, an embedder with a model stands here. No text goes to it twice.
    const embedder = CachedEmbedder.layer.pipe(Layer.provide(HashedEmbedder.layer()), Layer.provide(files))
    const engine = Layer.mergeAll(Layer.provide(connectors, kinds), embedder, files, MemoryProjection.layer)
    return Layer.effect(
      Memory,
      Effect.map(Effect.context<Effect.Effect.Context<ReturnType<typeof sync>>>(), (context) => ({
        refresh: Effect.provide(sync(), context),
        pending: Effect.provide(drift({ ...syncDefaults, estimate: true }), context),
        rebuild: Effect.provide(rebuild, context)
      }))
    ).pipe(Layer.provide(engine))
  }
}

// The app.

const refresh = (when: string) =>
  Effect.gen(function*() {
    const { connectors } = yield* (yield* Memory).refresh
    for (const report of connectors) {
      const { changed, embed_texts, fetched, moved, name, removed, reused, status, unchanged } = report
      yield* Console.log(
        `${when}: ${name} ${status}: ${report.new} new, ${changed} changed, ${moved} moved, ${removed} removed, `
          + `${unchanged} unchanged; ${fetched} fetched, ${embed_texts} texts embedded, ${reused} vectors reused`
      )
    }
  })

const app = Effect.gen(function*() {
  const articles = yield* Articles
  const memory = yield* Memory
  yield* articles.write("ports", "The collector listens on 4317.\n\nThe old one used 55680.")
  const disks = "A full disk stops the run. Nothing that was acknowledged is lost."
  yield* articles.write("disks", disks)
  yield* articles.write("locks", "One process writes the log at a time; all others read it.")
  yield* refresh("first")
  yield* refresh("again")

  yield* articles.write("ports", "The collector listens on 4317.\n\nThe old one is gone.")
  yield* articles.write("storage", disks)
  yield* articles.remove("disks")
  yield* articles.remove("locks")
  const { connectors } = yield* memory.pending
  for (const { documents, estimate } of connectors) {
    // That one has moved shows by its content: the next sync fetches it, and finds its vector in the log.
    yield* Console.log(
      `drift: new ${documents.new.join()}, changed ${documents.changed.join()}, removed ${documents.removed.join()}; `
        + `a sync would embed ${estimate?.embed_texts} of ${estimate?.passages} passages`
    )
  }
  yield* refresh("after it")

  const { embed_calls, live_chunks, records, state_sha256 } = yield* memory.rebuild
  yield* Console.log(
    `rebuilt from ${records} lines of the log: ${live_chunks} passages, ${embed_calls} calls of the embedder`
  )
  const again = yield* memory.rebuild
  yield* Console.log(`the same state again: ${again.state_sha256 === state_sha256}`)
})

const temporaryHome = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "memory-"))),
  (home) => Effect.promise(() => rm(home, { recursive: true }))
)

const layer = Layer.unwrapScoped(Effect.map(temporaryHome, Memory.layer)).pipe(Layer.provideMerge(Articles.layer))

await Effect.runPromise(Effect.provide(app, layer))
