/**
 * Where sections begin, against two parsers of Markdown that share no code with ours. Where these two disagree nothing
 * is expected: commonmark.js knows neither tables nor footnotes, and micromark misreads an item right behind indented
 * code and lazy lines that look like HTML.
 */
import { assert, describe, it } from "@effect/vitest"
import * as commonmark from "commonmark"
import * as FastCheck from "effect/FastCheck"
import { fromMarkdown } from "mdast-util-from-markdown"
import { gfmFromMarkdown } from "mdast-util-gfm"
import { gfm } from "micromark-extension-gfm"
import { outlineOf, sectionsOf } from "../../../src/chunk/Sections.ts"
import { lineRange, lineStarts } from "../../../src/chunk/TextLines.ts"
import { behindFrontMatter } from "../DocumentLaws.ts"
import { blockSoup, lineEnds } from "../MarkdownSoup.ts"
import { markdownFiles } from "./Files.ts"

/** Line and level of each heading at the top level. */
type Headings = ReadonlyArray<readonly [line: number, level: number]>

const ours = (text: string): Headings => {
  const starts = lineStarts(text)
  const outline = outlineOf(text, starts, behindFrontMatter(text))
  return sectionsOf(outline).flatMap(({ from, heading }) => {
    const offset = outline.lines[outline.blocks[from]?.first ?? 0] ?? 0
    return heading === undefined ? [] : [[lineRange(starts, offset, offset + 1)[0], heading.node.level] as const]
  })
}

const byCommonmark = (text: string): Headings => {
  const headings: Array<Headings[number]> = []
  for (let node = new commonmark.Parser().parse(text).firstChild; node !== null; node = node.next) {
    if (node.type === "heading") headings.push([node.sourcepos[0][0], node.level])
  }
  return headings
}

/** Inline text moves no heading and is most of the time. */
const blocksOnly = {
  disable: {
    null: [
      "attention",
      "autolink",
      "codeText",
      "hardBreakEscape",
      "htmlText",
      "labelEnd",
      "labelStartImage",
      "labelStartLink"
    ]
  }
}

const byMicromark = (text: string): Headings =>
  fromMarkdown(text, { extensions: [gfm(), blocksOnly], mdastExtensions: [gfmFromMarkdown()] }).children.flatMap((
    node
  ) => node.type === "heading" ? [[node.position?.start.line ?? 0, node.depth] as const] : [])

const equal = (a: Headings, b: Headings): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What the oracles see of a document: neither byte order mark nor front matter. */
const seen = (text: string): string => text.slice(behindFrontMatter(text))

const below = (text: string, headings: Headings): Headings => {
  const before = text.slice(0, behindFrontMatter(text)).match(/\r\n|\r|\n/g)?.length ?? 0
  return headings.map(([line, level]) => [line + before, level])
}

describe("real documents", () => {
  const files = markdownFiles()

  it("there are hundreds", () => assert.isAbove(files.length, 300))

  it("commonmark.js sees the same headings in every one of them", () => {
    const differ = files.filter(({ text }) => !equal(ours(text), below(text, byCommonmark(seen(text)))))
    assert.deepStrictEqual(differ.map(({ name }) => name), [])
  })

  // It takes a hundred times as long as ours; all of the files have been compared once, without a difference.
  it("micromark sees the same headings in a few of them", () => {
    const few = files.filter(({ text }) => text.length < 6000).slice(0, 40)
    const differ = few.filter(({ text }) => !equal(ours(text), below(text, byMicromark(seen(text)))))
    assert.deepStrictEqual(differ.map(({ name }) => name), [])
  })

  it("their line ends change nothing", () => {
    for (const { name, text } of files.filter(({ text }) => text.length < 20_000)) {
      const lf = text.replace(/\r\n?/g, "\n")
      for (const end of ["\r\n", "\r"]) assert.deepStrictEqual(ours(lf.replaceAll("\n", end)), ours(lf), name)
    }
  })
})

