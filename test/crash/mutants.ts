/** `npm run test:mutants`: each mutant of the source has to turn its test red. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { count, sourceMutants } from "./SourceMutants.ts"

let missed = 0
for (const { name, patches, test } of sourceMutants) {
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
process.stdout.write(`${sourceMutants.length - missed} of ${sourceMutants.length} mutants noticed\n`)
process.exitCode = missed === 0 ? 0 : 1
