/**
 * A sync of documents in memory into a real log: speed, memory, how often the disk is waited for, and that an unchanged
 * run reads the log's tail alone and writes nothing. The embedder answers at once with one and the same vector.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Cached from "../../layers/Embedder/Cached.ts"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import * as Segments from "../../layers/Log/Segments.ts"
import * as NodeLogFs from "../../layers/LogFs/Node.ts"
import * as ManifestFiles from "../../layers/ManifestStore/Files.ts"
import * as ProgressFiles from "../../layers/ProgressStore/Files.ts"
import * as MemoryProjection from "../../layers/Projection/Memory.ts"
import { Connectors } from "../../services/Connectors.ts"
import { Embedder } from "../../services/Embedder.ts"
import { LogFs } from "../../services/LogFs.ts"
import { Projection } from "../../services/Projection.ts"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
import { defaultLimits } from "../../src/domain/ConnectorsFile.ts"
import { DocumentContent, DocumentRef } from "../../src/domain/Document.ts"
import { ConnectorName, DocId, Fingerprint, SourceUri } from "../../src/domain/Ids.ts"
import { ListingRoot } from "../../src/domain/Listing.ts"
import { sync as program } from "../../src/sync/sync.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

interface Counts {
  /** Of the log's segments alone. */
  syncs: number
  read: number
  written: number
}

const isSegment = (path: string): boolean => path.includes("/log/segments/")

/** The real disk, and what of it the log's segments were. */
const countingFs = (counts: Counts): Layer.Layer<LogFs> =>
  Layer.effect(
    LogFs,
    Effect.map(LogFs, (fs) =>
      LogFs.of({
        ...fs,
        open: (path, mode) =>
          Effect.map(fs.open(path, mode), (file) =>
            !isSegment(path) ? file : {
              ...file,
              read: (offset, length) =>
                Effect.tap(file.read(offset, length), (bytes) => Effect.sync(() => counts.read += bytes.length)),
              write: (offset, bytes) =>
                Effect.tap(file.write(offset, bytes), (n) => Effect.sync(() => counts.written += n)),
              datasync: Effect.zipRight(Effect.sync(() => counts.syncs++), file.datasync),
              sync: Effect.zipRight(Effect.sync(() => counts.syncs++), file.sync)
            })
      }))
  ).pipe(Layer.provide(NodeLogFs.layer))

const hashed = Hashed.make()
const vector = Float32Array.from({ length: hashed.dims }, (_, i) => i === 0 ? 1 : 0)

const constant = Layer.succeed(Embedder, {
  ...hashed,
  embed: (texts) => Effect.succeed(texts.map(() => Either.right(vector)))
})

const name = ConnectorName.make("bench")
const root = "mem:///bench"

interface Document {
  readonly ref: DocumentRef
  readonly content: DocumentContent
}

/** Three passages of some 270 bytes each. */
const documentOf = (i: number, version: number): Document => {
  const text = ["one", "two", "three"].map((part) => `${part} ${i} ${version} lorem ipsum `.repeat(11)).join("\n\n")
  const bytes = new TextEncoder().encode(text)
  const doc_id = DocId.make(`${i}.txt`)
  return {
    ref: new DocumentRef({
      doc_id,
      source_uri: SourceUri.make(`${root}/${doc_id}`),
      content_hash: Fingerprint.make(`sha256:${createHash("sha256").update(bytes).digest("hex")}`),
      media_type: "text/plain",
      size: bytes.length,
      availability: "available"
    }),
    content: new DocumentContent({ bytes, media_type: "text/plain" })
  }
}

/** Vec copies its maps with each document and each fetch, which is not what is to be measured. */
const connectorOf = (documents: ReadonlyMap<DocId, Document>): DocumentConnector => ({
  source_type: "document",
  name,
  kind: "bench",
  limits: defaultLimits,
  list: () =>
    Effect.sync(() => ({
      coverage: "complete",
      roots: [new ListingRoot({ uri: SourceUri.make(root), status: "readable" })],
      documents: Stream.fromIterable(Array.from(documents.values(), ({ ref }) => ref))
    })),
  fetch: ({ doc_id }) => Effect.orDie(Effect.map(Effect.fromNullable(documents.get(doc_id)), ({ content }) => content))
})

