import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import type { DocumentBudget } from "../../src/chunk/DocumentChunker.ts"
import { embeddedText } from "../../src/chunk/EmbeddedText.ts"
import { heading } from "../../src/chunk/Heading.ts"
import { Passage } from "../../src/domain/Passage.ts"
import {
  behindFrontMatter,
  budgetOf,
  budgets,
  documents,
  keepsContextsShort,
  keepsTheBudget,
  knowsItsLines,
  obeysTheLaws,
  partitions
} from "./DocumentLaws.ts"
import { markdownFiles } from "./markdown/Files.ts"
import { markdown } from "./MarkdownSoup.ts"

const chunk = (text: string, budget: DocumentBudget = budgetOf(240)): ReadonlyArray<Passage> => {
  const passages = heading.chunk(text, budget)
  obeysTheLaws(text, budget, passages, behindFrontMatter)
  return passages
}

const embedded = (passage: Passage): string =>
  embeddedText(passage, passage.start === 0 ? heading.top(passage.text) : 0)

const texts = (text: string, budget?: DocumentBudget) => chunk(text, budget).map((passage) => passage.text)
const contexts = (text: string, budget?: DocumentBudget) => chunk(text, budget).map(({ context }) => context)

/** A token a word: blind to how lines end. */
const words = (max_tokens: number): DocumentBudget => ({
  max_tokens,
  max_characters: Infinity,
  count: (text) => text.match(/[^\s]+/g)?.length ?? 0
})

describe("sections", () => {
  it("a heading begins a passage and owns all up to the next, with the blank lines behind it", () => {
    assert.deepStrictEqual(texts("\n\n# A\n\na\n\n\n## B\nb\n\nC\n===\n"), [
      "\n\n# A\n\na\n\n\n",
      "## B\nb\n\n",
      "C\n===\n"
    ])
  })

  it("fields: spans and lines of the source, the path, what is not in the span as context", () => {
    assert.deepStrictEqual(chunk("\uFEFF# *A* #\r\n\r\n## B\r\nx"), [
      new Passage({
        ordinal: 0,
        start: 0,
        end: 12,
        lines: [1, 2],
        heading_path: ["*A*"],
        context: "",
        tokens: 2,
        over_budget: false,
        text: "\uFEFF# *A* #\r\n\r\n"
      }),
      new Passage({
        ordinal: 1,
        start: 12,
        end: 19,
        lines: [3, 4],
        heading_path: ["*A*", "B"],
        context: "*A*\n",
        tokens: 3,
        over_budget: false,
        text: "## B\r\nx"
      })
    ])
  })

  it("only headings at the top level part: none of a quote, a list, a footnote, a fence, HTML", () => {
    const inner = [
      "> # q",
      "> [!note]\n> # q",
      "- # i",
      "- a\n\n  # i",
      "[^1]: # f",
      "[^1]: f\n\n    # g",
      "~~~\n# c\n~~~",
      "    # c",
      "<!--\n\n# h\n-->"
    ]
    for (const text of inner) {
      assert.deepStrictEqual(chunk(`${text}\n\nx`).map(({ heading_path }) => heading_path), [[]])
    }
  })

  it("in notes of Obsidian as CommonMark has it: links, embeds and ids are text, %% and $$ hide nothing", () => {
    assert.deepStrictEqual(texts("[[A#B|c]] ![[e]] ^id\n#tag\n\n%%\n# in\n%%\n\n$$\n# too\n$$\n"), [
      "[[A#B|c]] ![[e]] ^id\n#tag\n\n%%\n",
      "# in\n%%\n\n$$\n",
      "# too\n$$\n"
    ])
  })

  it("an underlined heading begins with the link definitions of its paragraph", () => {
    assert.deepStrictEqual(texts("x\n\n[a]: b\n[c]: d\ntitle\n---\n\n[e]: f\n# A"), [
      "x\n\n",
      "[a]: b\n[c]: d\ntitle\n---\n\n[e]: f\n",
      "# A"
    ])
    assert.deepStrictEqual(chunk("[a]: b\ntitle\n---").map(({ heading_path }) => heading_path), [["title"]])
  })

  it("titles may be empty, and are no line of the context then", () => {
    const passages = chunk("# A\n##\n### C\nx")
    assert.deepStrictEqual(passages.map(({ heading_path }) => heading_path), [["A"], ["A", ""], ["A", "", "C"]])
    assert.strictEqual(passages[2]?.context, "A\n")
  })

  it("each passage has a path of its own", () => {
    const [first, second] = chunk("# A\n\na\n\nb", budgetOf(2))
    assert.notStrictEqual(first?.heading_path, second?.heading_path)
  })

  it("an empty or all-blank document has no passage", () => {
    for (const text of ["", "\n", "\uFEFF", "\uFEFF \r\n\t\r \n", " "]) assert.deepStrictEqual(texts(text), [])
  })
})

