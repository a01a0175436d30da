/** Faults that people reported of other chunkers, as Markdown of our own, each with what it should give. */
import { assert, describe, it } from "@effect/vitest"
import type { DocumentBudget } from "../../src/chunk/DocumentChunker.ts"
import { embeddedText } from "../../src/chunk/EmbeddedText.ts"
import { afterFrontMatter } from "../../src/chunk/FrontMatter.ts"
import { heading } from "../../src/chunk/Heading.ts"
import { blocksOf } from "../../src/chunk/markdown/Parser.ts"
import type { Passage } from "../../src/domain/Passage.ts"
import { behindFrontMatter, budgetOf, obeysTheLaws, partitions } from "./DocumentLaws.ts"

const chunk = (text: string, budget: DocumentBudget = budgetOf(240)): ReadonlyArray<Passage> => {
  const passages = heading.chunk(text, budget)
  obeysTheLaws(text, budget, passages, behindFrontMatter)
  return passages
}

const embedded = (passage: Passage): string =>
  embeddedText(passage, passage.start === 0 ? behindFrontMatter(passage.text) : 0)

const texts = (passages: ReadonlyArray<Passage>) => passages.map(({ text }) => text)
const paths = (passages: ReadonlyArray<Passage>) => passages.map(({ heading_path }) => heading_path)
const contexts = (passages: ReadonlyArray<Passage>) => passages.map(({ context }) => context)
const firstLines = (passages: ReadonlyArray<Passage>) => passages.map(({ lines }) => lines[0])

