/** Faults that people reported of other chunkers, as inputs of our own, and what it costs to chunk hostile text. */
import { assert, describe, it } from "@effect/vitest"
import { cut } from "../../src/chunk/Cut.ts"
import type { DocumentBudget } from "../../src/chunk/DocumentChunker.ts"
import { embeddedText } from "../../src/chunk/EmbeddedText.ts"
import { measureOf } from "../../src/chunk/Measure.ts"
import { paragraph } from "../../src/chunk/Paragraph.ts"
import type { Passage } from "../../src/domain/Passage.ts"
import { budgetOf, isBlank, knowsItsLines, obeysTheLaws, partitions } from "./DocumentLaws.ts"

const chunk = (text: string, budget: DocumentBudget): ReadonlyArray<Passage> => {
  const passages = paragraph.chunk(text, budget)
  obeysTheLaws(text, budget, passages)
  return passages
}

describe("budget and progress", () => {
  it("docling-project/docling#723: separators count, so the last line moves on", () => {
    const lines = "aaaa\nbbbb\ncccc\ndddd"
    // Each line is 1 token alone, four of them are exactly the budget; joined, the line ends make it 5.
    const passages = chunk(lines, budgetOf(4))
    assert.deepStrictEqual(passages.map(({ text, tokens }) => [text, tokens]), [["aaaa\nbbbb\ncccc\n", 4], ["dddd", 1]])
    const measure = measureOf("aaaa\n\nbbbb\n\ncccc", budgetOf(3))
    assert.deepStrictEqual(
      cut({ measure, start: 0, end: 16, seams: [[6, 12]] }).map(({ end, tokens }) => [end, tokens]),
      [[12, 3], [16, 1]]
    )
  })

  it("docling-project/docling#1628: no passage above max_tokens", () => {
    const text = Array.from({ length: 100 }, (_, i) => `Paragraph ${i} ${"has words ".repeat(i % 9)}`).join("\n\n")
    const passages = chunk(text, budgetOf(8))
    assert.isAbove(passages.length, 100)
    assert.isTrue(passages.every(({ over_budget, tokens }) => tokens <= 8 && !over_budget))
  })

  it("isaacus-dev/semchunk#25: nothing overlaps, and separators stay within the budget", () => {
    const passages = chunk("aa  bb  cc  dd", budgetOf(1))
    assert.deepStrictEqual(passages.map(({ text }) => text), ["aa  ", "bb  ", "cc  ", "dd"])
  })

  it("elizaOS/eliza#11674: a fence opener longer than the budget ends", () => {
    const passages = chunk(`\`\`\`js\n${"b".repeat(50)}`, budgetOf(1))
    assert.isTrue(passages.every(({ context, tokens }) => tokens <= 1 && context === ""))
  })
})

describe("offsets and unicode", () => {
  it("chonkie-ai/chonkie#37, chonkie-ai/chonkie#116: repeats have offsets of their own", () => {
    assert.deepStrictEqual(chunk("same\n\nsame\n\nsame", budgetOf(2)).map(({ start }) => start), [0, 6, 12])
  })

  it("feyninc/chonkie#629: no empty passage, no drift", () => {
    chunk("\u00E9\u6F22\uD83D\uDE00".repeat(50), budgetOf(3))
  })

  it("nearform/llm-splitter#36: an emoji over several tokens", () => {
    const budget = { ...budgetOf(1), count: (text: string) => 3 * [...text].length }
    const passages = chunk("\uD83D\uDE00".repeat(60), budget)
    assert.lengthOf(passages, 60)
    assert.isTrue(passages.every(({ over_budget, tokens }) => over_budget && tokens === 3))
    assert.lengthOf(chunk("\uD83D\uDE00".repeat(60), budgetOf(1)), 30)
  })

  it("tobi/qmd#855, openclaw/openclaw#65783, elizaOS/eliza#22291: no passage ends in half an emoji", () => {
    for (let k = 1; k <= 20; k += 1) {
      const passages = chunk(`${"a".repeat(k)}\uD83D\uDE00${"a".repeat(20)}`, budgetOf(4))
      assert.isTrue(passages.every((passage) => passage.text.isWellFormed() && embeddedText(passage).isWellFormed()))
    }
  })

  it("ayunis-core/ayunis-core#1092: 10,000 equal paragraphs", () => {
    const text = "same paragraph\n\n".repeat(10_000)
    const budget = budgetOf(16)
    const passages = paragraph.chunk(text, budget)
    assert.lengthOf(passages, 10_000)
    partitions(text, passages)
  })

  it("UTF-16 offsets behind a byte order mark, as in chonkiejs 0.0.11", () => {
    chunk("\uFEFF# A\n\nbody of the note that is long enough to be split in two\n", budgetOf(5))
  })

  it("langchain-ai/langchain#22256: blank lines are kept as they are", () => {
    assert.deepStrictEqual(chunk("p0\n\n\n \np1\r\n\r\np2", budgetOf(1)).map(({ text }) => text), [
      "p0\n\n\n \n",
      "p1\r\n\r\n",
      "p2"
    ])
  })
})