describe("front matter", () => {
  it("is in the first passage and in no embedded text", () => {
    const text = "\uFEFF---\nk: v\n---\n\n# A\n\nfirst\n\nsecond"
    assert.deepStrictEqual(texts(text, budgetOf(3)), ["\uFEFF---\nk: v\n---\n\n# A\n\nfirst\n\n", "second"])
    assert.deepStrictEqual(chunk(text, budgetOf(3)).map(embedded), ["# A\n\nfirst", "second"])
    assert.deepStrictEqual(heading.meta(text), { k: "v" })
  })

  it("takes no room, however long it is", () => {
    const text = `---\n${"key: a long value\n".repeat(200)}---\none line\n`
    assert.deepStrictEqual(chunk(text, budgetOf(3)).map(({ lines, tokens }) => [lines, tokens]), [[[1, 203], 2]])
  })

  it("alone is a passage with nothing to embed", () => {
    for (const text of ["---\nk: v\n---", "\uFEFF+++\nk = 1\n+++\n\n"]) {
      assert.deepStrictEqual(
        chunk(text, budgetOf(1)).map((passage) => [passage.text, passage.tokens, embedded(passage)]),
        [
          [text, 0, ""]
        ]
      )
    }
  })
})

describe("cuts", () => {
  it("at blank lines between blocks, then at edges of blocks, then at lines", () => {
    const text = "# A\n\naaaa aaaa\naaaa aaaa\n- b b b b b\n- c c c c c\n\nd d d d d d\n"
    assert.deepStrictEqual(texts(text, budgetOf(11)), [
      "# A\n\naaaa aaaa\naaaa aaaa\n- b b b b b\n",
      "- c c c c c\n\nd d d d d d\n"
    ])
    assert.deepStrictEqual(texts(text, budgetOf(7)), [
      "# A\n\naaaa aaaa\naaaa aaaa\n",
      "- b b b b b\n- c c c c c\n\n",
      "d d d d d d\n"
    ])
    assert.deepStrictEqual(texts(text, budgetOf(5))[0], "# A\n\naaaa aaaa\n")
  })

  it("a list is cut between its items, an item within only when it does not fit", () => {
    const item = (name: string) => `- ${name} ${"word ".repeat(4)}\n\n  more ${"word ".repeat(4)}\n`
    const list = ["a", "b", "c"].map(item)
    assert.deepStrictEqual(texts(list.join(""), budgetOf(16)), list)
    assert.deepStrictEqual(texts(list.join(""), budgetOf(8)).map((text) => text.trim().slice(0, 3)), [
      "- a",
      "mor",
      "- b",
      "mor",
      "- c",
      "mor"
    ])
  })

  it("what nests is cut from the outside in", () => {
    const text = "- a\n  - b\n\n    ```\n    c\n    c\n    ```\n  - d\n- e\n"
    assert.deepStrictEqual(texts(text, budgetOf(11)), [
      "- a\n  - b\n\n    ```\n    c\n    c\n    ```\n  - d\n",
      "- e\n"
    ])
    assert.deepStrictEqual(texts(text, budgetOf(10)), [
      "- a\n  - b\n\n    ```\n    c\n    c\n    ```\n",
      "  - d\n- e\n"
    ])
    assert.deepStrictEqual(texts(text, budgetOf(9)), [
      "- a\n",
      "  - b\n\n    ```\n    c\n    c\n    ```\n",
      "  - d\n- e\n"
    ])
    assert.deepStrictEqual(texts(text, budgetOf(7)), [
      "- a\n",
      "  - b\n\n",
      "    ```\n    c\n    c\n    ```\n",
      "  - d\n- e\n"
    ])
  })

  it("a quote is cut at its own paragraphs and lines, with their marks", () => {
    assert.deepStrictEqual(texts("> aaaa aaaa\n> bbbb\n>\n> cccc cccc\n", budgetOf(6)), [
      "> aaaa aaaa\n> bbbb\n>\n",
      "> cccc cccc\n"
    ])
  })

  it("a fence that does not fit is cut at its blank lines, then at lines, its opener repeated", () => {
    const text = `# A\n\n~~~js\n${"one(1)\n".repeat(4)}\n${"two(2)\n".repeat(5)}~~~\n\n${"behind".repeat(4)}`
    const passages = chunk(text, budgetOf(16))
    assert.deepStrictEqual(passages.map((passage) => [passage.context, passage.text]), [
      ["", `# A\n\n~~~js\n${"one(1)\n".repeat(4)}\n`],
      ["A\n~~~js\n", `${"two(2)\n".repeat(5)}~~~\n\n`],
      ["A\n", "behind".repeat(4)]
    ])
  })

  it("neither opener nor closer of a fence is left alone", () => {
    const text = `\`\`\`\n${"aaaa\n".repeat(9)}\`\`\`\n`
    for (let max = 3; max < 12; max += 1) {
      for (const piece of texts(text, budgetOf(max))) assert.match(piece, /aaaa/, `${max}`)
    }
  })

  it("an opener stays with the beginning of a line that is too long", () => {
    assert.deepStrictEqual(texts("```js\naaaa bbbb cccc dddd\n```\n", budgetOf(4)), [
      "```js\naaaa bbbb ",
      "cccc dddd\n```\n"
    ])
  })

  it("a mark alone stays with what it marks, up to the edge of the next block", () => {
    assert.deepStrictEqual(texts("- a\n\n  a\n-\n  bbbb\n  > qqqq qqqq\n\n  c\n", budgetOf(4)), [
      "- a\n\n  a\n",
      "-\n  bbbb\n",
      "  > qqqq qqqq\n\n",
      "  c\n"
    ])
  })

  it("a fence without an end, and one without a line", () => {
    assert.deepStrictEqual(texts("~~~\naaaa\nbbbb\n~~\n", budgetOf(2)), ["~~~\naaaa\n", "bbbb\n~~\n"])
    assert.deepStrictEqual(texts("aaaa bbb\n\n```\n```\n\ncccc", budgetOf(3)), ["aaaa bbb\n\n", "```\n```\n\n", "cccc"])
  })

  it("a table is cut between rows; an opener or header that is too long is not repeated, and costs no title", () => {
    const table = `| a much longer header than that |\n|---|\n${"| row |\n".repeat(12)}`
    const passages = chunk(`# T\n\n${table}`, budgetOf(20))
    assert.deepStrictEqual(passages.slice(1).map(({ context }) => context), passages.slice(1).map(() => "T\n"))
    assert.isTrue(passages.slice(1).every(({ text }) => /^(?:\| row \|\n)+$/.test(text)))
  })

  it("a header with its first row goes first, and alone only where they do not fit together", () => {
    const table = "| a | b | c | d |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |\n| 1 | 2 | 3 | 4 |\n"
    assert.deepStrictEqual(texts(table, budgetOf(14)), [table.slice(0, 54), "| 1 | 2 | 3 | 4 |\n"])
    assert.deepStrictEqual(texts(table, budgetOf(10)), [table.slice(0, 36), table.slice(36)])
  })

  it("HTML and indented code are not cut while they fit", () => {
    const html = "<pre>\na\n\nb\n</pre>\n"
    const code = "    a\n\n    b\n"
    assert.deepStrictEqual(texts(`xxxx xxxx\n\n${html}\n${code}\nyyyy yyyy`, budgetOf(5)), [
      "xxxx xxxx\n\n",
      `${html}\n`,
      `${code}\n`,
      "yyyy yyyy"
    ])
    assert.deepStrictEqual(texts(html, budgetOf(3)), ["<pre>\na\n\n", "b\n</pre>\n"])
  })
})