describe("headings, fences, sections", () => {
  it("langchain-ai/langchain#10262: a # in a fence is no heading", () => {
    const text = "# A\n```py\n# c\n```\nx"
    assert.deepStrictEqual([texts(chunk(text)), paths(chunk(text))], [[text], [["A"]]])
  })

  it("langchain-ai/langchain#20823: the indentation of a fence in a list is kept", () => {
    const text = "- s\n\n    ```yaml\n    a:\n      b: 1\n    ```\n"
    assert.deepStrictEqual([texts(chunk(text)), paths(chunk(text))], [[text], [[]]])
    chunk(text, budgetOf(3))
  })

  it("langchain-ai/langchain#22256: blank lines are kept as they are", () => {
    assert.deepStrictEqual(texts(chunk("# H\n\np1\n\np2")), ["# H\n\np1\n\np2"])
    assert.deepStrictEqual(texts(chunk("# H\n\np1\n\np2", budgetOf(2))), ["# H\n\np1\n\n", "p2"])
  })

  it("langchain-ai/langchain#19436: nested lists keep their indentation", () => {
    assert.deepStrictEqual(texts(chunk("- a\n    - b")), ["- a\n    - b"])
  })

  it("langchain-ai/langchain#31596: a higher heading takes lower ones off the path", () => {
    assert.deepStrictEqual(paths(chunk("# T\n### S\na\n## N\nb")), [["T"], ["T", "S"], ["T", "N"]])
  })

  it("langchain-ai/langchain#38701: adjacent headings are passages of their own, whatever their levels", () => {
    for (let upper = 1; upper <= 6; upper += 1) {
      for (let lower = 1; lower <= 6; lower += 1) {
        const text = `${"#".repeat(upper)} T\n${"#".repeat(lower)} S\nx`
        const path = lower > upper ? ["T", "S"] : ["S"]
        assert.deepStrictEqual(paths(chunk(text)), [["T"], path], text)
      }
    }
  })

  it("langchain-ai/langchain#22738: a bold line is no heading", () => {
    assert.deepStrictEqual(paths(chunk("**Bold line**\n\nx")), [[]])
  })

  it("langchain-ai/langchain#38724: CRLF is no part of a title, and stays in the text", () => {
    const passages = chunk("# A\r\n\r\nx\r\n")
    assert.deepStrictEqual([texts(passages), paths(passages)], [["# A\r\n\r\nx\r\n"], [["A"]]])
  })

  it("langchain-ai/langchain#2836: marks and line ends are kept", () => {
    assert.deepStrictEqual(texts(chunk("# A\n\n## B\nx\n")), ["# A\n\n", "## B\nx\n"])
  })

  it("langchain-ai/langchainjs#840: headings part, although one passage would hold both", () => {
    assert.deepStrictEqual(texts(chunk("# A\nx\n# B\ny")), ["# A\nx\n", "# B\ny"])
  })

  it("run-llama/llama_index#16780: each heading once in what is embedded", () => {
    assert.deepStrictEqual(chunk("# A\n## B\nx").map(embedded), ["# A", "A\n## B\nx"])
  })

  it("run-llama/llama_index#13283, run-llama/LlamaIndexTS#864, langgenius/dify#11828: text before the first heading", () => {
    const passages = chunk("intro\n\n# A\nx")
    assert.deepStrictEqual(texts(passages), ["intro\n\n", "# A\nx"])
    assert.deepStrictEqual([passages[0]?.heading_path, passages[0]?.lines], [[], [1, 2]])
  })

  it("run-llama/llama_index#363: the line of the heading is in its passage", () => {
    assert.deepStrictEqual(texts(chunk("# A\nx")), ["# A\nx"])
  })

  it("VectifyAI/PageIndex#245: closing hashes, longer fences, no heading at all, front matter", () => {
    assert.deepStrictEqual(paths(chunk("## T ##\nx")), [["T"]])
    assert.deepStrictEqual(paths(chunk("````\n```\n# n\n````\n")), [[]])
    assert.deepStrictEqual(texts(chunk("plain")), ["plain"])
    const [noted, ...others] = chunk("---\nk: v\n---\nx")
    assert.deepStrictEqual([noted?.text, noted?.heading_path, others], ["---\nk: v\n---\nx", [], []])
    assert.deepStrictEqual(chunk("---\nk: v\n---\nx").map(embedded), ["x"])
  })

  it("agno-agi/agno#10470: only what is outside the fence begins a passage", () => {
    assert.deepStrictEqual(firstLines(chunk("# A\n```\n# b\n## c\n```\n# D\n")), [1, 6])
  })

  it("deepset-ai/haystack#11920: nothing before an inner # is lost", () => {
    const passages = chunk("before\n# A\nmid\n```\n# in\n```\nafter")
    assert.deepStrictEqual(texts(passages), ["before\n", "# A\nmid\n```\n# in\n```\nafter"])
  })

  it("deepset-ai/haystack#12477: the pieces of a section keep its heading", () => {
    const passages = chunk(
      `# A\n${Array.from({ length: 40 }, (_, i) => `${i} `.repeat(20)).join("\n\n")}`,
      budgetOf(40)
    )
    assert.isAbove(passages.length, 10)
    assert.isTrue(passages[0]?.text.startsWith("# A\n0 0"))
    assert.isTrue(passages.every(({ heading_path }) => heading_path.join() === "A"))
    assert.deepStrictEqual(contexts(passages), passages.map((_, i) => i === 0 ? "" : "A\n"))
  })

  it("tmc/langchaingo#520: a heading may be underlined by a single dash, and have several lines", () => {
    const [passage] = chunk("a\nb\n-")
    assert.deepStrictEqual([passage?.heading_path, passage?.lines], [["a b"], [1, 3]])
  })

  it("abhigyanpatwari/GitNexus#1469, hamidfzm/glyph#744: headings are found with CRLF and with CR alone", () => {
    for (const end of ["\r", "\r\n", "\n"]) {
      const passages = chunk("# A\nx\n## B\n".replaceAll("\n", end))
      assert.deepStrictEqual([firstLines(passages), paths(passages)], [[1, 3], [["A"], ["A", "B"]]])
    }
  })

  it("markedjs/marked#1133: a byte order mark hides no heading", () => {
    const [passage] = chunk("\uFEFF# A\nx")
    assert.deepStrictEqual([passage?.start, passage?.text, passage?.heading_path], [0, "\uFEFF# A\nx", ["A"]])
    assert.deepStrictEqual(chunk("\uFEFF# A\nx").map(embedded), ["# A\nx"])
  })

  it("benbrandt/text-splitter#798: a fence that fits is not cut", () => {
    const fence = `\`\`\`\n${"code line\n".repeat(14)}\`\`\`\n`
    const passages = chunk(`p\n\n${fence}\n${"word ".repeat(30)}`, budgetOf(60))
    assert.deepStrictEqual(texts(passages), [`p\n\n${fence}\n`, "word ".repeat(30)])
  })

  it("feyninc/chonkie#665: tables and code are there, in order", () => {
    const text = "text\n\n| a |\n|---|\n| 1 |\n\n```\nc\n```\n"
    for (const max of [1, 2, 3, 4, 5, 100]) assert.strictEqual(texts(chunk(text, budgetOf(max))).join(""), text)
  })

  it("xberg-io/xberg#700: the first piece has the titles above it, the later ones its own too", () => {
    const passages = chunk(`# A\n## B\n${"body of the section\n\n".repeat(8)}`, budgetOf(12)).slice(1)
    assert.isAbove(passages.length, 3)
    assert.deepStrictEqual(contexts(passages), passages.map((_, i) => i === 0 ? "A\n" : "A\nB\n"))
  })

  it("infiniflow/ragflow#8044: a table is in the passage of its heading", () => {
    const passages = chunk("# A\n\n| a |\n|---|\n| 1 |\n\n# B\n\n| b |\n|---|\n| 2 |\n")
    assert.deepStrictEqual(firstLines(passages), [1, 7])
    assert.deepStrictEqual(texts(passages).map((text) => text.includes("| 1 |")), [true, false])
  })

  it("Unstructured-IO/unstructured#2508: small sections are never joined", () => {
    assert.deepStrictEqual(texts(chunk("# T1\ns\n\n# T2\ns\n")), ["# T1\ns\n\n", "# T2\ns\n"])
  })

  it("Unstructured-IO/unstructured#3688: a title is not parted from its body", () => {
    assert.deepStrictEqual(texts(chunk("# A\n\nbody")), ["# A\n\nbody"])
  })

  it("Unstructured-IO/unstructured#3778: a table is cut between rows, and its header repeated", () => {
    const header = "| name of it | how many there are |\n|---|---|\n"
    const rows = Array.from({ length: 200 }, (_, i) => `| row ${i} | ${i * 7} |\n`)
    const passages = chunk(header + rows.join(""), budgetOf(50))
    assert.isAtMost(header.length, 48)
    assert.isAbove(passages.length, 10)
    assert.deepStrictEqual(texts(passages).join(""), header + rows.join(""))
    passages.forEach(({ context, text }, i) => {
      assert.strictEqual(context, i === 0 ? "" : header)
      assert.isTrue(text.endsWith(" |\n") && (i === 0 || text.startsWith("| row ")))
    })
  })

  it("Unstructured-IO/unstructured#1824: the pieces of a section are in order", () => {
    const item = `- ${"an item ".repeat(8)}\n`
    const passages = chunk(
      `# A\n${"text ".repeat(40)}\n\n${item.repeat(6)}\n| a |\n|---|\n${"| 1 |\n".repeat(40)}\n${"more ".repeat(40)}`,
      budgetOf(30)
    )
    assert.isAbove(passages.length, 10)
    passages.slice(1).forEach(({ start }, i) => assert.isAbove(start, passages[i]?.start ?? 0))
  })
})

