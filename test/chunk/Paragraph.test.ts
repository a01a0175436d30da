import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import type { DocumentBudget } from "../../src/chunk/DocumentChunker.ts"
import { embeddedText } from "../../src/chunk/EmbeddedText.ts"
import { paragraph } from "../../src/chunk/Paragraph.ts"
import { Passage } from "../../src/domain/Passage.ts"
import { budgetOf, budgets, documents, isBlank, obeysTheLaws, partitions } from "./DocumentLaws.ts"

const texts = (text: string, budget: DocumentBudget = budgetOf(1)): ReadonlyArray<string> =>
  paragraph.chunk(text, budget).map((passage) => passage.text)

/** A token a word: blind to how lines end. */
const words = (max_tokens: number): DocumentBudget => ({
  max_tokens,
  max_characters: Infinity,
  count: (text) => text.match(/[^\s]+/g)?.length ?? 0
})

const breaks = /(?:\r\n|\r(?!\n)|\n)(?:[ \t]*(?:\r\n|\r(?!\n)|\n))+/g

describe("paragraph", () => {
  it("a paragraph is a passage, with the blank lines behind it", () => {
    assert.deepStrictEqual(texts("aa\nbb\n\ncc\n \t\n\ndd\n\n", budgetOf(2)), ["aa\nbb\n\n", "cc\n \t\n\n", "dd\n\n"])
  })

  it("CRLF and a lone CR break as LF does", () => {
    assert.deepStrictEqual(texts("aa\r\n\r\nbb\r\rcc\r\n"), ["aa\r\n\r\n", "bb\r\r", "cc\r\n"])
  })

  it("byte order mark and blank lines at the top belong to the first passage", () => {
    assert.deepStrictEqual(texts("\uFEFF\n \n\n  aa\n\nbb"), ["\uFEFF\n \n\n  aa\n\n", "bb"])
    assert.deepStrictEqual(paragraph.chunk("\uFEFF\n aa\n", budgetOf(1)).map(({ lines, tokens }) => [lines, tokens]), [
      [[1, 2], 1]
    ])
  })

  it("an empty or all-blank document has no passage", () => {
    for (const text of ["", "\n", "\uFEFF", "\uFEFF \r\n\t\r \n", " "]) assert.deepStrictEqual(texts(text), [])
  })

  it("fields: spans and lines of the source, no headings, no context", () => {
    assert.deepStrictEqual(paragraph.chunk("one\r\ntwo\r\n\r\nthree", budgetOf(10)), [
      new Passage({
        ordinal: 0,
        start: 0,
        end: 12,
        lines: [1, 3],
        heading_path: [],
        context: "",
        tokens: 2,
        over_budget: false,
        text: "one\r\ntwo\r\n\r\n"
      }),
      new Passage({
        ordinal: 1,
        start: 12,
        end: 17,
        lines: [4, 4],
        heading_path: [],
        context: "",
        tokens: 2,
        over_budget: false,
        text: "three"
      })
    ])
  })

  it("only a crumb, below an eighth of the budget, is joined with the next", () => {
    const twentyNine = "w ".repeat(29).trim()
    const thirty = "w ".repeat(30).trim()
    assert.lengthOf(texts(`${twentyNine}\n\n${thirty}`, words(240)), 1)
    assert.lengthOf(texts(`${thirty}\n\n${twentyNine}`, words(240)), 2)
    assert.deepStrictEqual(texts("a\n\nb\n\nc d e\n\nf g h i", words(16)), ["a\n\nb\n\n", "c d e\n\n", "f g h i"])
  })

  it("a crumb is joined up to the budget and never past it", () => {
    assert.lengthOf(texts(`a\n\n${"w ".repeat(15)}`, words(16)), 1)
    assert.lengthOf(texts(`a\n\n${"w ".repeat(16)}`, words(16)), 2)
  })

  it("crumbs are joined within the cap on characters too", () => {
    const count = (text: string) => text.match(/[^\s]+/g)?.length ?? 0
    const passages = paragraph.chunk(`${"x".repeat(30)}\n\n`.repeat(4), { max_tokens: 240, max_characters: 70, count })
    assert.deepStrictEqual(passages.map(({ over_budget, tokens }) => [tokens, over_budget]), [[2, false], [2, false]])
  })

  it("a counter that counts joined crumbs above their sum breaks no budget", () => {
    const count = (text: string) => text.length > 12 ? 1000 : 1
    const passages = paragraph.chunk("a\n\nb\n\nc\n\nd\n\ne\n\nf", { max_tokens: 240, max_characters: 2000, count })
    assert.deepStrictEqual(passages.map(({ start, tokens }) => [start, tokens]), [[0, 1], [12, 1]])
  })

  it("a paragraph over budget is cut at its lines first", () => {
    assert.deepStrictEqual(texts("Aaaa. Bbbb.\nCccc. Dddd.\nEeee\n\nf", budgetOf(5)), [
      "Aaaa. Bbbb.\n",
      "Cccc. Dddd.\nEeee\n\n",
      "f"
    ])
  })

  it("a lone surrogate stays in the text and is counted as what is embedded", () => {
    const [passage] = paragraph.chunk("a\uD83D b", { ...budgetOf(9), count: (text) => text.isWellFormed() ? 1 : 2 })
    assert.deepStrictEqual([passage?.text, passage?.tokens], ["a\uD83D b", 1])
  })
})

