/**
 * The three ways in which `mem chunk` prints: a table for a person and JSON lines for a pipe, both as the chunks come,
 * and one JSON document, which has to wait for the last.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ChunkedDocument, ChunkedFile, ChunkReport, ChunkSummary } from "../domain/ChunkReport.ts"
import { Passage } from "../domain/Passage.ts"
import * as Table from "./ChunkTable.ts"
import { Output, type OutputFailure } from "./Output.ts"
import * as PassageTable from "./PassageTable.ts"

/**
 * A file of Records on its way through: its chunks, and how many lines of it were skipped once they are through.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChunkingFile<E> {
  readonly file: string
  readonly chunks: Stream.Stream<ChunkSummary, E>
  readonly badLines: Effect.Effect<{ readonly bad_lines?: number }>
}

/**
 * A document with its Passages; `top` is where the embedded part of it begins.
 *
 * @since 0.1.0
 * @category models
 */
export interface CutDocument {
  readonly file: string
  readonly passages: ReadonlyArray<Passage>
  readonly top: number
}

/**
 * `records` and `document` print one file, `end` what comes after the last.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChunkPrinter {
  readonly records: <E>(file: ChunkingFile<E>) => Effect.Effect<void, E | OutputFailure, Output>
  readonly document: (document: CutDocument) => Effect.Effect<void, OutputFailure, Output>
  readonly end: Effect.Effect<void, OutputFailure, Output>
}

/**
 * What the printed figures were made with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Made {
  readonly max_tokens: number
  readonly counter: string
}

const write = (text: string) => Effect.flatMap(Output, (output) => output.write(text))

const forEachBatch = <E, E2, R>(
  chunks: Stream.Stream<ChunkSummary, E>,
  print: (batch: ReadonlyArray<ChunkSummary>) => Effect.Effect<void, E2, R>
) =>
  Stream.runForEachChunk(
    chunks,
    (batch) => Chunk.isEmpty(batch) ? Effect.void : print(Chunk.toReadonlyArray(batch))
  )

const encodePassage = Schema.encodeSync(Schema.parseJson(Passage))
const encodeSummary = Schema.encodeSync(Schema.parseJson(ChunkSummary))
const encodeReport = Schema.encodeSync(Schema.parseJson(ChunkReport))

/**
 * One JSON object a chunk or passage.
 *
 * @since 0.1.0
 * @category constructors
 */
export const jsonl: ChunkPrinter = {
  records: ({ chunks }) =>
    forEachBatch(chunks, (batch) => write(batch.map((summary) => `${encodeSummary(summary)}\n`).join(""))),
  document: ({ passages }) =>
    Effect.forEach(passages, (passage) => write(`${encodePassage(passage)}\n`), { discard: true }),
  end: Effect.void
}

/** A blank line before every table but the first. */
const parting = (tables: Ref.Ref<number>): Effect.Effect<string> =>
  Effect.map(Ref.getAndUpdate(tables, (n) => n + 1), (before) => before === 0 ? "" : "\n")

/**
 * A table for each file.
 *
 * @since 0.1.0
 * @category constructors
 */
export const table = (made: Made): Effect.Effect<ChunkPrinter> =>
  Effect.map(Ref.make(0), (tables) => ({
    records: ({ chunks, file }) =>
      Effect.gen(function*() {
        const seen = yield* Ref.make(Table.nothing)
        // A file that cannot be read gets no table: its head waits for the first chunk, or for the end.
        const head = Effect.map(parting(tables), (blank) => blank + Table.header(file))
        const print = (totals: Table.Totals, below: string) =>
          totals.chunks === 0 ? Effect.flatMap(head, (head) => write(head + below)) : write(below)
        yield* forEachBatch(chunks, (batch) =>
          Effect.flatMap(
            Ref.getAndUpdate(seen, (totals) => batch.reduce(Table.add, totals)),
            (before) => print(before, batch.map(Table.row).join(""))
          ))
        const totals = yield* Ref.get(seen)
        yield* print(totals, Table.footer(totals, made))
      }),
    document: ({ file, passages, top }) =>
      Effect.flatMap(parting(tables), (blank) =>
        write([
          blank,
          PassageTable.header(file),
          ...passages.map((passage) => PassageTable.row(passage, top)),
          PassageTable.footer(passages, made)
        ].join(""))),
    end: Effect.void
  }))

/**
 * One JSON document.
 *
 * @since 0.1.0
 * @category constructors
 */
export const json = (made: Made): Effect.Effect<ChunkPrinter> =>
  Effect.map(Ref.make<ReadonlyArray<ChunkedDocument | ChunkedFile>>([]), (files) => ({
    records: ({ badLines, chunks, file }) =>
      Effect.gen(function*() {
        const all = Chunk.toReadonlyArray(yield* Stream.runCollect(chunks))
        const done = new ChunkedFile({ file, chunks: all, ...yield* badLines })
        yield* Ref.update(files, (before) => [...before, done])
      }),
    document: ({ file, passages }) =>
      Ref.update(files, (before) => [...before, new ChunkedDocument({ file, passages })]),
    end: Effect.flatMap(
      Ref.get(files),
      (files) => write(`${encodeReport(new ChunkReport({ command: "chunk", ok: true, ...made, files }))}\n`)
    )
  }))