describe("a heading and its body", () => {
  it("stay together, wherever the body must be cut", () => {
    assert.deepStrictEqual(texts("# A\n\naaaa bbbb cccc dddd eeee", budgetOf(4)), [
      "# A\n\naaaa bbbb ",
      "cccc dddd eeee"
    ])
    assert.deepStrictEqual(texts("# A\n\naaaa.\nbbbb.\n", budgetOf(3)), ["# A\n\naaaa.\n", "bbbb.\n"])
    assert.deepStrictEqual(texts(`# A\n\n${"a".repeat(20)}`, budgetOf(3)), ["# A\n\naaaaaaa", "aaaaaaaaaaaa", "a"])
    assert.deepStrictEqual(texts("# A\n\n```js\naaaa\nbbbb\n```\n", budgetOf(4)), [
      "# A\n\n```js\naaaa\n",
      "bbbb\n```\n"
    ])
  })

  it("part before an atom that fits only without it", () => {
    const fence = `\`\`\`\n${"aaaa\n".repeat(8)}\`\`\`\n`
    assert.deepStrictEqual(texts(`# Aaaaaaa\n\n${fence}\nx`, budgetOf(15)), [`# Aaaaaaa\n\n${fence}\n`, "x"])
    assert.deepStrictEqual(texts(`# Aaaaaaa\n\n${fence}\nx`, budgetOf(14)), ["# Aaaaaaa\n\n", `${fence}\n`, "x"])
    assert.deepStrictEqual(contexts(`# Aaaaaaa\n\n${fence}\nx`, budgetOf(14)), ["", "Aaaaaaa\n", "Aaaaaaa\n"])
    // The item does not fit, but the fence that it begins with does.
    const item = `- ${fence.trim().replaceAll("\n", "\n  ")}\n`
    const more = `\n  ${"word ".repeat(12)}\n`
    assert.deepStrictEqual(texts(`# Aaaaaaa\n\n${item}${more}`, budgetOf(19)).slice(0, 2), [
      "# Aaaaaaa\n\n",
      `${item}\n`
    ])
  })

  it("part where nothing of the body fits beside it", () => {
    const family = "\uD83D\uDC69\u200D\uD83D\uDC67\u200D\uD83D\uDC66"
    assert.deepStrictEqual(texts(`# A long\n\n${family}`, budgetOf(2)), ["# A long\n\n", family])
  })

  it("are cut as any text where the heading is too long", () => {
    assert.deepStrictEqual(texts("# One two three\n\nbody it is", budgetOf(3)), [
      "# One two ",
      "three\n\nbody ",
      "it is"
    ])
  })

  it("the title of a heading stands in no piece that its line is in, not even in part", () => {
    const passages = chunk(`# ${"title ".repeat(10)}\n\nbody`, budgetOf(4))
    assert.deepStrictEqual(passages.map(({ context }) => context), passages.map(() => ""))
    const defined = chunk(`[a]: ${"b".repeat(90)}\nTitle\n---\n\n${"body ".repeat(12)}`, budgetOf(12))
    assert.deepStrictEqual(defined.map(({ context, text }) => [text.includes("Title\n---"), context]), [
      [false, ""],
      [false, ""],
      [false, ""],
      [true, ""],
      [false, "Title\n"]
    ])
  })
})

