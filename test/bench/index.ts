/**
 * The search index over 20,000 passages of 384 dimensions: how fast it folds the log and answers, against the fold in
 * memory, against the bare writing of the same rows, and against comparing all vectors by hand.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Memory from "../../layers/Projection/Memory.ts"
import * as Sqlite from "../../layers/Projection/Sqlite.ts"
import { photostructure } from "../../layers/Projection/Sqlite/Database.ts"
import { type LocatedRecord, LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { Projection } from "../../services/Projection.ts"
import { Search, type SearchQuery } from "../../services/Search.ts"
import {
  ChunkId,
  ConnectorName,
  DocId,
  EmbedderFingerprint,
  Fingerprint,
  Sha256,
  SourceUri,
  Timestamp
} from "../../src/domain/Ids.ts"
import { LogDamaged } from "../../src/domain/LogErrors.ts"
import type { LogEntry, LogRecord } from "../../src/domain/LogRecord.ts"
import { Reference, Vector } from "../../src/domain/Reference.ts"
import * as Compose from "../../src/log/Compose.ts"
import { encode } from "../../src/log/Float32.ts"
import { catchUp } from "../../src/sync/CatchUp.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"
import { alternate, type Contestant } from "./alternate.ts"

const dims = 384
const passagesOfADocument = 10

/** The same numbers in every run. */
const random = (() => {
  let state = 1
  return (): number => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0
    return (state >>> 0) / 2 ** 32
  }
})()

const unit = (): Float32Array => {
  const values = Float32Array.from({ length: dims }, () => random() - 0.5)
  const length = Math.hypot(...values)
  return values.map((value) => value / length)
}

const vocabulary = Array.from({ length: 5000 }, (_, i) => `w${(i * 7919).toString(36)}`)
/** Few words are frequent. */
const word = (): string => vocabulary[Math.floor(random() ** 2 * vocabulary.length)] ?? ""
const text = (): string => Array.from({ length: 100 }, word).join(" ")

const sha256 = (of: string): string => createHash("sha256").update(of).digest("hex")
const connector = ConnectorName.make("bench")
const model = EmbedderFingerprint.make("bench/384")
const at = Timestamp.make("2026-11-29T20:00:00.000Z")

interface Row {
  readonly text: string
  readonly vector: Float32Array
}

const groupOf = (document: number, rows: ReadonlyArray<Row>) => {
  const doc_id = DocId.make(`${document % 100}/${document}.md`)
  const entries = rows.flatMap(({ text, vector }, ordinal): ReadonlyArray<LogEntry> => {
    const embed_sha256 = Sha256.make(sha256(text))
    return [
      { kind: "vector", body: new Vector({ embed_sha256, model, dims, data: encode(vector) }) },
      {
        kind: "reference",
        body: new Reference({
          level: "R",
          connector,
          doc_id,
          chunk_id: ChunkId.make(sha256(`${document} ${ordinal}`).slice(0, 32)),
          ordinal,
          text,
          context: "",
          heading_path: [],
          lines: [1, 1],
          start: 0,
          end: text.length,
          tokens: 100,
          over_budget: false,
          embed_sha256
        })
      }
    ]
  })
  return {
    entries,
    commit: {
      connector,
      doc_id,
      source_uri: SourceUri.make(`bench:${document}`),
      content_hash: Fingerprint.make(`sha256:${sha256(`${document}`)}`),
      pipeline: Fingerprint.make(`sha256:${sha256("")}`),
      embedder: model,
      chunk_count: rows.length,
      synced_at: at
    }
  }
}

const makeLog = (rows: ReadonlyArray<Row>): ReadonlyArray<LocatedRecord> => {
  const records: Array<LogRecord> = []
  for (let i = 0; i < rows.length; i += passagesOfADocument) {
    records.push(
      ...Compose.group(groupOf(i / passagesOfADocument, rows.slice(i, i + passagesOfADocument)), {
        seq: records.length + 1,
        at,
        durable_to: 0
      })
    )
  }
  return records.map((record, i) => ({ record, position: { segment: 1, offset: i }, length: 1 }))
}

