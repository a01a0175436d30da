import { assert, it } from "@effect/vitest"
import { add, footer, header, nothing, row } from "../../src/cli/ChunkTable.ts"
import { ChunkSummary } from "../../src/domain/ChunkReport.ts"
import { RecordKey } from "../../src/domain/Ids.ts"

const summary = (t: number, tokens: number, keys: ReadonlyArray<string>, over_budget = false) =>
  new ChunkSummary({ t, tokens, over_budget, record_keys: keys.map((key) => RecordKey.make(key)) })

const made = { max_tokens: 5000, counter: "chars-over-four/1" }

it("names the first and the last key of a chunk", () => {
  assert.strictEqual(row(summary(1, 5, ["a"])), "     1          5        1  a\n")
  assert.strictEqual(row(summary(12, 5, ["a", "b"])), "    12          5        2  a to b\n")
  assert.strictEqual(row(summary(123456, 1234567, ["a", "b", "c"])), "123,456  1,234,567        3  a to c\n")
})

it("marks what is over budget", () => {
  assert.strictEqual(row(summary(1, 6000, ["a"], true)), "     1      6,000        1  a  over budget\n")
})

it("stands under its header, column by column", () => {
  assert.strictEqual(header("a file"), "a file\n     t     tokens  records  keys\n")
})

it("keeps to its lines and its width, whatever names and keys hold", () => {
  assert.strictEqual(header("a\n\u001b[2Jb").split("\n").length, 3)
  assert.notInclude(header("a\n\u001b[2Jb"), "\u001b")
  const line = row(summary(1, 1, ["x\n\u001b[31my", "k".repeat(500)]))
  assert.strictEqual(line.split("\n").length, 2)
  assert.notInclude(line, "\u001b")
  assert.isAtMost(line.length, 80)
})

it("sums up, one being singular", () => {
  assert.strictEqual(
    footer(add(nothing, summary(1, 1, ["a"])), made),
    "1 chunk, 1 record, 1 token (budget 5,000, counted by chars-over-four/1)\n"
  )
  const totals = [summary(1, 6000, ["a"], true), summary(2, 10, ["b", "c"]), summary(3, 7000, ["d"], true)]
    .reduce(add, nothing)
  assert.deepStrictEqual(totals, { chunks: 3, records: 4, tokens: 13010, overBudget: 2 })
  assert.strictEqual(
    footer(totals, made),
    "3 chunks, 4 records, 13,010 tokens (budget 5,000, counted by chars-over-four/1); over budget, kept whole: 2\n"
  )
  assert.strictEqual(
    footer(nothing, made),
    "0 chunks, 0 records, 0 tokens (budget 5,000, counted by chars-over-four/1)\n"
  )
})
