/**
 * How files would be chunked: the report of `mem chunk`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { Chunk } from "./Chunk.ts"
import { RecordKey } from "./Ids.ts"
import { Count, Positive } from "./Numbers.ts"
import { Passage } from "./Passage.ts"

/**
 * A Chunk without its text, and one line of `mem chunk --jsonl`.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ChunkSummary extends Schema.Class<ChunkSummary>("mem/ChunkSummary")({
  t: Positive,
  tokens: Count,
  over_budget: Schema.Boolean,
  record_keys: Schema.Array(RecordKey)
}) {
  /** What the report says of this Chunk. */
  static readonly of = ({ over_budget, records, t, tokens }: Chunk): ChunkSummary =>
    new ChunkSummary({ t, tokens, over_budget, record_keys: records.map(({ key }) => key) }, {
      disableValidation: true
    })
}

/**
 * One file, a session of its own: its chunks count from 1. `bad_lines` is there under `--skip-bad`.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ChunkedFile extends Schema.Class<ChunkedFile>("mem/ChunkedFile")({
  file: Schema.String,
  bad_lines: Schema.optional(Count),
  chunks: Schema.Array(ChunkSummary)
}) {}

/**
 * One document, with its passages and their text.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ChunkedDocument extends Schema.Class<ChunkedDocument>("mem/ChunkedDocument")({
  file: Schema.String,
  passages: Schema.Array(Passage)
}) {}

/**
 * The one JSON document of `mem chunk --json`.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ChunkReport extends Schema.Class<ChunkReport>("mem/ChunkReport")({
  command: Schema.Literal("chunk"),
  ok: Schema.Boolean,
  max_tokens: Positive,
  counter: Schema.String,
  files: Schema.Array(Schema.Union(ChunkedFile, ChunkedDocument))
}) {}
