import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { mutation } from "./test/crash/SourceMutants.ts"

/** What looks at the heap, and what shares a layer between its tests: `it.layer` leaves its clock behind. */
const apart = [
  "test/chunk/chunks.test.ts",
  "test/crash/*.test.ts",
  "test/layers/EmbedderMiniLmEngines.test.ts",
  "test/layers/EmbedderOnnxFolder.test.ts",
  "test/layers/SessionStreaming.test.ts",
  "test/log/Lines.test.ts",
  "test/log/verify.test.ts"
]

export default defineConfig({
  plugins: [...mutation(process.env["MUTANT"])],
  test: {
    reporters: ["default", "./test/reporter.ts"],
    pool: "forks",
    // One for each core: the main process has next to nothing to do meanwhile.
    maxWorkers: availableParallelism(),
    // The memory tests collect garbage before they look at the heap.
    poolOptions: { forks: { execArgv: ["--expose-gc"] } },
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: "apart", include: apart }
      },
      {
        // Loading Effect anew for each file took a sixth of all the time.
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: apart,
          poolOptions: { forks: { isolate: false } }
        }
      }
    ]
  }
})
