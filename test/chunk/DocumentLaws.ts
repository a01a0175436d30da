/** What holds for the Passages of any document, whichever chunker made them. Nothing here uses the code it checks. */
import { assert } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as CharsOverFour from "../../layers/TokenCounter/CharsOverFour.ts"
import type { DocumentBudget } from "../../src/chunk/DocumentChunker.ts"
import { embeddedText } from "../../src/chunk/EmbeddedText.ts"
import type { Passage } from "../../src/domain/Passage.ts"

export const budgetOf = (max_tokens: number, max_characters = 2000): DocumentBudget => ({
  max_tokens,
  max_characters,
  count: CharsOverFour.make.count
})

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

export const isBlank = (text: string): boolean => /^\uFEFF?[ \t\r\n]*$/.test(text)

const lineEnds = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0

/** Where the document goes on behind its byte order mark and, where it may have one, its front matter. */
export type TopOf = (text: string) => number

export const behindMark: TopOf = (text) => text.startsWith("\uFEFF") ? 1 : 0

/** Line by line, as a reader would. */
export const behindFrontMatter: TopOf = (text) => {
  const lines = text.slice(behindMark(text)).match(/[^\r\n]*(?:\r\n|\r|\n|$)/g) ?? []
  const bare = lines.map((line) => line.replace(/[ \t\r\n]+$/, ""))
  const closed = bare.indexOf(bare[0] ?? "", 1)
  return (bare[0] === "---" || bare[0] === "+++") && closed > 0
    ? behindMark(text) + lines.slice(0, closed + 1).join("").length
    : behindMark(text)
}

/** What of the passage is embedded, but for blank edges. */
const bodyOf = ({ start, text }: Passage, topOf: TopOf): string => start === 0 ? text.slice(topOf(text)) : text

export const partitions = (text: string, passages: ReadonlyArray<Passage>): void => {
  assert.strictEqual(passages.map((passage) => passage.text).join(""), isBlank(text) ? "" : text)
  let end = 0
  passages.forEach((passage, ordinal) => {
    assert.strictEqual(passage.ordinal, ordinal)
    assert.strictEqual(passage.start, end)
    assert.strictEqual(passage.text, text.slice(passage.start, passage.end))
    assert.isFalse(/^[ \t\r\n]*$/.test(bodyOf(passage, behindMark)), `blank: ${JSON.stringify(passage.text)}`)
    if (text.isWellFormed()) assert.isTrue(passage.text.isWellFormed())
    end = passage.end
  })
}

export const knowsItsLines = (text: string, passages: ReadonlyArray<Passage>): void => {
  for (const { end, lines, start } of passages) {
    assert.deepStrictEqual(lines, [
      lineEnds(text.slice(0, start)) + 1,
      lineEnds(text.slice(0, end)) + (/[\r\n]/.test(text.charAt(end - 1)) ? 0 : 1)
    ])
  }
}

export const cutsBetweenClusters = (text: string, passages: ReadonlyArray<Passage>): void => {
  const clusters = graphemes.segment(text)
  for (const { start } of passages) assert.strictEqual(clusters.containing(start)?.index, start)
}

/** The clusters of a text that are not blank. */
const inked = (text: string): number =>
  [...graphemes.segment(text)].filter(({ segment }) => !/^[ \t\r\n]*$/.test(segment)).length

export const keepsTheBudget = (
  budget: DocumentBudget,
  passages: ReadonlyArray<Passage>,
  topOf: TopOf = behindMark
): void => {
  for (const passage of passages) {
    // As it is rebuilt from the log, where the document itself is not at hand.
    const embedded = embeddedText(passage, passage.start === 0 ? topOf(passage.text) : 0)
    assert.strictEqual(passage.tokens, budget.count(embedded))
    assert.strictEqual(
      passage.over_budget,
      passage.tokens > budget.max_tokens || embedded.length > budget.max_characters
    )
    if (passage.over_budget) assert.strictEqual(inked(bodyOf(passage, topOf)), 1, "could have been cut")
  }
}

/** A context is a quarter of the budget at most, and whole lines. */
export const keepsContextsShort = (budget: DocumentBudget, passages: ReadonlyArray<Passage>): void => {
  for (const { context } of passages) {
    assert.isAtMost(budget.count(context), budget.max_tokens / 4)
    assert.isAtMost(context.length, budget.max_characters / 4)
    assert.isTrue(context === "" || (context.endsWith("\n") && context.isWellFormed()))
  }
}

export const obeysTheLaws = (
  text: string,
  budget: DocumentBudget,
  passages: ReadonlyArray<Passage>,
  topOf: TopOf = behindMark
): void => {
  partitions(text, passages)
  knowsItsLines(text, passages)
  cutsBetweenClusters(text, passages)
  keepsTheBudget(budget, passages, topOf)
  keepsContextsShort(budget, passages)
}

const fragments = [
  "\n",
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  "\r\n\r\n",
  "\r\r",
  "\n \t\n",
  " ",
  "  ",
  "\t",
  "\uFEFF",
  "\u00A0",
  "\u0085",
  "\u2028",
  "\u000B",
  "\u000C",
  "\u200B",
  "\u200D",
  "a",
  "The end. ",
  "word ",
  "Mr. Smith said: \"no.\" ",
  "antidisestablishmentarianism",
  "e\u0301",
  "\u0301",
  "\u00E9\u6F22",
  "\u6F22\u5B57\u3002",
  "\u0E2A\u0E27\u0E31",
  "\uD83D\uDE00",
  "\uD83D\uDC4D\uD83C\uDFFD",
  "\uD83C\uDDE9\uD83C\uDDEA",
  "\uD83D\uDC69\u200D\uD83D\uDC67",
  "\u0915\u094D\u0937",
  "\u1100\u1161\u11A8",
  "\u0600"
]

/** Documents of everything that chunkers get wrong, always well-formed. */
export const documents: FastCheck.Arbitrary<string> = FastCheck.array(
  FastCheck.oneof(
    { weight: 12, arbitrary: FastCheck.constantFrom(...fragments) },
    { weight: 1, arbitrary: FastCheck.fullUnicodeString({ maxLength: 6 }) },
    {
      weight: 1,
      arbitrary: FastCheck.tuple(FastCheck.constantFrom("x", " ", "\n", "y "), FastCheck.nat(60)).map(([unit, n]) =>
        unit.repeat(n)
      )
    }
  ),
  { maxLength: 60 }
).map((parts) => parts.join(""))

export const budgets: FastCheck.Arbitrary<DocumentBudget> = FastCheck.tuple(
  FastCheck.oneof(FastCheck.integer({ min: 1, max: 12 }), FastCheck.integer({ min: 13, max: 80 })),
  FastCheck.constantFrom(2000, 2000, 40, 1)
).map(([max_tokens, max_characters]) => budgetOf(max_tokens, max_characters))
