/** The one door for a token budget that comes from a person or from another program. */
import { assert, describe, it } from "@effect/vitest"
import { Either, Equal, FastCheck, Schema } from "effect"
import { ChunkPolicy, InvalidChunkPolicy } from "../../src/domain/ChunkPolicy.ts"

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
    if (Either.isRight(made)) assert.deepStrictEqual([made.right.max_tokens, made.right.flush.n], [100, n])
    else {
      assert.strictEqual(made.left.option, "flush_tokens")
      assert.include(made.left.message, "flush_tokens")
      assert.include(made.left.message, String(n))
    }
  })

  it("flushes at the budget where nothing else is said", () => {
    const made = Either.getOrThrow(ChunkPolicy.from({ max_tokens: 7 }))
    assert.deepStrictEqual([made.max_tokens, made.split_on, made.flush._tag, made.flush.n], [7, "Record", "Tokens", 7])
  })

  it("without options is the policy of the paper: 5000 tokens, between Records", () => {
    const made = Either.getOrThrow(ChunkPolicy.from({}))
    assert.isTrue(Equal.equals(made, ChunkPolicy.default))
    assert.deepStrictEqual([made.max_tokens, made.split_on, made.flush.n], [5000, "Record", 5000])
  })

  it("says what would do instead", () => {
    assert.match(told(ChunkPolicy.from({ max_tokens: 0 })), /^max_tokens is 0: .*whole number from 1 to .*5000/)
    assert.match(told(ChunkPolicy.from({ max_tokens: Number.NaN })), /^max_tokens is NaN: /)
  })

  it("blames the budget before the flush", () => {
    assert.include(told(ChunkPolicy.from({ max_tokens: -1, flush_tokens: -2 })), "max_tokens is -1")
  })
})
