/**
 * The built program, killed and interrupted on a real disk. The long form, with two hundred kills and a hundred
 * interrupts: `npm run test:kill`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import { type Killed, killing } from "./Killing.ts"

const { KILL_RUNS, KILL_SEED } = process.env
const kills = Number(KILL_RUNS ?? 1)

const tell = ({ interrupts, kills, late, locks, torn, unfinished, violations }: Killed): void => {
  writeSync(
    1,
    `${kills} kills, ${interrupts} interrupts, ${late} came too late and were repeated; after the kills `
      + `${locks} locks, ${torn} torn tails, ${unfinished} logs with a part of what was to do; `
      + `${violations.length} violations\n`
  )
}

describe("the program, ended by a signal while it syncs", () => {
  it.live("has lost nothing, pays for nothing twice, and goes on where it was", () =>
    Effect.gen(function*() {
      const killed = yield* killing({
        kills,
        interrupts: Math.ceil(kills / 2),
        notes: KILL_RUNS === undefined ? 40 : 120,
        seed: Number(KILL_SEED ?? 1),
        sofar: tell
      })
      tell(killed)
      const { violations, ...count } = killed
      assert.deepStrictEqual(violations, [])
      assert.strictEqual(count.kills, kills)
    }), 4 * 3_600_000)
})
