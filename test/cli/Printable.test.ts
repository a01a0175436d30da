import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { beginning, ending, printable, shortened } from "../../src/cli/Printable.ts"

const acts = /[\p{Cc}\p{Bidi_Control}]/u
const controls = FastCheck.oneof(
  FastCheck.integer({ min: 0, max: 0x1f }),
  FastCheck.integer({ min: 0x7f, max: 0x9f }),
  FastCheck.constantFrom(0x061c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069)
).map((code) => String.fromCharCode(code))
const texts = FastCheck.array(FastCheck.oneof(controls, FastCheck.fullUnicode(), FastCheck.constant("a"))).map((all) =>
  all.join("")
)

describe("printable", () => {
  it("writes a control character as its escape", () => {
    assert.strictEqual(
      printable("a\u001b[31mb\r\n\u0000\u007f\u009b"),
      "a\\u001b[31mb\\u000d\\u000a\\u0000\\u007f\\u009b"
    )
    assert.strictEqual(printable("gpj.\u202eexe"), "gpj.\\u202eexe")
  })

  it("leaves the rest alone", () => {
    assert.strictEqual(printable("ä 日本 🐑 \\ \" ~"), "ä 日本 🐑 \\ \" ~")
    assert.strictEqual(printable(""), "")
  })

  it.prop("lets nothing out that acts on a terminal", [texts], ([text]) => {
    assert.notMatch(printable(text), acts)
  })

  it.prop("changes nothing else", [texts], ([text]) => {
    const kept = Array.from(text).filter((character) => !acts.test(character)).join("")
    assert.strictEqual(printable(kept), kept)
  })
})

describe("shortened", () => {
  it("cuts the middle out", () => {
    assert.strictEqual(shortened("0123456789", 10), "0123456789")
    assert.strictEqual(shortened("0123456789", 9), "0123…6789")
    assert.strictEqual(shortened("0123456789", 8), "0123…789")
  })

  it("does not cut a character in two", () => {
    assert.strictEqual(shortened("🐑🐑🐑🐑🐑", 5), "🐑🐑🐑🐑🐑")
    assert.strictEqual(shortened("🐑🐑🐑🐑🐑", 3), "🐑…🐑")
  })

  it.prop(
    "is never wider, and lets nothing out that acts on a terminal",
    [texts, FastCheck.integer({ min: 1, max: 30 })],
    ([text, width]) => {
      const short = shortened(text, width)
      assert.notMatch(short, acts)
      assert.isAtMost(Array.from(short).length, width)
      if (Array.from(printable(text)).length <= width) assert.strictEqual(short, printable(text))
    }
  )
})

describe("beginning and ending", () => {
  it("keep one edge of a text, in a line", () => {
    assert.strictEqual(beginning("\n  one\t two\r\nthree", 20), "one two three")
    assert.strictEqual(beginning("one two three", 8), "one two…")
    assert.strictEqual(ending("one two three", 8), "…o three")
    assert.strictEqual(ending("one", 3), "one")
    assert.strictEqual(beginning("", 8), "")
  })

  it.prop(
    "keep to their width and let nothing out",
    [texts, FastCheck.integer({ min: 2, max: 40 })],
    ([text, width]) => {
      for (const short of [beginning, ending]) {
        assert.isAtMost(Array.from(short(text, width)).length, width)
        assert.notMatch(short(text, width), acts)
      }
    }
  )
})
