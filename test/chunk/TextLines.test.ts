import { assert, describe, it } from "@effect/vitest"
import { firstInk, lastInk, lineRange, lineStarts, lowerBound, withoutBlankEdges } from "../../src/chunk/TextLines.ts"
import { documents } from "./DocumentLaws.ts"

const trimmed = (text: string): string => text.slice(...withoutBlankEdges(text, 0, text.length))

describe("lineStarts", () => {
  it("CRLF, LF and a lone CR end a line, once each", () => {
    assert.deepStrictEqual(lineStarts("a\r\nb\nc\rd"), [0, 3, 5, 7])
    assert.deepStrictEqual(lineStarts("\r\r\n\n\r"), [0, 1, 3, 4])
  })

  it("nothing else ends one", () => {
    assert.deepStrictEqual(lineStarts("a\u0085b\u2028c\u2029d\u000Be\u000Cf"), [0])
  })

  it("a line end at the end begins no line, and no text is one line", () => {
    assert.deepStrictEqual(lineStarts("a\n"), [0])
    assert.deepStrictEqual(lineStarts(""), [0])
  })

  it.prop("gives each line its text, as a split does", [documents], ([text]) => {
    const starts = lineStarts(text)
    const lines = starts.map((start, i) => text.slice(start, starts[i + 1]))
    assert.strictEqual(lines.join(""), text)
    const split = text.split(/\r\n|\r|\n/)
    if (split.length > 1 && split.at(-1) === "") split.pop()
    assert.deepStrictEqual(lines.map((line) => line.replace(/\r?\n$|\r$/, "")), split)
  })
})

describe("lineRange", () => {
  it("is 1-based, with both ends inside; a line end belongs to its line", () => {
    const starts = lineStarts("ab\r\ncd\nef")
    assert.deepStrictEqual(lineRange(starts, 0, 4), [1, 1])
    assert.deepStrictEqual(lineRange(starts, 0, 5), [1, 2])
    assert.deepStrictEqual(lineRange(starts, 4, 7), [2, 2])
    assert.deepStrictEqual(lineRange(starts, 5, 9), [2, 3])
  })
})

describe("withoutBlankEdges", () => {
  it("drops outer blank lines and the last line end, and nothing of the lines between", () => {
    assert.strictEqual(trimmed(" \t\n\r\n  a \n\n\tb  \r\n \n"), "  a \n\n\tb  ")
    assert.strictEqual(trimmed("a\n  "), "a")
    assert.strictEqual(trimmed("  a  "), "  a  ")
    assert.strictEqual(trimmed("\u00A0\n"), "\u00A0")
    assert.strictEqual(trimmed(" \r\n\t"), "")
    assert.strictEqual(trimmed(""), "")
  })

  it("looks at its span alone", () => {
    assert.deepStrictEqual(withoutBlankEdges("x\n\na\n\ny", 1, 6), [3, 4])
    assert.deepStrictEqual(withoutBlankEdges("x  a", 2, 4), [2, 4])
  })
})

describe("offsets", () => {
  it("ink is what is not space, tab or line end", () => {
    assert.strictEqual(firstInk(" \t\r\nab ", 0, 7), 4)
    assert.strictEqual(lastInk(" \t\r\nab ", 0, 7), 5)
    assert.strictEqual(firstInk("  ", 0, 2), 2)
    assert.strictEqual(lastInk("  ", 1, 2), 0)
  })

  it("lowerBound finds the first at or behind", () => {
    assert.deepStrictEqual([0, 3, 4, 9, 10].map((offset) => lowerBound([3, 5, 9], offset)), [0, 0, 1, 2, 3])
    assert.strictEqual(lowerBound([], 1), 0)
  })
})
