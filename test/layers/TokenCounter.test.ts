import { assert, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as CharsOverFour from "../../layers/TokenCounter/CharsOverFour.ts"
import { contract } from "../contracts/TokenCounter.ts"

contract("CharsOverFour", CharsOverFour.layer)

it.prop("CharsOverFour never counts less when text is added, and adds at most one for each seam", [
  FastCheck.string16bits(),
  FastCheck.string16bits()
], ([a, b]) => {
  const { count } = CharsOverFour.make
  assert.isAtLeast(count(a + b), count(a))
  assert.isAtLeast(count(a + b), count(a) + count(b) - 1)
  assert.isAtMost(count(a + b), count(a) + count(b))
})

it("CharsOverFour counts UTF-16 units", () => {
  assert.deepStrictEqual(["a", "abcd", "abcde", "😀😀", "漢"].map(CharsOverFour.make.count), [1, 1, 2, 1, 1])
})
