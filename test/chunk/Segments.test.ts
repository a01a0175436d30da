import { assert, describe, it } from "@effect/vitest"
import { clusterStarts, sentenceStarts, wordStarts } from "../../src/chunk/Segments.ts"
import { documents } from "./DocumentLaws.ts"

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

const expected = (text: string): ReadonlyArray<number> =>
  [...graphemes.segment(text)].map(({ index }) => index).filter((index) => index > 0)

const pieces = (text: string, starts: ReadonlyArray<number>): ReadonlyArray<string> =>
  [0, ...starts].map((start, i) => text.slice(start, starts[i]))

describe("clusterStarts", () => {
  it.prop("agrees with the segmenter on the whole text", [documents], ([text]) => {
    assert.deepStrictEqual(clusterStarts(text, 0, text.length), expected(text))
  })

  it("the characters it takes for plain join neither a letter nor themselves", () => {
    for (const [first, last] of [[0, 0x3100], [0x4e00, 0x4e10], [0x9ff0, 0xa010], [0xff00, 0x10000]] as const) {
      for (let unit = first; unit < last; unit += 1) {
        const c = String.fromCharCode(unit)
        const text = `a${c}${c}a`
        assert.deepStrictEqual(clusterStarts(text, 0, 4), expected(text), `U+${unit.toString(16)}`)
      }
    }
  })

  for (
    const [name, cluster] of [
      ["family", "\uD83D\uDC69\u200D\uD83D\uDC67\u200D\uD83D\uDC66"],
      ["flag", "\uD83C\uDDE9\uD83C\uDDEA"],
      ["skin tone", "\uD83D\uDC4D\uD83C\uDFFD"],
      ["accent", "e\u0301"]
    ] as const
  ) {
    it(`a window's edge splits no ${name}`, () => {
      for (let shift = 0; shift < cluster.length; shift += 1) {
        const text = "x".repeat(shift) + cluster.repeat(3000)
        const starts = clusterStarts(text, 0, text.length)
        assert.strictEqual(starts.length, shift + 2999)
        assert.isTrue(starts.every((start) => start <= shift || (start - shift) % cluster.length === 0))
      }
    })
  }

  it("a cluster longer than a window is one", () => {
    const text = `ab${"\u0301".repeat(20_000)}cd`
    assert.deepStrictEqual(clusterStarts(text, 0, text.length), [1, 20_002, 20_003])
  })

  it("an end inside a pair makes no start", () => {
    const text = "\uD83D\uDC4D\uD83C\uDFFD"
    assert.deepStrictEqual(clusterStarts(text, 0, 3), [])
  })
})

describe("sentenceStarts", () => {
  it("ends a sentence behind its spaces, in any script", () => {
    const text = "One is 3.14. Two? \u4F60\u597D\u3002\u4E16\u754C\uFF01Three"
    assert.deepStrictEqual(pieces(text, sentenceStarts(text, 0, text.length)), [
      "One is 3.14. ",
      "Two? ",
      "\u4F60\u597D\u3002",
      "\u4E16\u754C\uFF01",
      "Three"
    ])
  })

  it("reads on behind its range", () => {
    assert.deepStrictEqual(sentenceStarts("see e.g. (this) one", 0, 10), [])
  })

  it("finds those of every window", () => {
    const text = "It ends here. ".repeat(2000)
    assert.deepStrictEqual(
      sentenceStarts(text, 0, text.length),
      Array.from({ length: 1999 }, (_, i) => (i + 1) * 14)
    )
  })
})

describe("wordStarts", () => {
  it("cuts behind spaces, never before punctuation or behind what opens", () => {
    const text = "Don't  stop, (now)\tfoo/bar end."
    assert.deepStrictEqual(pieces(text, wordStarts(text, 0, text.length)), [
      "Don't  ",
      "stop, ",
      "(now)\t",
      "foo/bar ",
      "end."
    ])
  })

  it("cuts between words that no space parts, but not at a no-break space", () => {
    const text = "\u6211\u4EEC\u559C\u6B22"
    assert.deepStrictEqual(pieces(text, wordStarts(text, 0, text.length)), ["\u6211\u4EEC", "\u559C\u6B22"])
    assert.deepStrictEqual(wordStarts("10\u00A0km", 0, 5), [])
  })
})
