/** How much memory the reading of a transcript takes: that of a batch, whatever the file's size. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { node } from "../composition/Mem.ts"
import { type Kind, perTurn, writeLarge } from "../fixtures/LargeTranscript.ts"
import { transcripts } from "../fixtures/Transcripts.ts"

/** `npm run test:large` reads 200 MB of each agent. */
const large = process.env["TRANSCRIPT_MB"]
const megabytes = Number(large ?? 40)

/** Effect and the loader of TypeScript take half of it; a file of 40 MB does not fit in the rest, however it is held. */
const heap = 80

const kinds: ReadonlyArray<Kind> = large === undefined ? ["claude-code"] : ["claude-code", "pi", "codex"]

describe("RecordSource", () => {
  for (const kind of kinds) {
    it.scopedLive(
      `${kind} streams a transcript of ${megabytes} MB through a heap of ${heap} MB`,
      () =>
        Effect.gen(function*() {
          const { at } = yield* transcripts
          const path = at("large.jsonl")
          const turns = writeLarge(path, kind, megabytes * 1e6)
          const args = [
            `--max-old-space-size=${heap}`,
            "--import",
            "tsx",
            "test/fixtures/transcriptReader.ts",
            kind,
            path
          ]
          const { code, stderr, stdout } = yield* node(args, { cwd: process.cwd() })
          assert.strictEqual(code, 0, stderr)
          const { records, rss }: { readonly records: number; readonly rss: number } = JSON.parse(stdout)
          assert.strictEqual(records, turns * perTurn)
          assert.isBelow(rss, 260e6)
        }),
      { timeout: 600_000 }
    )
  }
})
