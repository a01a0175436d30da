/**
 * How a stream of Records is cut into Chunks, and the one place where a policy that makes no sense is refused.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Boundary } from "./Boundary.ts"
import { FlushTrigger, Tokens } from "./FlushTrigger.ts"
import { Positive } from "./Numbers.ts"

/**
 * A budget that no Chunk could keep.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidChunkPolicy extends Schema.TaggedError<InvalidChunkPolicy>("mem/InvalidChunkPolicy")(
  "InvalidChunkPolicy",
  { option: Schema.Literal("max_tokens", "flush_tokens"), given: Schema.String }
) {
  override get message(): string {
    return `${this.option} is ${this.given}: a token budget is a whole number from 1 to ${Number.MAX_SAFE_INTEGER} (the default is ${ChunkPolicy.default.max_tokens})`
  }
}

/**
 * A Chunk holds at most `max_tokens`, ends at a `split_on` boundary, and is closed by `flush`. Values come from
 * {@link ChunkPolicy.from}, from {@link ChunkPolicy.default}, or from decoding; the constructor is for constants and
 * throws like that of any Schema class.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ChunkPolicy extends Schema.Class<ChunkPolicy>("mem/ChunkPolicy")({
  max_tokens: Positive,
  split_on: Boundary,
  flush: FlushTrigger
}) {
  /** 5000 tokens, the chunk size of the GRU-Mem paper. */
  static readonly default = new ChunkPolicy({ max_tokens: 5000, split_on: "Record", flush: new Tokens({ n: 5000 }) })

  /** A policy with this budget, or the reason why there can be none. */
  static readonly from = (options: {
    /** Most tokens of a Chunk, unless a single Record holds more. Default 5000. */
    readonly max_tokens?: number
    /** Closes a Chunk earlier than `max_tokens` does. Default `max_tokens`. */
    readonly flush_tokens?: number
  }): Either.Either<ChunkPolicy, InvalidChunkPolicy> =>
    Either.gen(function*() {
      const max_tokens = yield* budget("max_tokens", options.max_tokens ?? ChunkPolicy.default.max_tokens)
      const n = yield* budget("flush_tokens", options.flush_tokens ?? max_tokens)
      return new ChunkPolicy({ max_tokens, split_on: "Record", flush: new Tokens({ n }) })
    })
}

const budget = (option: "max_tokens" | "flush_tokens", n: number): Either.Either<number, InvalidChunkPolicy> =>
  Schema.is(Positive)(n) ? Either.right(n) : Either.left(new InvalidChunkPolicy({ option, given: String(n) }))