describe("context", () => {
  const nested = (body: string) => `# One\n## Two\n### Three\n${body}`
  const last = (text: string, budget: DocumentBudget) => chunk(text, budget).at(-1)?.context

  it("is at most a quarter of the budget; titles go, the outermost first", () => {
    const body = "word ".repeat(60)
    assert.strictEqual(last(nested(body), budgetOf(16)), "One\nTwo\nThree\n")
    assert.strictEqual(last(nested(body), budgetOf(15)), "Two\nThree\n")
    assert.strictEqual(last(nested(body), budgetOf(8)), "Three\n")
    assert.strictEqual(last(nested(body), budgetOf(7)), "")
  })

  it("is at most a quarter of the cap on characters too", () => {
    assert.strictEqual(last(nested("word ".repeat(60)), { ...words(100), max_characters: 56 }), "One\nTwo\nThree\n")
    assert.strictEqual(last(nested("word ".repeat(60)), { ...words(100), max_characters: 55 }), "Two\nThree\n")
  })

  it("an inner title that is too long takes those above it along", () => {
    assert.strictEqual(last(`# A\n## ${"long ".repeat(20)}\n\n${"word ".repeat(60)}`, budgetOf(40)), "")
    assert.strictEqual(last(`# ${"long ".repeat(20)}\n## B\n\n${"word ".repeat(60)}`, budgetOf(40)), "B\n")
  })

  it("an opener goes before the titles", () => {
    const fence = `\`\`\`js\n${"code(1)\n".repeat(30)}\`\`\``
    assert.strictEqual(last(nested(fence), budgetOf(24)), "One\nTwo\nThree\n```js\n")
    assert.strictEqual(last(nested(fence), budgetOf(19)), "Two\nThree\n```js\n")
    assert.strictEqual(last(nested(fence), budgetOf(8)), "```js\n")
    assert.strictEqual(last(nested(fence), budgetOf(7)), "")
  })

  it("the opener of a fence within others is the line that it stands on", () => {
    const text = `- \`\`\`js\n${"  code\n".repeat(9)}  \`\`\`\n`
    assert.include(contexts(text, budgetOf(12)), "- ```js\n")
  })
})

