/**
 * How a stream of Records is cut into Chunks, and the one place where a policy that makes no sense is refused.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Boundary } from "./Boundary.ts"
import { FlushTrigger, OrIdle, Silence, Tokens } from "./FlushTrigger.ts"
import { Positive } from "./Numbers.ts"

/**
 * A budget that no Chunk could keep, or a silence that never begins or never ends.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidChunkPolicy extends Schema.TaggedError<InvalidChunkPolicy>("mem/InvalidChunkPolicy")(
  "InvalidChunkPolicy",
  { option: Schema.Literal("max_tokens", "flush_tokens", "idle"), given: Schema.String }
) {
  override get message(): string {
    return `${this.option} is ${this.given}: ${
      this.option === "idle"
        ? "choose a time of a millisecond or more that comes to an end, such as \"10 seconds\""
        : `a token budget is a whole number from 1 to ${Number.MAX_SAFE_INTEGER} (the default is ${ChunkPolicy.default.max_tokens})`
    }`
  }
}

/**
 * What {@link ChunkPolicy.from} is told: a budget, and at most one trigger that closes a Chunk earlier.
 *
 * @since 0.1.0
 * @category models
 */
export type ChunkPolicyOptions =
  & {
    /** Most tokens of a Chunk, unless a single Record holds more. Default 5000. */
    readonly max_tokens?: number
  }
  & ({
    /** Closes a Chunk earlier than `max_tokens` does. Default `max_tokens`. */
    readonly flush_tokens?: number
    readonly idle?: never
  } | {
    /** Closes a Chunk that no Record was added to for so long. */
    readonly idle: Duration.DurationInput
    readonly flush_tokens?: never
  })

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
  static readonly from = (options: ChunkPolicyOptions): Either.Either<ChunkPolicy, InvalidChunkPolicy> =>
    Either.gen(function*() {
      const max_tokens = yield* budget("max_tokens", options.max_tokens ?? ChunkPolicy.default.max_tokens)
      const flush = options.idle === undefined
        ? new Tokens({ n: yield* budget("flush_tokens", options.flush_tokens ?? max_tokens) })
        : new OrIdle({ idle: yield* silence(options.idle) })
      return new ChunkPolicy({ max_tokens, split_on: "Record", flush })
    })
}

const budget = (option: "max_tokens" | "flush_tokens", n: number): Either.Either<number, InvalidChunkPolicy> =>
  Schema.is(Positive)(n) ? Either.right(n) : Either.left(new InvalidChunkPolicy({ option, given: String(n) }))

const silence = (given: Duration.DurationInput): Either.Either<Duration.Duration, InvalidChunkPolicy> =>
  Either.fromOption(
    // As milliseconds, however it was given: equal policies are equal.
    Duration.decodeUnknown(given).pipe(
      Option.map((idle) => Duration.millis(Duration.toMillis(idle))),
      Option.filter(Schema.is(Schema.typeSchema(Silence)))
    ),
    () => new InvalidChunkPolicy({ option: "idle", given: String(given) })
  )
