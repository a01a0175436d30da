/**
 * The sync engine against a model, over arbitrary histories with crashes and power cuts. A long campaign:
 * `MODEL_RUNS=5000 MODEL_SEED=7 npx vitest run test/sync/model.test.ts`.
 */
import { describe, it } from "@effect/vitest"
import { actions, play, tokens } from "./Model.ts"

const { MODEL_RUNS, MODEL_SEED } = process.env
const numRuns = Number(MODEL_RUNS ?? 50)
const seed = MODEL_SEED === undefined ? 20261130 : Number(MODEL_SEED)

describe("sync, against a model", () => {
  it.effect.prop(
    "converges, pays once, appends only, and does nothing where nothing changed",
    [actions, tokens],
    ([todo, listing]) => play(todo, listing),
    { fastCheck: { numRuns, seed }, timeout: Math.max(60_000, numRuns * 2000) }
  )
})