describe("laws, for any document and budget", () => {
  const soupAndBudget = FastCheck.tuple(markdown, budgets)

  it.prop("partition, lines, clusters, budget, contexts", [soupAndBudget], ([[text, budget]]) => {
    for (const passage of chunk(text, budget)) Schema.validateSync(Passage)(passage)
  }, { fastCheck: { numRuns: 300 } })

  it.prop("the same for text that is no Markdown", [documents, budgets], ([text, budget]) => {
    chunk(text, budget)
  }, { fastCheck: { numRuns: 200 } })

  it.prop("the first passage knows where the embedded part begins", [soupAndBudget], ([[text, budget]]) => {
    const [first] = heading.chunk(text, budget)
    if (first !== undefined) assert.strictEqual(heading.top(first.text), heading.top(text))
  }, { fastCheck: { numRuns: 500 } })

  it.prop("lone surrogates pass through", [
    FastCheck.array(FastCheck.constantFrom("\uD83D", "\uDE00", "a", "\n\n", "# ", "\n", "```"))
  ], ([units]) => {
    const passages = heading.chunk(units.join(""), budgetOf(2))
    partitions(units.join(""), passages)
    assert.isTrue(passages.every(({ context, heading_path }) => (context + heading_path.join("")).isWellFormed()))
  })

  it.prop("LF, CRLF and CR give the same passages", [markdown, FastCheck.integer({ min: 1, max: 30 })], ([any, n]) => {
    const lf = any.replace(/\r\n?/g, "\n")
    const shape = (text: string) =>
      heading.chunk(text, words(n)).map(({ context, heading_path, lines, over_budget, text, tokens }) => [
        lines,
        heading_path,
        context,
        tokens,
        over_budget,
        text.replace(/\r\n?/g, "\n")
      ])
    assert.deepStrictEqual(shape(lf.replaceAll("\n", "\r\n")), shape(lf))
    assert.deepStrictEqual(shape(lf.replaceAll("\n", "\r")), shape(lf))
  }, { fastCheck: { numRuns: 200 } })

  it.prop("a budget of 1 ends", [markdown, FastCheck.constantFrom(1, 2000)], ([text, max_characters]) => {
    chunk(text, budgetOf(1, max_characters))
  })

  it.prop("the same text gives the same passages", [soupAndBudget], ([[text, budget]]) => {
    assert.deepStrictEqual(heading.chunk(text, budget), heading.chunk(text, budget))
  })
})