describe("budget and progress", () => {
  it("docling-project/docling#723: what joins counts, so the last paragraph moves on", () => {
    // Each paragraph is 1 token alone, three of them are exactly the budget; joined, the blank lines make it 4.
    const passages = chunk("aaaa\n\nbbbb\n\ncccc\n\ndddd", budgetOf(3))
    assert.deepStrictEqual(passages.map(({ text, tokens }) => [text, tokens]), [
      ["aaaa\n\nbbbb\n\n", 3],
      ["cccc\n\ndddd", 3]
    ])
  })

  it("docling-project/docling#1628: no passage above max_tokens", () => {
    const text = Array.from({ length: 100 }, (_, i) => `Paragraph ${i} ${"has words ".repeat(i % 9)}`).join("\n\n")
    const passages = chunk(text, budgetOf(8))
    assert.isTrue(passages.every(({ over_budget, tokens }) => tokens <= 8 && !over_budget))
  })

  it("isaacus-dev/semchunk#25: nothing overlaps", () => {
    assert.deepStrictEqual(texts(chunk("aa  bb  cc  dd", budgetOf(1))), ["aa  ", "bb  ", "cc  ", "dd"])
  })

  it("elizaOS/eliza#11674: a fence opener longer than the budget ends, and is not repeated", () => {
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
    chunk(`# \u6F22\n${"\u00E9\u6F22\uD83D\uDE00".repeat(50)}`, budgetOf(3))
  })

  it("nearform/llm-splitter#36: an emoji over several tokens", () => {
    const budget = { ...budgetOf(1), count: (text: string) => 3 * [...text].length }
    assert.lengthOf(chunk("\uD83D\uDE00".repeat(60), budget), 60)
    chunk("\uD83D\uDE00".repeat(60), budgetOf(1))
  })

  it("tobi/qmd#855, openclaw/openclaw#65783, elizaOS/eliza#22291: no passage ends in half an emoji", () => {
    for (let k = 1; k <= 20; k += 1) {
      const passages = chunk(`${"a".repeat(k)}\uD83D\uDE00${"a".repeat(20)}`, budgetOf(4))
      assert.isTrue(passages.every((passage) => passage.text.isWellFormed() && embedded(passage).isWellFormed()))
    }
  })

  it("ayunis-core/ayunis-core#1092: 10,000 equal paragraphs", () => {
    const text = "same paragraph\n\n".repeat(10_000)
    const passages = heading.chunk(text, budgetOf(16))
    assert.lengthOf(passages, 2500)
    partitions(text, passages)
  })

  it("UTF-16 offsets behind a byte order mark, as in chonkiejs 0.0.11", () => {
    chunk("\uFEFF# A\n\nbody of the note that is long enough to be split in two\n", budgetOf(5))
  })
})

