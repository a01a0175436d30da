/** The one door for a token budget that comes from a person or from another program. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Either, Equal, FastCheck, Schema } from "effect"
import { ChunkPolicy, InvalidChunkPolicy } from "../../src/domain/ChunkPolicy.ts"
import { OrIdle, Tokens } from "../../src/domain/FlushTrigger.ts"

const numbers = FastCheck.oneof(
  FastCheck.double(),
  FastCheck.integer(),
  FastCheck.maxSafeInteger(),
  FastCheck.constantFrom(
    Number.NaN,
    Infinity,
    -Infinity,
    0,
    -0,
    0.5,
    1,
    1.5,
    -1,
    5000,
    Number.MIN_VALUE,
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER + 1,
    1e21,
    Number.MAX_VALUE
  )
)

// Above 2^53 - 1 a sum of tokens is no longer exact, so such a budget could not be kept.
const sensible = (n: number): boolean => n >= 1 && n <= Number.MAX_SAFE_INTEGER && Math.floor(n) === n

const told = (made: Either.Either<ChunkPolicy, InvalidChunkPolicy>): string =>
  Either.match(made, { onLeft: ({ message }) => message, onRight: () => "" })

describe("ChunkPolicy.from", () => {
  it.prop("takes whole numbers from 1 on, and nothing else", [numbers], ([n]) => {
    const made = ChunkPolicy.from({ max_tokens: n })
    assert.strictEqual(Either.isRight(made), sensible(n), String(n))
    if (Either.isRight(made)) {
      assert.strictEqual(made.right.max_tokens, n)
      assert.isTrue(Schema.is(ChunkPolicy)(made.right))
    } else {
      assert.instanceOf(made.left, InvalidChunkPolicy)
      assert.strictEqual(made.left.option, "max_tokens")
      assert.include(made.left.message, "max_tokens")
      assert.include(made.left.message, String(n))
    }
  })

  it.prop("holds the flush to the same rule", [numbers], ([n]) => {
    const made = ChunkPolicy.from({ max_tokens: 100, flush_tokens: n })
    assert.strictEqual(Either.isRight(made), sensible(n), String(n))
    if (Either.isRight(made)) {
      assert.deepStrictEqual([made.right.max_tokens, made.right.flush], [100, new Tokens({ n })])
    } else {
      assert.strictEqual(made.left.option, "flush_tokens")
      assert.include(made.left.message, "flush_tokens")
      assert.include(made.left.message, String(n))
    }
  })

  it("takes a silence that begins and ends, and nothing else", () => {
    const of = (idle: Duration.DurationInput) => ChunkPolicy.from({ max_tokens: 100, idle })
    for (const idle of ["10 seconds", 10_000, 10_000_000_000n, [10, 0], Duration.seconds(10)] as const) {
      const made = Either.map(of(idle), ({ flush }) => flush)
      assert.isTrue(Equal.equals(made, Either.right(new OrIdle({ idle: Duration.seconds(10) }))))
    }
    for (const idle of [0, -1, 0.4, Number.NaN, Infinity, Duration.infinity, Duration.zero]) {
      assert.match(told(of(idle)), /^idle is .*: choose a time of a millisecond or more/)
    }
    const policy = Either.getOrThrow(of("90 seconds"))
    const encoded = Schema.encodeSync(ChunkPolicy)(policy)
    assert.deepStrictEqual(encoded.flush, { _tag: "OrIdle", idle: 90_000 })
    assert.deepStrictEqual(Schema.decodeSync(ChunkPolicy)(encoded), policy)
  })

  it("flushes at the budget where nothing else is said", () => {
    const made = Either.getOrThrow(ChunkPolicy.from({ max_tokens: 7 }))
    assert.deepStrictEqual([made.max_tokens, made.split_on, made.flush], [7, "Record", new Tokens({ n: 7 })])
  })

  it("without options is the policy of the paper: 5000 tokens, between Records", () => {
    const made = Either.getOrThrow(ChunkPolicy.from({}))
    assert.isTrue(Equal.equals(made, ChunkPolicy.default))
    assert.deepStrictEqual([made.max_tokens, made.split_on, made.flush], [5000, "Record", new Tokens({ n: 5000 })])
  })

  it("says what would do instead", () => {
    assert.match(told(ChunkPolicy.from({ max_tokens: 0 })), /^max_tokens is 0: .*whole number from 1 to .*5000/)
    assert.match(told(ChunkPolicy.from({ max_tokens: Number.NaN })), /^max_tokens is NaN: /)
  })

  it("blames the budget before the flush", () => {
    assert.include(told(ChunkPolicy.from({ max_tokens: -1, flush_tokens: -2 })), "max_tokens is -1")
  })
})
