/**
 * Model calls of the needle task by where the evidence lies and by the exit gate, as Markdown. Calls alone: the model
 * looks for words, so its time says nothing.
 */
import * as Effect from "effect/Effect"
import type { Exit } from "../../src/memory/Gate.ts"
import { type Fifths, needles, placesOf, read, spreads } from "../fixtures/Needle.ts"

const sessions = 20
const chunks = 180
/** With 5,000 tokens a chunk these are about the contexts of the paper, 112K to 896K. */
const lengths = [23, 45, 90, 180]

const mean = async (chunks: number, fifths: Fifths, exit: Exit): Promise<number> => {
  let sum = 0
  for (let seed = 0; seed < sessions; seed++) {
    const { calls, evidence, memory = "" } = await Effect.runPromise(read(chunks, placesOf(chunks, fifths, seed), exit))
    if (evidence === 0 || !needles.every((word) => memory.includes(word))) {
      console.error(`exit ${exit}, session ${seed} of ${chunks} chunks: not all was found`)
      process.exitCode = 1
    }
    sum += calls
  }
  return sum / sessions
}

const row = (...cells: ReadonlyArray<string | number>): void =>
  console.log(`| ${cells.map((cell) => typeof cell === "number" ? cell.toFixed(1) : cell).join(" | ")} |`)

export const needle = async (): Promise<void> => {
  console.log(
    `Model calls for a session of ${chunks} chunks with ${needles.length} pieces of evidence, mean of ${sessions}\n`
  )
  row("evidence at", "exit `off`", "`confirm2`", "`on`", "`off` / `on`")
  row("---", "---", "---", "---", "---")
  for (const { fifths, name } of spreads) {
    const off = await mean(chunks, fifths, "off")
    const on = await mean(chunks, fifths, "on")
    row(name, off, await mean(chunks, fifths, "confirm2"), on, `${(off / on).toFixed(1)}x`)
  }
  console.log("\nEvidence in the first fifth\n")
  row("chunks", "exit `off`", "`on`", "`off` / `on`")
  row("---", "---", "---", "---")
  for (const length of lengths) {
    const off = await mean(length, [0, 0, 0, 0, 0], "off")
    const on = await mean(length, [0, 0, 0, 0, 0], "on")
    row(`${length}`, off, on, `${(off / on).toFixed(1)}x`)
  }
}
