/**
 * Every change of the disk that a sync makes, cut short in every way. The long form, with sixty seeds for each change:
 * `npm run test:crash`. Here one of thirty-two of the runs with eight seeds.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import { campaign } from "./Campaign.ts"

const { CRASH_SEEDS } = process.env
const seeds = Array.from({ length: Number(CRASH_SEEDS ?? 8) }, (_, i) => i + 1)

describe("a sync that is cut short", () => {
  it.effect(
    "keeps what it promises, whatever happens to its process and its disk, at every change of it",
    () =>
      Effect.gen(function*() {
        const { runs, violations } = yield* campaign(seeds, { share: CRASH_SEEDS === undefined ? 32 : 1, all: true })
        writeSync(1, `${runs} runs cut short, ${violations.length} violations\n`)
        assert.deepStrictEqual(violations.slice(0, 3), [])
        assert.isAbove(runs, 150)
      }),
    24 * 3_600_000
  )
})
