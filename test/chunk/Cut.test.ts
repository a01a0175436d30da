import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { cut } from "../../src/chunk/Cut.ts"
import type { DocumentBudget } from "../../src/chunk/DocumentChunker.ts"
import { embeddedSpan } from "../../src/chunk/EmbeddedText.ts"
import { measureOf } from "../../src/chunk/Measure.ts"
import { firstInk, lastInk, lineStarts } from "../../src/chunk/TextLines.ts"
import { budgetOf, budgets, documents, isBlank } from "./DocumentLaws.ts"

const cutText = (
  text: string,
  budget: DocumentBudget,
  seams: ReadonlyArray<ReadonlyArray<number>> = [lineStarts(text).slice(1)]
) => cut({ measure: measureOf(text, budget), start: 0, end: text.length, seams })

const texts = (text: string, budget: DocumentBudget, seams?: ReadonlyArray<ReadonlyArray<number>>) =>
  cutText(text, budget, seams).map(({ end, start }) => text.slice(start, end))

describe("cut", () => {
  it("packs lines, as many as fit", () => {
    assert.deepStrictEqual(texts("aaaa\nbbbb\ncccc\ndddd\n", budgetOf(3)), ["aaaa\nbbbb\n", "cccc\ndddd\n"])
  })

  it("a line end at the edge is not embedded, so it takes no room", () => {
    assert.deepStrictEqual(texts("aaaa\r\nbbbb\r\n", budgetOf(1)), ["aaaa\r\n", "bbbb\r\n"])
  })

  it("a line that is too long is cut at sentences, then at words, then between clusters", () => {
    assert.deepStrictEqual(texts("One two. Three four. Five six.", budgetOf(7)), ["One two. Three four. ", "Five six."])
    assert.deepStrictEqual(texts("one two three four", budgetOf(2)), ["one two ", "three ", "four"])
    assert.deepStrictEqual(texts("onetwothree", budgetOf(1)), ["onet", "woth", "ree"])
    assert.deepStrictEqual(texts("e\u0301e\u0301e\u0301", budgetOf(1)), ["e\u0301e\u0301", "e\u0301"])
  })

  it("the end of a long line is packed with the lines behind it", () => {
    assert.deepStrictEqual(texts("aaaabbbbcc\nd\nee", budgetOf(2)), ["aaaabbbb", "cc\nd\nee"])
  })

  it("takes the coarsest seams that fit, not the fullest piece", () => {
    const text = "aa\nbb\ncc\ndd\nee\nff\n"
    assert.deepStrictEqual(texts(text, budgetOf(4), [[6], [3, 6, 9, 12, 15]]), ["aa\nbb\n", "cc\ndd\nee\nff\n"])
    assert.deepStrictEqual(texts(text, budgetOf(2), [[6], [3, 6, 9, 12, 15]]), ["aa\nbb\n", "cc\ndd\nee\n", "ff\n"])
  })

  it("stays within its span, whatever seams and text lie around it", () => {
    const text = "a b\n\naaaa\nbbbb\n\nc\nd\n"
    const within = (max_tokens: number) =>
      cut({ measure: measureOf(text, budgetOf(max_tokens)), start: 5, end: 16, seams: [lineStarts(text)] })
        .map(({ end, start }) => [start, end])
    assert.deepStrictEqual(within(1), [[5, 10], [10, 16]])
    assert.deepStrictEqual(within(3), [[5, 16]])
  })

  it("only a cluster that is too long alone stays over budget, with its blanks", () => {
    const text = `a${" ".repeat(40)}b e${"\u0301".repeat(20)}x`
    const pieces = cutText(text, budgetOf(2))
    assert.deepStrictEqual(pieces.map(({ end, start }) => text.slice(start, end)), [
      `a${" ".repeat(40)}`,
      "b ",
      `e${"\u0301".repeat(20)}`,
      "x"
    ])
    assert.deepStrictEqual(pieces.map(({ over_budget }) => over_budget), [true, false, true, false])
  })

  it("the cap on characters cuts what costs no tokens", () => {
    const pieces = cutText("word ".repeat(100), { max_tokens: 10, max_characters: 50, count: () => 0 })
    assert.deepStrictEqual(pieces.map(({ end, start }) => end - start), Array.from({ length: 10 }, () => 50))
  })

  it("a context is measured with the piece that it stands before", () => {
    const measure = measureOf("aaaa\nbbbb\ncccc\n", budgetOf(3), { contextAt: (start) => start === 0 ? "" : "H\n" })
    const pieces = cut({ measure, start: 0, end: 15, seams: [[5, 10]] })
    assert.deepStrictEqual(pieces.map(({ start, tokens }) => [start, tokens]), [[0, 3], [10, 2]])
  })

  it("front matter takes no room", () => {
    const measure = measureOf("---\nk: v\n---\naaaa\nbbbb\n", budgetOf(1), { top: 13 })
    assert.deepStrictEqual(
      cut({ measure, start: 0, end: 23, seams: [[4, 9, 13, 18]] }).map(({ end, tokens }) => [end, tokens]),
      [[18, 1], [23, 1]]
    )
  })

  it("a counter that counts the whole above its parts is believed for the whole", () => {
    const count = (text: string) => text.length + 2 * (text.match(/\n/g)?.length ?? 0)
    const pieces = cutText("aa\nbb\ncc\n", { max_tokens: 6, max_characters: 2000, count })
    assert.deepStrictEqual(pieces.map(({ tokens }) => tokens), [2, 2, 2])
  })

  it("ends where a longer text counts less", () => {
    const count = (text: string) => text.length > 100 ? 1 : text.length
    for (const n of [150, 2500]) {
      const text = "a".repeat(n)
      const pieces = cutText(text, { max_tokens: 7, max_characters: 2000, count })
      assert.strictEqual(pieces.map(({ end, start }) => text.slice(start, end)).join(""), text)
      assert.isFalse(pieces.some(({ over_budget }) => over_budget))
    }
  })

  const documentAndBudget = FastCheck.tuple(documents.filter((text) => !isBlank(text)), budgets)

  it.prop("no piece could have been longer", [documentAndBudget], ([[text, budget]]) => {
    const starts = lineStarts(text)
    const last = lastInk(text, 0, text.length)
    const top = text.startsWith("\uFEFF") ? 1 : 0
    const fits = (start: number, end: number): boolean => {
      const embedded = embeddedSpan(text, top, "", start, end)
      return embedded.length <= budget.max_characters && budget.count(embedded) <= budget.max_tokens
    }
    for (const { end, start } of cutText(text, budget)) {
      const ink = firstInk(text, Math.max(start, top), end)
      const ends = [...starts.filter((line) => line > ink && line <= last), text.length]
      const lines = ends.filter((line) => fits(start, line))
      if (lines.length > 0) {
        assert.strictEqual(end, lines.at(-1), "the furthest line end that fits")
      } else {
        assert.isTrue(isBlank(text.slice(ends[0] ?? 0, end)), "ends within its line")
      }
    }
  })

  it.prop(
    "a word without seams fills its pieces",
    [FastCheck.integer({ min: 1, max: 300 }), budgets],
    ([n, budget]) => {
      const size = Math.min(4 * budget.max_tokens, budget.max_characters)
      const pieces = cutText("x".repeat(n), budget)
      assert.deepStrictEqual(
        pieces.map(({ end, start }) => end - start),
        Array.from({ length: Math.ceil(n / size) }, (_, i) => Math.min(size, n - i * size))
      )
    }
  )

  it.prop("whatever the seams, nothing is lost", [documentAndBudget], ([[text, budget]]) => {
    for (const seams of [[], [[]], [lineStarts(text)], [[text.length], lineStarts(text)]]) {
      assert.strictEqual(texts(text, budget, seams).join(""), text)
    }
  })
})