const measured = (size: number) =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const documents = new Map(Array.from({ length: size }, (_, i) => {
      const document = documentOf(i, 1)
      return [document.ref.doc_id, document] as const
    }))
    const counts: Counts = { syncs: 0, read: 0, written: 0 }
    const fs = countingFs(counts)
    const connector = connectorOf(documents)
    const reader = Segments.reader({ home })
    const services = Layer.mergeAll(
      Layer.succeed(Connectors, {
        configured: [{ name, kind: "bench", source_type: "document" }],
        get: () => Effect.succeed(connector)
      }),
      Layer.provide(Cached.layer, Layer.merge(constant, reader)),
      reader,
      Segments.writer({ home }),
      ManifestFiles.layer({ home }),
      ProgressFiles.layer({ home }),
      // It outlives a run, as a file would.
      Layer.succeed(Projection, yield* MemoryProjection.make)
    ).pipe(Layer.provide(fs))

    const run = (phase: string, expected: number) =>
      Effect.gen(function*() {
        globalThis.gc?.()
        Object.assign(counts, { syncs: 0, read: 0, written: 0 })
        const start = performance.now()
        const [report] = (yield* Effect.provide(program(), services)).connectors
        const millis = performance.now() - start
        if (report?.status !== "ok" || report.fetched !== expected) {
          console.error(`${phase}: not what was to be measured: ${JSON.stringify(report)}`)
          process.exitCode = 1
        }
        return { phase, size, millis, expected, ...counts }
      })

    const rows = [yield* run("initial", size), yield* run("unchanged", 0)]
    for (let i = 0; i < size; i += 100) {
      const document = documentOf(i, 2)
      documents.set(document.ref.doc_id, document)
    }
    rows.push(yield* run("1 % changed", Math.ceil(size / 100)))
    return rows
  }).pipe(Effect.scoped)

type Row = Effect.Effect.Success<ReturnType<typeof measured>>[number]

const tail = 2 * 64 * 1024

const verdicts = ({ expected, phase, read, syncs, written }: Row): ReadonlyArray<string> => [
  // A segment's first line is synced, and the seal; of few documents that is much.
  ...(expected > 0 && syncs > expected / 4 + 3 ? [`${syncs} syncs are more than ${expected} documents / 4`] : []),
  ...(phase === "unchanged" && written > 0 ? [`an unchanged run wrote ${written} bytes`] : []),
  ...(phase === "unchanged" && read > 2 * tail ? [`an unchanged run read ${read} bytes`] : [])
]

const number = (value: number): string => Math.round(value).toLocaleString("en-US")

export const sync = async (): Promise<void> => {
  await Effect.runPromise(measured(500))
  console.log("   documents  phase            ms  documents/s  of initial    syncs     read bytes   written bytes")
  for (const size of [2000, 20_000]) {
    const rows = await Effect.runPromise(measured(size))
    for (const row of rows) {
      const ratio = (rows[0]?.millis ?? Number.NaN) / row.millis
      console.log([
        number(size).padStart(12),
        `  ${row.phase.padEnd(11)}`,
        number(row.millis).padStart(8),
        number(size / row.millis * 1000).padStart(13),
        `${ratio.toFixed(1)}x`.padStart(12),
        number(row.syncs).padStart(9),
        number(row.read).padStart(15),
        number(row.written).padStart(16)
      ].join(""))
      for (const verdict of verdicts(row)) {
        console.error(`${row.phase}: ${verdict}`)
        process.exitCode = 1
      }
    }
    console.log(`              peak RSS so far ${number(process.resourceUsage().maxRSS / 1024)} MiB`)
  }
}
