/**
 * One history, cut short in every way at every change of the disk: four documents are synced; then one is changed, one
 * removed and one added, and the sync of that meets the fault. What must hold then, and behind the next run, and behind
 * one more that has nothing to do, is said by the model.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { FsReason } from "../../src/domain/LogErrors.ts"
import type { WorldOptions } from "../sync/Harness.ts"
import { type Action, type Crash, type Instead, play } from "../sync/Model.ts"

const words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]

const text = (...which: ReadonlyArray<number>): string =>
  which.map((i) => `${`${words[i] ?? ""} `.repeat(30).trim()}\n`).join("\n")

const put = (id: string, ...which: ReadonlyArray<number>): Action => ({ do: "put", id, content: text(...which) })

const sync = (crash?: Crash): Action => ({ do: "sync", allow: false, crash })

const first: ReadonlyArray<Action> = [put("a.txt", 0, 1), put("b.md", 1), put("c/é #.txt", 2), put("d.txt", 3)]

const second: ReadonlyArray<Action> = [put("a.txt", 0, 4), { do: "remove", id: "b.md" }, put("A.txt", 5, 2)]

/** Whatever was under way has become another version: what a run that was cut short has left of it is nobody's. */
const meanwhile: ReadonlyArray<Action> = [
  put("a.txt", 5, 3),
  put("A.txt", 4),
  put("b.md", 0),
  put("c/é #.txt", 1, 2),
  put("d.txt", 5)
]

/** Behind it the power goes once more, before another process has written anything. One more sync ends each history. */
const then = (seed: number): ReadonlyArray<Action> => [sync(), sync({ at: 1, power: seed })]

/** What happens at the k-th change, and what follows. */
export interface Kind {
  readonly name: string
  readonly troubles: (at: number, seed: number) => ReadonlyArray<Omit<Crash, "cut">>
}

const fault = (name: string, instead: Instead, power: boolean): Kind => ({
  name,
  troubles: (at, seed) => [{ at, instead, power: power ? seed : undefined }]
})

const error = (reason: FsReason, sticky: boolean): Instead => ({ reason, sticky })

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
  fault("the file system turns read-only", error("ReadOnly", true), false),
  fault("the file system turns read-only, and the power goes", error("ReadOnly", true), true),
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

const untilThen = (which: Trial["which"]): ReadonlyArray<Action> =>
  which === "first" ? first : [...first, sync(), ...second]

/** Every other time, as seeds go on, the source is another one when the next run begins. */
const historyOf = (
  which: Trial["which"],
  [one, ...more]: ReadonlyArray<Crash>,
  power: number,
  turn: number
): ReadonlyArray<Action> => [
  ...untilThen(which),
  ...(one === undefined ? [] : [sync(one)]),
  ...(turn % 2 === 0 ? [] : meanwhile),
  ...more.map(sync),
  ...then(power)
]

/** A history that meets troubles, the first of them at that change of the disk. */
interface Trial {
  readonly kind: string
  /** The first sync that there ever was, or one of a log that has been closed, meets it. */
  readonly which: "first" | "second"
  readonly at: number
  readonly seed: number
}

interface Planned extends Trial {
  readonly actions: ReadonlyArray<Action>
}

export interface Options {
  readonly mutant?: WorldOptions["mutant"]
  readonly only?: ReadonlyArray<string>
  /** One of so many runs is made. A prime number spreads them over changes, kinds and seeds. */
  readonly share: number
  /** Whether to go on behind the first violation. */
  readonly all: boolean
  /** Told now and then, for a campaign takes hours. */
  readonly sofar?: (outcome: Outcome) => void
}

export interface Outcome {
  readonly runs: number
  readonly violations: ReadonlyArray<Trial & { readonly cause: string }>
}

const conduct = (planned: Iterable<Planned>, { all, mutant, share, sofar }: Options): Effect.Effect<Outcome> =>
  Effect.gen(function*() {
    const violations: Array<Outcome["violations"][number]> = []
    let runs = 0
    let counted = 0
    for (const { actions, ...trial } of planned) {
      counted += 1
      if (counted % share !== 0) continue
      if (runs % 100 === 0) sofar?.({ runs, violations })
      runs += 1
      const exit = yield* Effect.exit(play(actions, tokens, mutant))
      if (exit._tag === "Success") continue
      violations.push({ ...trial, cause: String(exit.cause) })
      if (!all) break
    }
    return { runs, violations }
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None))

/** Every k of every kind, for each of the seeds; what has violated a promise. */
export const campaign = (seeds: ReadonlyArray<number>, options: Options): Effect.Effect<Outcome, unknown> =>
  Effect.flatMap(changes, (most) => {
    const planned = function*(): Generator<Planned> {
      for (const seed of seeds) {
        for (const { name: kind, troubles } of kinds) {
          if (options.only !== undefined && !options.only.includes(kind)) continue
          for (const which of ["first", "second"] as const) {
            for (let at = 1; at <= most[which]; at++) {
              const power = seed * 1000 + at
              const met = troubles(at, power).map((trouble, i) => ({ ...trouble, cut: power + i }))
              const actions = historyOf(which, met, power, seed + at)
              yield { kind, which, at, seed, actions }
            }
          }
        }
      }
    }
    return conduct(planned(), options)
  })

/**
 * The run that goes on after one that was cut short is cut short as well, at every change that it makes; behind every so
 * many of the changes of the first.
 */
export const inRecovery = (every: number, options: Options): Effect.Effect<Outcome, unknown> =>
  Effect.gen(function*() {
    const most = yield* changes
    const planned: Array<Planned> = []
    for (const which of ["first", "second"] as const) {
      for (let at = every; at <= most[which]; at += every) {
        for (const power of [undefined, at]) {
          const one: Crash = { at, power, cut: at }
          const taken = yield* play([...untilThen(which), sync(one), sync()], tokens)
          // Of the runs before it, one is that which meets the first trouble; a sync that ends is seen to be repeatable.
          const goingOn = taken[which === "first" ? 1 : 3] ?? 0
          for (let again = 1; again <= goingOn; again++) {
            const kind = power === undefined ? "the process is killed, and again" : "the power goes, and again"
            const two: Crash = { at: again, power: power === undefined ? undefined : again, cut: again }
            planned.push({ kind, which, at, seed: again, actions: historyOf(which, [one, two], again, again) })
          }
        }
      }
    }
    return yield* conduct(planned, options)
  })