describe("laws, for documents whose blocks are known", () => {
  const block = FastCheck.oneof(
    FastCheck.nat(40).map((n) => ({ kind: "text", of: (id: string) => `p${id} ${"word ".repeat(n)}\n` })),
    FastCheck.nat(12).map((n) => ({ kind: "atom", of: (id: string) => `\`\`\`js\n${`c${id}\n\n`.repeat(n)}\`\`\`\n` })),
    FastCheck.nat(12).map((n) => ({ kind: "atom", of: (id: string) => `| h${id} |\n|---|\n${"| 1 |\n".repeat(n)}` })),
    FastCheck.nat(8).map((n) => ({ kind: "atom", of: (id: string) => `- i${id}\n\n${"  more\n".repeat(n)}` })),
    FastCheck.nat(8).map((n) => ({
      kind: "atom",
      of: (id: string) => `<pre>${id}\n${"\n<i>x</i>\n".repeat(n)}</pre>\n`
    })),
    FastCheck.integer({ min: 1, max: 4 }).map((level) => ({
      kind: "heading",
      of: (id: string) => `${"#".repeat(level)} Title${id}x\n`
    }))
  )

  const known = FastCheck.tuple(
    FastCheck.array(block, { maxLength: 14 }).map((blocks) =>
      blocks.map(({ kind, of }, i) => ({ kind, text: of(`${i}`) }))
    ),
    FastCheck.integer({ min: 4, max: 80 })
  )

  const joined = (blocks: ReadonlyArray<{ readonly text: string }>) => blocks.map(({ text }) => `${text}\n`).join("")

  it.prop("what fits beside any context is in one passage, if it is an atom", [known], ([[blocks, max]]) => {
    const budget = budgetOf(max)
    const passages = chunk(joined(blocks), budget)
    for (const { kind, text } of blocks) {
      const most = budget.count(text.trimEnd()) + Math.ceil(max / 4) + 1
      if (kind === "atom" && most <= max) assert.isTrue(passages.some((passage) => passage.text.includes(text)), text)
    }
  }, { fastCheck: { numRuns: 300 } })

  it.prop(
    "every heading begins a passage, has the path above it, and is embedded once at most",
    [known],
    ([[all, max]]) => {
      const passages = chunk(joined(all), budgetOf(max))
      const path: Array<{ readonly level: number; readonly title: string }> = []
      const headings = all.filter(({ kind }) => kind === "heading").map(({ text }) => text.trim())
      for (const line of headings) {
        const level = line.indexOf(" ")
        while ((path.at(-1)?.level ?? 0) >= level) path.pop()
        path.push({ level, title: line.slice(level + 1) })
        const titles = path.map(({ title }) => title)
        const own = passages.filter(({ heading_path }) => heading_path.at(-1) === titles.at(-1))
        assert.isTrue(own.length > 0 && line.startsWith(own[0]?.text.trim().slice(0, line.length) ?? "none"), line)
        for (const passage of own) {
          assert.deepStrictEqual(passage.heading_path, titles)
          const text = embedded(passage)
          const repeated = passage.context.split("\n").filter((line) => !titles.includes(line)).join("\n")
          const fits = budgetOf(max).count(`${titles.join("\n")}\n${repeated}\n`) <= Math.floor(max / 4)
          for (const title of titles) {
            const times = text.split(title).length - 1
            assert.isTrue(fits ? times === 1 : times <= 1, `${title}: ${times} in ${JSON.stringify(text)}`)
          }
        }
      }
      const begun = passages.filter(({ text }) => /^#+ Title/.test(text)).length
      assert.strictEqual(begun, headings.length)
    },
    { fastCheck: { numRuns: 300 } }
  )

  it.prop("a heading is alone only before an atom, or where it has no body", [known], ([[blocks, max]]) => {
    const passages = chunk(joined(blocks), budgetOf(max))
    blocks.forEach(({ kind, text }, i) => {
      if (kind !== "heading" || blocks[i + 1]?.kind !== "text" || budgetOf(max).count(text) + 3 > max) return
      const own = passages.find((passage) => passage.text.startsWith(text))
      assert.match(own?.text ?? "", /^#+ Title\d+x\n\np/)
    })
  }, { fastCheck: { numRuns: 200 } })
})

describe("real documents", () => {
  it("obey the laws at any budget", { timeout: 60_000 }, () => {
    for (const [i, { name, text }] of markdownFiles().entries()) {
      const budget = budgetOf(text.length > 20_000 ? 240 : [240, 60, 16][i % 3] ?? 240)
      const passages = heading.chunk(text, budget)
      partitions(text, passages)
      keepsContextsShort(budget, passages)
      if (text.length < 20_000) {
        knowsItsLines(text, passages)
        keepsTheBudget(budget, passages, behindFrontMatter)
      }
      assert.strictEqual(heading.top(passages[0]?.text ?? ""), heading.top(text), name)
    }
  })
})