describe("work is linear", () => {
  const work = (text: string, budget: DocumentBudget): number => {
    let characters = 0
    const count = (part: string): number => {
      characters += part.length
      return budget.count(part)
    }
    const joined = paragraph.chunk(text, { ...budget, count }).map((passage) => passage.text).join("")
    assert.isTrue(joined === text || isBlank(text))
    return characters
  }

  const prose = "The quick brown fox jumps over it. Then, at length, it sleeps; "
  const fill = (unit: string) => (n: number): string => unit.repeat(Math.ceil(n / unit.length))

  const inputs: ReadonlyArray<readonly [name: string, text: (n: number) => string]> = [
    ["one word", fill("a")],
    ["spaces", (n) => `a${" ".repeat(n)}b`],
    ["nothing but spaces", fill(" ")],
    ["isaacus-dev/semchunk#8, benbrandt/text-splitter#184: prose without a line end", fill(prose)],
    ["one giant paragraph", fill(`${prose}\n`)],
    ["CJK without punctuation", fill("\u6F22\u5B57\u4EEE\u540D\u4EA4\u6587\u7AE0\u691C\u7D22\u751F\u6210")],
    ["langchain-ai/langchain#36488: equal lines", fill("line\n")],
    ["langchain-ai/langchain#40314, langchain-ai/langchain#40313: crumbs", fill("p\n\n")],
    ["blank lines", fill("\n")],
    ["blank lines, then text", (n) => `${"\n".repeat(n)}${"word ".repeat(3000)}`],
    ["text, then blank lines", (n) => `a${"\r\n".repeat(n / 2)}b`],
    ["one cluster", (n) => `a${"\u0301".repeat(n)}`],
    ["flags", fill("\uD83C\uDDE9\uD83C\uDDEA")],
    ["short and long lines in turn", fill(`x\n${"y".repeat(3000)}\n`)],
    ["markdown-it/markdown-it#733: backticks", fill("\\``")],
    ["mity/md4c#66: nested markers", fill("* ")]
  ]

  const counters: ReadonlyArray<readonly [name: string, n: number, budget: DocumentBudget]> = [
    ["240 tokens", 25_000, budgetOf(240)],
    ["no cap on characters", 25_000, budgetOf(240, Infinity)],
    ["tokens that are words", 25_000, { ...budgetOf(240), count: (text) => text.match(/[^\s]+/g)?.length ?? 0 }],
    ["a budget of 3", 2500, budgetOf(3)]
  ]

  for (const [name, text] of inputs) {
    it(name, () => {
      for (const [counter, n, budget] of counters) {
        const once = work(text(n), budget)
        const fourfold = work(text(4 * n), budget)
        assert.isAtMost(fourfold, 4.4 * once + 20_000, counter)
        assert.isAtMost(fourfold, 12 * 4 * n + 20_000, counter)
      }
    })
  }

  it("a megabyte ends quickly, whatever it is", { timeout: 20_000 }, () => {
    for (const unit of ["a", "line\n", prose, "p\n\n", "\n"]) {
      const text = fill(unit)(1_000_000)
      const passages = paragraph.chunk(text, budgetOf(240))
      knowsItsLines(text, passages.slice(0, 3))
    }
  })
})
