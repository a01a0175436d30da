import { assert, describe, it } from "@effect/vitest"
import { matcher } from "../../src/text/Glob.ts"

describe("Glob", () => {
  it("keeps * within a folder, and lets ** go through them", () => {
    const matched = (pattern: string) => ["a.md", "x/a.md", "x/y/a.md"].map(matcher([pattern]))
    assert.deepStrictEqual(matched("*.md"), [true, false, false])
    assert.deepStrictEqual(matched("x/*"), [false, true, false])
    assert.deepStrictEqual(matched("**/*.md"), [true, true, true])
  })

  it("takes every character of a name as it is", () => {
    for (const path of ["x\ny/a.md", "a\r.md", "\u2028/é\n😀/.a.md", "(a)/[b]!.md", "a#?%20\"'.md"]) {
      assert.isTrue(matcher(["**/*.md"])(path), JSON.stringify(path))
    }
    assert.isFalse(matcher(["**/*.md"])("A.MD"))
    assert.isTrue(matcher(["!a(b).md"])("!a(b).md"))
  })

  it("matches nothing without a pattern", () => {
    assert.isFalse(matcher([])("a.md"))
  })
})