describe("laws, for any document and budget", () => {
  it.prop("partition, lines, clusters, budget", [documents, budgets], ([text, budget]) => {
    const passages = paragraph.chunk(text, budget)
    obeysTheLaws(text, budget, passages)
    for (const passage of passages) Schema.validateSync(Passage)(passage)
  }, { fastCheck: { numRuns: 500 } })

  it.prop("the first passage knows where the embedded part begins", [documents, budgets], ([text, budget]) => {
    const [first] = paragraph.chunk(text, budget)
    if (first !== undefined) assert.strictEqual(paragraph.top(first.text), paragraph.top(text))
    assert.strictEqual(paragraph.top(text), text.startsWith("\uFEFF") ? 1 : 0)
    assert.isUndefined(paragraph.meta(text))
  })

  it.prop("lone surrogates pass through", [
    FastCheck.array(FastCheck.constantFrom("\uD83D", "\uDE00", "a", "\n\n", " "))
  ], (
    [units]
  ) => partitions(units.join(""), paragraph.chunk(units.join(""), budgetOf(1))))

  it.prop(
    "no crumb that could have been joined; what is joined were crumbs",
    [documents, budgets],
    ([text, budget]) => {
      const count = (part: string, start: number): number =>
        budget.count(embeddedText({ context: "", start, text: part }))
      const passages = paragraph.chunk(text, budget)
      passages.forEach((passage, i) => {
        const after = passages[i + 1]
        if (after !== undefined && passage.tokens * 8 < budget.max_tokens) {
          const both = embeddedText({ context: "", start: passage.start, text: passage.text + after.text })
          assert.isTrue(budget.count(both) > budget.max_tokens || both.length > budget.max_characters)
        }
        const inner = [...passage.text.matchAll(breaks)]
          .map(({ 0: found, index }) => index + found.length)
          .filter((end) => !isBlank(passage.text.slice(0, end)) && !isBlank(passage.text.slice(end)))
        const last = inner.at(-1)
        if (last !== undefined) {
          assert.isBelow(count(passage.text.slice(0, last), passage.start) * 8, budget.max_tokens)
        }
      })
    }
  )

  it.prop("a paragraph that fits is not cut", [documents, budgets], ([text, budget]) => {
    const starts = new Set(paragraph.chunk(text, budget).map(({ start }) => start))
    const ends = [...text.matchAll(breaks)].map(({ 0: found, index }) => index + found.length)
    const edges = [0, ...ends.filter((end) => !isBlank(text.slice(0, end)) && end < text.length), text.length]
    edges.forEach((start, i) => {
      const end = edges[i + 1] ?? start
      const embedded = embeddedText({ context: "", start, text: text.slice(start, end) })
      if (budget.count(embedded) > budget.max_tokens || embedded.length > budget.max_characters) return
      for (let at = start + 1; at < end; at += 1) assert.isFalse(starts.has(at), `cut at ${at} in [${start}, ${end})`)
    })
  })

  it.prop("the same text gives the same passages", [documents, budgets], ([text, budget]) => {
    assert.deepStrictEqual(paragraph.chunk(text, budget), paragraph.chunk(text, budget))
  })

  it.prop("LF, CRLF and CR give the same passages", [documents, FastCheck.integer({ min: 1, max: 20 })], ([any, n]) => {
    const lf = any.replace(/\r\n?/g, "\n")
    const shape = (text: string) =>
      paragraph.chunk(text, words(n)).map((passage) => [
        passage.lines,
        passage.tokens,
        passage.over_budget,
        passage.text.replace(/\r\n?/g, "\n")
      ])
    assert.deepStrictEqual(shape(lf.replaceAll("\n", "\r\n")), shape(lf))
    assert.deepStrictEqual(shape(lf.replaceAll("\n", "\r")), shape(lf))
  })

  it.prop("a budget of 1 ends", [documents, FastCheck.constantFrom(1, 2000)], ([text, max_characters]) => {
    const budget = budgetOf(1, max_characters)
    obeysTheLaws(text, budget, paragraph.chunk(text, budget))
  })
})
