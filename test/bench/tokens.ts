/**
 * The token counter against gpt-tokenizer and tiktoken: on the Markdown of the installed packages, where all three must
 * agree, and on hostile texts, where the work may not grow much faster than the text.
 */
import * as Effect from "effect/Effect"
import * as cl100kOfGpt from "gpt-tokenizer/encoding/cl100k_base"
import * as o200kOfGpt from "gpt-tokenizer/encoding/o200k_base"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { get_encoding } from "tiktoken"
import { cl100kBase, make, o200kBase } from "../../layers/TokenCounter/Tiktoken.ts"
import { alternate } from "./alternate.ts"
import { growth } from "./growth.ts"

const leastGain = 1.5

const fail = (verdict: string): void => {
  console.error(verdict)
  process.exitCode = 1
}

const markdown = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.md$/i.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))

const encodings = [
  { encoding: o200kBase, reference: get_encoding("o200k_base"), gpt: o200kOfGpt.countTokens },
  { encoding: cl100kBase, reference: get_encoding("cl100k_base"), gpt: cl100kOfGpt.countTokens }
]

/** Nothing is special: the others would throw, or count one. */
const plain = { disallowedSpecial: new Set<string>() }

type Count = (text: string) => number

const onRealText = async (counters: ReadonlyArray<readonly [string, Count]>): Promise<void> => {
  const texts = [...new Set(markdown("node_modules"))]
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const sums = counters.map(([, count]) => texts.map(count))
  const [expected = [], ...others] = sums
  for (const [i, found] of others.entries()) {
    const other = found.filter((n, j) => n !== expected[j]).length
    if (other > 0) fail(`${counters[i + 1]?.[0] ?? ""} counts ${other} of ${texts.length} files otherwise`)
  }
  const results = await alternate(
    counters.map(([name, count]) => ({ name, run: async () => texts.forEach((text) => count(text)) })),
    { rounds: 7, warmUp: 2, collect: false }
  )
  for (const { median, name, ratio } of results) {
    console.log(
      `  ${name.padEnd(24)} ${(characters / median / 1000).toFixed(1).padStart(6)} M characters/s   ${
        ratio.toFixed(2)
      }x`
    )
  }
  const ours = results.at(-1)
  for (const { name, ratio } of results.slice(0, -1)) {
    const gain = (ours?.ratio ?? 0) / ratio
    if (gain < leastGain) fail(`${gain.toFixed(2)} times the speed of ${name} is less than ${leastGain}`)
  }
}

const hostile = [
  "a",
  "A",
  "-",
  " ",
  "\n",
  "漢",
  "\u0301",
  "中文字符没有空格",
  "qz",
  "ab1!",
  "\ud83d",
  "Aa",
  " \t!",
  "/\n"
]

export const tokens = async (): Promise<void> => {
  for (const { encoding, gpt, reference } of encodings) {
    console.log(encoding.name)
    const { count } = await Effect.runPromise(make(encoding))
    await onRealText([
      ["tiktoken (WebAssembly)", (text) => reference.encode_ordinary(text).length],
      ["gpt-tokenizer", (text) => gpt(text, plain)],
      ["ours", count]
    ])
    growth(hostile, count)
  }
}
