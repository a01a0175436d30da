/**
 * The sync engine against a model, over arbitrary histories with crashes and power cuts. A long campaign:
 * `MODEL_RUNS=5000 MODEL_SEED=7 npx vitest run test/sync/model.test.ts`.
 */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Action, actions, type Crash, play, tokens } from "./Model.ts"

const { MODEL_RUNS, MODEL_SEED } = process.env
const numRuns = Number(MODEL_RUNS ?? 30)
const seed = Number(MODEL_SEED ?? 20261130)

describe("sync, against a model", () => {
  it.effect.prop(
    "converges, pays once, appends only, and does nothing where nothing changed",
    [actions, tokens],
    ([todo, listing]) => Effect.asVoid(play(todo, listing)),
    { fastCheck: { numRuns, seed }, timeout: Math.max(60_000, numRuns * 2000) }
  )
})

const hashes = { content_hash: true, revision: false }

const paragraph = "alpha ".repeat(30)

const put = (id: string): Action => ({ do: "put", id, content: paragraph })

const sync = (crash?: Crash): Action => ({ do: "sync", allow: false, crash })

/** A run of few documents makes about as many changes of the disk. */
const changes = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const histories: ReadonlyArray<
  readonly [name: string, crashes: ReadonlyArray<number>, (at: number) => ReadonlyArray<Action>]
> = [
  [
    // The folder of a segment that was made, and not synced, is synced by whoever goes on in it.
    "what was acknowledged outlives the power, where an earlier process was killed at any change",
    changes(9, 20),
    (at) => [put("a.txt"), sync({ at, power: undefined }), sync(), sync({ at: 1, power: 121 }), put("b.md"), sync()]
  ],
  [
    // Else each later run reads the whole segment, and writes its last group again.
    "the run after one that was killed leaves a sealed log, whether there was anything left to do or not",
    changes(20, 34),
    (at) => [put("a.txt"), sync({ at, power: undefined }), sync()]
  ],
  [
    // A seal that was written and not synced may be gone: what read it is ahead of the log.
    "a projection that has read further than the log now goes is folded anew",
    changes(28, 36),
    (at) => [put("a.txt"), sync({ at, power: undefined }), sync(), sync({ at: 1, power: 0 }), put("b.md"), sync()]
  ],
  [
    "a document is excluded, passages and all, or not at all",
    changes(8, 24),
    (at) => [
      put("a.txt"),
      put("b.md"),
      sync(),
      { do: "exclude", id: "a.txt", crash: { at, power: at } },
      sync(),
      { do: "include", id: "a.txt", crash: { at, power: at } },
      sync()
    ]
  ],
  [
    "removals and moves that were cut short are made up for",
    changes(9, 28),
    (at) => [
      put("a.txt"),
      put("b.md"),
      { do: "put", id: "d.txt", content: "" },
      sync(),
      { do: "rename", id: "a.txt", to: "A.txt" },
      { do: "remove", id: "b.md" },
      sync({ at, power: at }),
      sync()
    ]
  ]
]

describe("sync, cut short at a change of the disk", () => {
  for (const [name, crashes, history] of histories) {
    it.effect(name, () => Effect.forEach(crashes, (at) => play(history(at), hashes), { discard: true }))
  }

  it.effect("the manifest of an excluded document is what the log says", () =>
    play([put("a.txt"), put("b.md"), sync(), { do: "exclude", id: "a.txt", crash: undefined }, sync()], hashes))
})
