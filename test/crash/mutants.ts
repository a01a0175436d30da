/** `npm run test:mutants`: each mutant of the source has to turn its test red. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { count, sourceMutants } from "./SourceMutants.ts"

/** Some of them, by words of their names; all where none is given. */
const wanted = process.argv.slice(2)
const chosen = sourceMutants.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))

let missed = 0
for (const { name, patches, test } of chosen) {
  const unmatched = patches.filter(({ file, from }) => count(readFileSync(file, "utf8"), from) !== 1)
  const { status, stderr } = spawnSync("npx", [
    "--no-install",
    "vitest",
    "run",
    `test/crash/${test}.test.ts`,
    "-t",
    "whatever happens|a bit that"
  ], {
    env: { ...process.env, MUTANT: name },
    encoding: "utf8",
    maxBuffer: 1e9
  })
  const noticed = unmatched.length === 0 && status === 1 && stderr.includes("AssertionError")
  if (!noticed) missed += 1
  const why = unmatched.length > 0 ? `, for its text is not in ${unmatched.map(({ file }) => file).join(", ")}` : ""
  process.stdout.write(`${noticed ? "noticed" : "NOT NOTICED"}${why}: ${name}\n`)
}
process.stdout.write(`${chosen.length - missed} of ${chosen.length} mutants noticed\n`)
process.exitCode = missed === 0 ? 0 : 1
