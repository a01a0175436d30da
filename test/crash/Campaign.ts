/**
 * One history, cut short in every way at every change of the disk: four documents are synced; then one is changed, one
 * removed and one added, and the sync of that meets the fault. What must hold then, and behind the next run, and behind
 * one more that has nothing to do, is said by the model.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { WorldOptions } from "../sync/Harness.ts"
import { type Action, type Crash, type Instead, play } from "../sync/Model.ts"

const words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]

const text = (...which: ReadonlyArray<number>): string =>
  which.map((i) => `${`${words[i] ?? ""} `.repeat(30).trim()}\n`).join("\n")

const put = (id: string, ...which: ReadonlyArray<number>): Action => ({ do: "put", id, content: text(...which) })

const sync = (crash?: Crash): Action => ({ do: "sync", allow: false, crash })

const first: ReadonlyArray<Action> = [put("a.txt", 0, 1), put("b.md", 1), put("c/é #.txt", 2), put("d.txt", 3)]

const second: ReadonlyArray<Action> = [put("a.txt", 0, 4), { do: "remove", id: "b.md" }, put("A.txt", 5, 2)]

/** Behind it the power goes once more, before another process has written anything. */
const then = (seed: number): ReadonlyArray<Action> => [sync(), sync({ at: 1, power: seed }), sync()]

/** What happens at the k-th change, and what follows. */
export interface Kind {
  readonly name: string
  readonly troubles: (at: number, seed: number) => ReadonlyArray<Crash>
}

const fault = (name: string, instead: Instead, power: boolean): Kind => ({
  name,
  troubles: (at, seed) => [{ at, instead, power: power ? seed : undefined }]
})

const error = (reason: "NoSpace" | "DeviceError", sticky: boolean): Instead => ({ reason, sticky })

/** All that can happen to a process and its disk. */
export const kinds: ReadonlyArray<Kind> = [
  { name: "the process is killed", troubles: (at) => [{ at, power: undefined }] },
  { name: "the power goes", troubles: (at, power) => [{ at, power }] },
  {
    name: "the power goes, and again in the recovery",
    troubles: (at, power) => [
      { at, power },
      { at: 1 + power % 12, power: power + 1 },
      { at: 1 + power % 5, power: power + 2 }
    ]
  },
  {
    name: "the process is killed, and the power goes in the recovery",
    troubles: (at, seed) => [
      { at, power: undefined },
      { at: 1 + seed % 12, power: seed }
    ]
  },
  fault("a write is short", "short", false),
  fault("the disk is full, once", error("NoSpace", false), false),
  fault("the disk is full", error("NoSpace", true), false),
  fault("the device fails, once", error("DeviceError", false), false),
  fault("the device fails", error("DeviceError", true), false),
  fault("the device fails, and the power goes", error("DeviceError", false), true),
  {
    name: "the device fails, and the power goes in the next run",
    troubles: (at, seed) => [
      { at, instead: error("DeviceError", false), power: undefined },
      { at: 1 + seed % 12, power: seed }
    ]
  }
]

const tokens = { content_hash: true, revision: false }

/** The changes of the disk that the sync in question makes where nothing happens to it. */
export const changes: Effect.Effect<{ readonly first: number; readonly second: number }, unknown> = Effect.map(
  play([...first, sync(), ...second, sync()], tokens),
  ([one = 0, _unchanged, two = 0]) => ({ first: one, second: two })
)

/** The first sync that there ever was, or one of a log that has been closed, meets it. */
export const history = (which: "first" | "second", troubles: ReadonlyArray<Crash>, seed: number) => [
  ...first,
  ...(which === "first" ? [] : [sync(), ...second]),
  ...troubles.map(sync),
  ...then(seed)
]

export interface Run {
  readonly kind: string
  readonly which: "first" | "second"
  readonly at: number
  readonly seed: number
}

/** Every k of every kind, for each of the seeds; what has violated a promise. */
export const campaign = (
  seeds: ReadonlyArray<number>,
  options: {
    readonly mutant?: WorldOptions["mutant"]
    readonly only?: ReadonlyArray<string>
    /** One of so many runs is made. A prime number spreads them over changes, kinds and seeds. */
    readonly share: number
    /** Whether to go on behind the first violation. */
    readonly all: boolean
  }
): Effect.Effect<
  { readonly runs: number; readonly violations: ReadonlyArray<Run & { readonly cause: string }> },
  unknown
> =>
  Effect.gen(function*() {
    const most = yield* changes
    const violations: Array<Run & { readonly cause: string }> = []
    let runs = 0
    let counted = 0
    for (const seed of seeds) {
      for (const { name, troubles } of kinds) {
        if (options.only !== undefined && !options.only.includes(name)) continue
        for (const which of ["first", "second"] as const) {
          for (let at = 1; at <= most[which]; at++) {
            counted += 1
            if (counted % options.share !== 0) continue
            runs += 1
            const power = seed * 1000 + at
            const exit = yield* Effect.exit(play(history(which, troubles(at, power), power), tokens, options.mutant))
            if (exit._tag === "Success") continue
            violations.push({ kind: name, which, at, seed, cause: String(exit.cause) })
            if (!options.all) return { runs, violations }
          }
        }
      }
    }
    return { runs, violations }
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
