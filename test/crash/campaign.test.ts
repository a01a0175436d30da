/**
 * Every change of the disk that a sync makes, cut short in every way. The long form, with sixty seeds for each change:
 * `npm run test:crash`. Here one in ninety-seven of the runs with eight seeds.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import { campaign, inRecovery } from "./Campaign.ts"
import { mutants } from "./DiskMutants.ts"
import { mutantOf } from "./SourceMutants.ts"

const { CRASH_SEEDS, MUTANT } = process.env
/** Of so many runs one is made; all of those that show a mutant. */
const share = CRASH_SEEDS === undefined && MUTANT === undefined ? 97 : 1
const shownBy = mutantOf(MUTANT)?.shownBy
const seeds = Array.from({ length: Number(CRASH_SEEDS ?? 8) }, (_, i) => i + 1)

describe("a sync that is cut short", () => {
  it.effect(
    "keeps what it promises, whatever happens to its process and its disk, at every change of it",
    () =>
      Effect.gen(function*() {
        const { runs, violations } = yield* campaign(seeds, {
          ...(shownBy === undefined ? {} : { only: [shownBy] }),
          share,
          all: MUTANT === undefined
        })
        writeSync(1, `${runs} runs cut short, ${violations.length} violations\n`)
        assert.deepStrictEqual(violations.slice(0, 3), [])
        assert.isAbove(runs, 60)
      }),
    24 * 3_600_000
  )

  it.effect(
    "keeps it where the run that goes on from there is cut short too, at every change of it",
    () =>
      Effect.gen(function*() {
        const { runs, violations } = yield* inRecovery(share === 1 ? 7 : 19, {
          share: share === 1 ? 1 : 17,
          all: MUTANT === undefined
        })
        writeSync(1, `${runs} runs cut short that went on from one, ${violations.length} violations\n`)
        assert.deepStrictEqual(violations.slice(0, 3), [])
        assert.isAbove(runs, 4)
      }),
    24 * 3_600_000
  )

  for (const { mutant, name, shownBy } of mutants) {
    it.effect(`is noticed to lose something where ${name}`, () =>
      Effect.gen(function*() {
        const { violations } = yield* campaign([1, 2, 3], { mutant, only: [shownBy], share: 1, all: false })
        assert.lengthOf(violations, 1)
      }), 120_000)
  }
})