describe("work is linear", () => {
  /** Characters that are counted, read one by one, or copied. */
  const work = (text: string, budget: DocumentBudget): number => {
    let done = 0
    const count = (part: string): number => {
      done += part.length
      return budget.count(part)
    }
    const { charCodeAt, slice } = String.prototype
    String.prototype.charCodeAt = function(at) {
      done += 1
      return charCodeAt.call(this, at)
    }
    String.prototype.slice = function(start, end) {
      const part = slice.call(this, start, end)
      done += part.length
      return part
    }
    try {
      const joined = heading.chunk(text, { ...budget, count }).map((passage) => passage.text).join("")
      assert.isTrue(joined === text || text.trim() === "")
    } finally {
      String.prototype.charCodeAt = charCodeAt
      String.prototype.slice = slice
    }
    return done
  }

  const fill = (unit: string) => (n: number): string => unit.repeat(Math.ceil(n / unit.length))

  const inputs: ReadonlyArray<readonly [name: string, text: (n: number) => string]> = [
    ["langchain-ai/langchain#40314, langchain-ai/langchain#40313: one heading", (n) => `# A\n${fill("p\n\n")(n)}`],
    ["langchain-ai/langchain#36488: equal lines", fill("line\n")],
    ["isaacus-dev/semchunk#8, benbrandt/text-splitter#184: prose without a blank line", fill("It is so, at length. ")],
    ["markdown-it/markdown-it#733, markdown-it/markdown-it#735, markdown-it/markdown-it#736: backticks", fill("\\``")],
    ["mity/md4c#66: nested bullets", (n) => `${fill("* ")(n)}a`],
    ["nested quotes", (n) => `${fill(">")(n)}a`],
    ["nested by indentation", fill(Array.from({ length: 60 }, (_, i) => `${" ".repeat(2 * i)}- a\n`).join(""))],
    ["one word", fill("a")],
    ["dashes", fill("-")],
    ["spaces", (n) => `a${" ".repeat(n)}b`],
    ["CJK", fill("\u6F22\u5B57\u4EEE\u540D\u4EA4\u6587\u7AE0\u691C\u7D22\u751F\u6210")],
    ["blank lines", (n) => `a${"\n".repeat(n)}b`],
    ["headings", fill("# a\n")],
    ["ever deeper headings", fill("# a\n## b\n### c\n#### d\n##### e\n###### f\n")],
    ["a long heading", (n) => `# ${fill("word ")(n)}\n\nbody\n\n## b\n\n${fill("p\n\n")(2000)}`],
    ["items", fill("- a\n")],
    ["items of several paragraphs", fill("- a\n\n  b\n\n")],
    ["one item", (n) => `- ${fill("p\n\n  ")(n)}`],
    ["a table", (n) => `| a | b |\n|---|---|\n${fill("| 1 | 2 |\n")(n)}`],
    ["tables", fill("| a |\n|---|\n| 1 |\n\n")],
    ["a fence", (n) => `\`\`\`js\n${fill("code\n\ncode\n")(n)}\`\`\``],
    ["fences", fill("```\nc\n```\n")],
    ["a fence that is never closed", (n) => `# A\n\`\`\`js\n${fill("code\n")(n)}`],
    ["HTML that is never closed", (n) => `<!--\n${fill("x\n\n")(n)}`],
    ["link definitions", fill("[a]: b\n")],
    ["definitions that never end", fill("[a\n")],
    ["lazy lines that are none", fill("> # a\nb\n")],
    ["lazy lines in nested quotes", fill(">> # a\n> b\n")],
    ["footnotes", fill("[^1]: a\n")],
    ["front matter that is never closed", (n) => `---\n${fill("--- x\n")(n)}`],
    ["front matter and no more", (n) => `---\n${fill("k: v\n")(n)}---\n`]
  ]

  const budgets: ReadonlyArray<readonly [name: string, n: number, budget: DocumentBudget]> = [
    ["240 tokens", 8000, budgetOf(240)],
    ["no cap on characters", 8000, budgetOf(240, Infinity)],
    ["a budget of 3", 2000, budgetOf(3)]
  ]

  for (const [name, text] of inputs) {
    it(name, () => {
      for (const [which, n, budget] of budgets) {
        const once = work(text(n), budget)
        const fourfold = work(text(4 * n), budget)
        assert.isAtMost(fourfold, 4.6 * once + 40_000, which)
        assert.isAtMost(fourfold, 600 * 4 * n, which)
      }
    })
  }

  it("hundreds of kilobytes end quickly, whatever they are", { timeout: 60_000 }, () => {
    for (const unit of ["a", "line\n", "It is so, at length. ", "p\n\n", "- a\n", "> # a\nb\n", "\n"]) {
      const text = fill(unit)(200_000)
      partitions(text, heading.chunk(text, budgetOf(240)))
    }
  })

  // Were they read anew from each of their blanks, a single one of these would take hours.
  it("a run of blanks is read once", { timeout: 60_000 }, () => {
    const blanks = " ".repeat(1_000_000)
    const texts = [
      `# a${blanks}b\n`,
      `a${blanks}b\nc\n===\n`,
      `\`\`\`js${blanks}x\na\n\`\`\`${blanks}x`,
      `| a${blanks}b |${blanks}\n|-${blanks}|\n| x |\n`,
      `| a |\n|-${blanks}x|\n`,
      `---${blanks}\n---${blanks}x\n`,
      `[^1]:${blanks}x${blanks}y`,
      `[a]:${blanks}b${blanks}'c'${blanks}d`,
      `<a${blanks}b${blanks}=${blanks}'c'${blanks}!`,
      `- ${blanks}a\n>${blanks}b`
    ]
    for (const text of texts) {
      assert.isAbove(blocksOf(text).length, 0)
      assert.strictEqual(afterFrontMatter(text), 0)
    }
  })
})