const logOf = (lines: ReadonlyArray<LocatedRecord>): Layer.Layer<LogReader | LogWriter> =>
  Layer.merge(
    Layer.succeed(LogReader, {
      // Some 300 lines are what a reader of files hands over at a time.
      records: (from) => Stream.fromIterable(lines.slice(from?.offset ?? 0)).pipe(Stream.rechunk(300)),
      at: ({ offset }) =>
        Effect.mapBoth(Effect.fromNullable(lines[offset]), {
          onFailure: () => new LogDamaged({ path: "bench", offset, detail: "no line" }),
          onSuccess: ({ record }) => record
        }),
      last: Effect.succeed(Option.fromNullable(lines.at(-1))),
      inspect: Stream.empty,
      segments: Effect.succeed([])
    }),
    Layer.succeed(LogWriter, { append: () => Effect.succeed([]), appendAlone: () => Effect.void })
  )

const bare = async (path: string, rows: ReadonlyArray<Row>): Promise<void> => {
  rmSync(path, { force: true })
  const database = (await Effect.runPromise(photostructure())).open(path, "write")
  database.exec(`pragma synchronous = normal; create table row(id integer primary key, text blob);
    create virtual table words using fts5(text, content='', tokenize='porter unicode61');
    create virtual table vectors using vec0(embedding float[${dims}] distance_metric=cosine, chunk_size=256); begin`)
  for (const [i, { text, vector }] of rows.entries()) {
    database.run("insert into row(id, text) values (?, ?)", i + 1, Buffer.from(text))
    database.run("insert into words(rowid, text) values (?, ?)", i + 1, text)
    database.run("insert into vectors(rowid, embedding) values (?, ?)", BigInt(i + 1), new Uint8Array(vector.buffer))
  }
  database.exec("commit")
  database.close()
}

const byHand = (query: Float32Array, rows: ReadonlyArray<Row>, k: number): ReadonlyArray<number> =>
  rows.map(({ vector }, i) => {
    let dot = 0
    for (let d = 0; d < dims; d++) dot += (query[d] ?? 0) * (vector[d] ?? 0)
    return { i, dot }
  }).sort((a, b) => b.dot - a.dot).slice(0, k).map(({ i }) => i)

const show = async (title: string, contestants: ReadonlyArray<Contestant>, rounds: number): Promise<void> => {
  console.log(title)
  for (const { median, name, ratio } of await alternate(contestants, { rounds, warmUp: 1 })) {
    console.log(`  ${name.padEnd(44)}${median.toFixed(1).padStart(10)} ms${ratio.toFixed(2).padStart(9)}x`)
  }
}

const program = (size: number) =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const rows = Array.from({ length: size }, () => ({ text: text(), vector: unit() }))
    const log = logOf(makeLog(rows))
    const path = join(home, "projection", "index.sqlite")
    const inFile = <A, E>(program: Effect.Effect<A, E, Projection | Search | LogReader | LogWriter>) =>
      Effect.provide(program, Layer.provideMerge(Sqlite.layer({ home }), log))
    const fold = inFile(catchUp)
    const fresh = Effect.zipRight(Effect.sync(() => rmSync(path, { force: true })), fold)
    yield* Effect.promise(() =>
      show(`fold of ${size} passages`, [
        {
          name: "in memory, without search",
          run: () => Effect.runPromise(Effect.provide(catchUp, Layer.provideMerge(Memory.layer, log)))
        },
        { name: "bare rows, one transaction", run: () => bare(join(home, "bare.sqlite"), rows) },
        { name: "into the index", run: () => Effect.runPromise(fresh) },
        {
          name: "into the index, cleared before",
          run: () =>
            Effect.runPromise(inFile(Effect.zipRight(Effect.flatMap(Projection, ({ clear }) => clear), catchUp)))
        },
        { name: "nothing new", run: () => Effect.runPromise(fold) }
      ], 3)
    )
    console.log(`  the file has ${(statSync(path).size / 2 ** 20).toFixed(1)} MiB`)

    yield* inFile(Effect.gen(function*() {
      const { search } = yield* Search
      const ask = (query: Partial<SearchQuery>) => () =>
        Effect.runPromise(search({
          text: [word(), word(), word()].join(" "),
          mode: "hybrid",
          k: 10,
          vector: { values: unit(), fingerprint: model },
          ...query
        }))
      yield* Effect.promise(() =>
        show("a question", [
          { name: "all vectors by hand, in memory already", run: async () => byHand(unit(), rows, 10) },
          { name: "vector", run: ask({ mode: "vector" }) },
          { name: "keyword", run: ask({ mode: "keyword" }) },
          { name: "hybrid", run: ask({}) },
          { name: "hybrid, --path of a tenth", run: ask({ path: "?/**" }) },
          { name: "hybrid, k = 100", run: ask({ k: 100 }) }
        ], 15)
      )
    }))
  }).pipe(Effect.scoped)

export const index = (): Promise<void> => Effect.runPromise(program(20_000))
