import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { make } from "../../src/tokens/WordPiece.ts"

const pieces = [
  "[UNK]",
  "[CLS]",
  "un",
  "unaff",
  "##aff",
  "##able",
  "affable",
  "a",
  "##b",
  "cafe",
  "é",
  "漢",
  "字",
  ".",
  "[",
  "]",
  "cl",
  "##s",
  "#",
  "1",
  "##2",
  "i",
  "ss"
]
const vocabulary = { ids: new Map(pieces.map((piece, id) => [piece, id])), unknown: 0, maxWord: 12 }
const { count, encode } = make(vocabulary)
const spelled = (text: string) => encode(text).map((id) => pieces[id])

describe("WordPiece", () => {
  it("takes the longest piece that fits, again and again", () => {
    assert.deepStrictEqual(spelled("unaffable affable"), ["unaff", "##able", "affable"])
    assert.deepStrictEqual(spelled("ab"), ["a", "##b"])
  })

  it("does not go back: a longest piece that leads nowhere makes the whole word unknown", () => {
    assert.deepStrictEqual(spelled("unaff affaff unaffx un"), ["unaff", "[UNK]", "[UNK]", "un"])
  })

  it("spells words in lower case, without accents", () =>
    assert.deepStrictEqual(spelled("CAFÉ cafe\u0301 İ"), ["cafe", "cafe", "i"]))

  it("takes each punctuation mark and each ideograph alone", () =>
    assert.deepStrictEqual(spelled("a..漢字a"), ["a", ".", ".", "漢", "字", "a"]))

  it("reads no special token out of a text", () =>
    assert.deepStrictEqual(spelled("[CLS] ##s"), ["[", "cl", "##s", "]", "#", "#", "[UNK]"]))

  it("drops control and format characters, which part no word", () =>
    assert.deepStrictEqual(spelled("un\0\u0007aff\u200b\ufeff\fable\ud800 \u00a0a\u3000a\u2028a\r\n"), [
      "unaff",
      "##able",
      "a",
      "a",
      "a"
    ]))

  it("takes a word of too many code points for unknown, whatever its spelling", () => {
    assert.deepStrictEqual(spelled(`a${"b".repeat(11)}`), ["a", ...Array<string>(11).fill("##b")])
    assert.deepStrictEqual(spelled(`a${"b".repeat(12)}`), ["[UNK]"])
    assert.deepStrictEqual(spelled("𝒳".repeat(12)), ["[UNK]"])
  })

  it.prop(
    "counts what it encodes",
    [FastCheck.oneof(FastCheck.string16bits(), FastCheck.fullUnicodeString())],
    ([text]) => assert.strictEqual(count(text), encode(text).length)
  )

  it.prop(
    "cuts two texts with a blank between them as it cuts each",
    [FastCheck.fullUnicodeString(), FastCheck.fullUnicodeString()],
    ([a, b]) => assert.deepStrictEqual(encode(`${a} ${b}`), [...encode(a), ...encode(b)])
  )

  it("takes time in proportion to the text, whatever is in it", () => {
    const hostile = [
      "a",
      "ab",
      "a ",
      "[",
      "é",
      "漢",
      "\u200b",
      "\u0301\u0323",
      "\u{1d165}\u302e",
      "Σ'",
      "\ud800"
    ]
    const time = (text: string) => {
      const start = performance.now()
      count(text)
      return performance.now() - start
    }
    // The quickest of several: a machine with other work makes single ones slow.
    const best = (text: string) => Math.min(...Array.from({ length: 5 }, () => time(text)))
    for (const part of hostile) {
      const [short, long] = [1_000, 32_000].map((n) => best(`x${part.repeat(n)}`))
      // A square would make it a thousand times as much.
      assert.isBelow((long ?? 0) / Math.max(short ?? 0, 0.05), 200, JSON.stringify(part))
    }
  })
})
