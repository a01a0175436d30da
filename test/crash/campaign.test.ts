/**
 * Every change of the disk that a sync makes, cut short in every way. The long form, with sixty seeds for each change:
 * `npm run test:crash`. Here one in ninety-seven of the runs with eight seeds; `CRASH_SEEDS=8 CRASH_SHARE=11` makes one in
 * eleven. The share must not divide the changes of a round, or it meets the same ones in each.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeSync } from "node:fs"
import { campaign, inRecovery, type Outcome } from "./Campaign.ts"
import { mutants } from "./DiskMutants.ts"
import { count, mutantOf, sourceMutants } from "./SourceMutants.ts"

const { CRASH_SEEDS, CRASH_SHARE, MUTANT } = process.env
const long = CRASH_SEEDS !== undefined
/** Of so many runs one is made; all of those that show a mutant. */
const share = Number(CRASH_SHARE ?? (long || MUTANT !== undefined ? 1 : 97))
const shownBy = mutantOf(MUTANT)?.shownBy
const seeds = Array.from({ length: Number(CRASH_SEEDS ?? 8) }, (_, i) => i + 1)

const tell = ({ runs, violations }: Outcome): void => {
  writeSync(1, `${runs} runs cut short, ${violations.length} violations\n`)
}

it("each step that a mutant takes out is in the source, once", () => {
  for (const { file, from } of sourceMutants.flatMap(({ patches }) => patches)) {
    assert.strictEqual(count(readFileSync(file, "utf8"), from), 1, `${file}: ${from}`)
  }
})

describe("a sync that is cut short", () => {
  it.effect(
    "keeps what it promises, whatever happens to its process and its disk, at every change of it",
    () =>
      Effect.gen(function*() {
        const { runs, violations } = yield* campaign(seeds, {
          ...(shownBy === undefined ? {} : { only: [shownBy] }),
          share,
          all: MUTANT === undefined,
          ...(long ? { sofar: tell } : {})
        })
        tell({ runs, violations })
        assert.deepStrictEqual(violations.slice(0, 3), [])
        assert.isAbove(runs, 60)
      }),
    24 * 3_600_000
  )

  it.effect(
    "keeps it where the run that goes on from there is cut short too, at every change of it",
    () =>
      Effect.gen(function*() {
        const { runs, violations } = yield* inRecovery(long ? 7 : 19, {
          share: long ? share : 17,
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
