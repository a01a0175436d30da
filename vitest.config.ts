import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { mutation } from "./test/crash/SourceMutants.ts"

export default defineConfig({
  plugins: [...mutation(process.env["MUTANT"])],
  test: {
    include: ["test/**/*.test.ts"],
    reporters: ["default", "./test/reporter.ts"],
    pool: "forks",
    // One for each core: the main process has next to nothing to do meanwhile.
    maxWorkers: availableParallelism(),
    // The memory tests collect garbage before they look at the heap.
    poolOptions: { forks: { execArgv: ["--expose-gc"] } },
    testTimeout: 30_000
  }
})
