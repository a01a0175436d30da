/** The apps under examples/, as they are, against the built package. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { transformSync } from "esbuild"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { node } from "./Mem.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const sourceOf = (example: string): string => readFileSync(`${root}/examples/${example}/main.ts`, "utf8")

/** The package finds itself by its own name from its own folder. */
const run = (example: string) =>
  node(["--input-type=module", "-e", transformSync(sourceOf(example), { loader: "ts", format: "esm" }).code], {
    cwd: root
  })

describe("examples", () => {
  it.live("embed chunks a session", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* run("embed"), {
        code: 0,
        signal: null,
        stderr: "",
        stdout: `chunk 1: 8 tokens in 2 records
chunk 2: 6 tokens in 1 records
chunk 3: 11 tokens in 1 records, over budget
`
      })
    }))

  it.live("sync keeps a memory of what an app has, embeds nothing twice, and rebuilds it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* run("sync"), {
        code: 0,
        signal: null,
        stderr: "",
        stdout:
          `first: help ok: 3 new, 0 changed, 0 moved, 0 removed, 0 unchanged; 3 fetched, 3 texts embedded, 0 vectors reused
again: help ok: 0 new, 0 changed, 0 moved, 0 removed, 3 unchanged; 0 fetched, 0 texts embedded, 0 vectors reused
drift: new storage, changed ports, removed disks,locks; a sync would embed 1 of 2 passages
after it: help ok: 0 new, 1 changed, 1 moved, 1 removed, 0 unchanged; 2 fetched, 1 texts embedded, 1 vectors reused
rebuilt from 20 lines of the log: 2 passages, 0 calls of the embedder
the same state again: true
`
      })
    }))

  it("the guide shows the code of the app that runs", () => {
    const guide = readFileSync(`${root}/docs/embedding-mem.md`, "utf8")
    const blocks = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code)
    assert.isAbove(blocks.length, 2)
    for (const block of blocks) assert.include(sourceOf("sync"), block)
  })
})