describe("generated documents", () => {
  it("what both see, with any line end, behind a byte order mark and front matter", () => {
    let agreed = 0
    let runs = 0
    const tops = FastCheck.constantFrom("", "", "", "\uFEFF", "---\nk: v\n---\n", "\uFEFF+++\nk = 1\n+++\n")
    FastCheck.assert(
      // A footnote is a paragraph to one of them: where they agree on it, they do so by accident.
      FastCheck.property(tops, blockSoup.filter((soup) => !soup.includes("[^")), lineEnds, (top, soup, end) => {
        const text = `${top}${soup}`.replaceAll("\n", end)
        const [one, other] = [byCommonmark(seen(text)), byMicromark(seen(text))]
        runs += 1
        if (!equal(one, other)) return
        agreed += 1
        assert.deepStrictEqual(ours(text), below(text, one), JSON.stringify(text))
      }),
      // Other soups each time, or those of `SOUP_SEED`.
      {
        numRuns: Number(process.env["SOUP_RUNS"] ?? 1500),
        ...(process.env["SOUP_SEED"] === undefined ? {} : { seed: Number(process.env["SOUP_SEED"]) })
      }
    )
    assert.isAbove(agreed, 0.95 * runs, "the oracles agree nearly always")
  })

  it("tables and footnotes, which commonmark.js does not know, as micromark sees them", () => {
    const cases = [
      "| a |\n|---|\n# h",
      "| a | b |\n|---|---|\n| 1 |\nx\n===\n\ny\n---",
      "a | b\n---\n",
      "a\n:-\nb\n===",
      "a | b\n--|--\n===",
      "| a \\| b |\n|---|\n---",
      "- a | b\n  --|--\n\n# h",
      "| a |\n--\n",
      "# a | b\n--|--\n---",
      "text\n| a |\n|-|\n===",
      "[^1]: two words\n===",
      "[^1]: a\n\n    # b\n# c",
      "text\n[^1]: x\n===",
      "[^1]: - a\n\n      # h\n\n# t",
      "[^1]:\n--\ntext\n--",
      "- [^2]: x\n\n      # a\n# b",
      "[^a b]: # x\n===",
      "> [^1]: a\nb\n===\n# c",
      "[^1]: a\n# b",
      "[^1]: a\n\n  # b",
      "[^1]: a\n\n    b\n\n   c\n---"
    ]
    for (const text of cases) assert.deepStrictEqual(ours(text), byMicromark(text), JSON.stringify(text))
  })

  it("what markdown-it's own rules see otherwise than both", () => {
    const cases = [
      ">> #\u00A0x\n    >> \n####### x\n-\n",
      ">> text\nb\n> q\n     -\n't'\n---\n---",
      ">> [a]:\n&nbsp;\n\t> =\ntext two\n-\nfoo\\",
      ">> --|--\n     > q\n   't'\n=\n  -   \n[a]: b",
      ">> -\n    > q\n't'\n===",
      "> a\n    > b\nc\n---",
      "[a]:\n1. \n-\n     [a]: b\n&nbsp;",
      "[a]:\n===\n# h",
      "[a]: b\n    text\n===",
      "[a]: b\n2. x\n===",
      "- [a]: b\nc\n===",
      "[a]: javascript:x\n===",
      "| a |\n--\n=",
      "* b\n>> | a | b |\n   #\tx",
      `${"* ".repeat(100)}a\n\n# H`,
      "   1. c\n    # h\n===\n=\n# h",
      "1. a\n   1. c\n       # h\n===\n# h",
      "> 1. c\n>     # h\n> ===\n\n# h",
      "- a\n\n   1. c\n     # h\n===\n"
    ]
    for (const text of cases) {
      assert.deepStrictEqual(byMicromark(text), byCommonmark(text), JSON.stringify(text))
      assert.deepStrictEqual(ours(text), byCommonmark(text), JSON.stringify(text))
    }
  })

  it("quotes of hundreds of lines, lazy or not", () => {
    const cases = [
      `> a\n${"b\n".repeat(200)}===\n\n# h`,
      `> > a\n${"> b\nc\n".repeat(100)}===\nx\n---`,
      `${"> # a\nb\n".repeat(100)}c\n===`,
      `${">> # a\n> b\n".repeat(100)}\nc\n===`,
      `> - a\n${"b\n> c\n".repeat(300)}# h\nb\n===`,
      `> \`\`\`\n${"> a\n".repeat(100)}b\n===`
    ]
    for (const text of cases) {
      assert.deepStrictEqual(byMicromark(text), byCommonmark(text))
      assert.deepStrictEqual(ours(text), byCommonmark(text), text.slice(0, 40))
    }
  })

  it("what deviates from both, or from one for a reason", () => {
    const cases: ReadonlyArray<readonly [string, Headings]> = [
      // One of the two begins it at the text behind the definitions.
      ["[a]: b\n--\n-", [[1, 2]]],
      // Fifty items in one another are text from the sixteenth on; what follows keeps its place.
      [`${"* ".repeat(50)}a\n\n# H\n`, [[3, 1]]],
      [`${">".repeat(4000)}a\n\n# H\n`, [[3, 1]]]
    ]
    for (const [text, headings] of cases) assert.deepStrictEqual(ours(text), headings, text.slice(0, 40))
  })
})
