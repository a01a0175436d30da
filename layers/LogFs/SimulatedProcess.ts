/**
 * One process on a simulated disk: counts what it changes, and lets it die or meet a fault at the k-th change. It owns
 * its state; what it does to the disk are the plain functions of the tree.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { PCGRandom } from "effect/Utils"
import type { FsReason, LogFsError } from "../../src/domain/LogErrors.ts"
import { failure, type Operation } from "./Operation.ts"
import * as Disk from "./SimulatedDisk.ts"
import type * as Tree from "./SimulatedTree.ts"

/**
 * The defect of everything that a dead process does.
 *
 * @since 0.1.0
 * @category errors
 */
export class SimulatedCrash extends Data.TaggedError("SimulatedCrash")<{ readonly operation: number }> {
  override get message(): string {
    return `the simulated process died at operation ${this.operation}`
  }
}

/**
 * The operations that change the disk, which are the ones that are counted.
 *
 * @since 0.1.0
 * @category models
 */
export type Mutation = Exclude<Operation, "open" | "size" | "read" | "list" | "free">

/**
 * One change of the disk that was tried, whatever came of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Step {
  readonly operation: Mutation
  readonly path: string
}

/**
 * The first operation from the k-th on that can meet this fault does; with `sticky`, all such ones do.
 *
 * @since 0.1.0
 * @category models
 */
export interface Fault {
  readonly operation: number
  readonly reason: FsReason
  readonly sticky?: boolean | undefined
  /** By default, what takes space where there is none, writes where a file gets too large, else any. */
  readonly only?: ReadonlyArray<Mutation> | undefined
}

/**
 * Operations count from 1; a folder that is made counts one for each level.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where the process starts; by default an empty disk. */
  readonly disk?: Disk.Disk | undefined
  /** Says how much of a cut write arrives; by default 0. */
  readonly seed?: number | undefined
  /** The process dies in this operation. Nothing of it happens, but that a part of a write reaches the cache. */
  readonly crashAt?: number | undefined
  readonly failAt?: Fault | undefined
  /** The first write from here on that has two bytes or more writes some of them, and says how many. */
  readonly shortWriteAt?: number | undefined
  /** What is free at the start; by default, more than anybody needs. */
  readonly freeBytes?: number | undefined
}

/**
 * What is left of an operation that a crash or a fault cut off; by default nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface Cut {
  readonly onCrash?: (disk: Disk.Disk, random: PCGRandom) => Disk.Disk
  readonly onFault?: (disk: Disk.Disk, random: PCGRandom) => Disk.Disk
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Process {
  /** An operation that changes nothing. */
  readonly look: <A>(
    operation: Operation,
    path: string,
    get: (disk: Disk.Disk) => Tree.Result<A>
  ) => Effect.Effect<A, LogFsError>
  /** One that is counted. */
  readonly change: <A>(
    operation: Mutation,
    path: string,
    run: (disk: Disk.Disk) => Tree.Result<readonly [A, Disk.Disk]>,
    cut?: Cut
  ) => Effect.Effect<A, LogFsError>
  /** How many of that many bytes a write that is being tried may write. */
  readonly shorten: (length: number) => number
  readonly free: () => number
  readonly steps: Effect.Effect<ReadonlyArray<Step>>
  readonly disk: Effect.Effect<Disk.Disk>
  readonly ended: Effect.Effect<boolean>
  /** Nothing that it does afterwards happens. */
  readonly end: Effect.Effect<Disk.Disk>
}

const plenty = 2 ** 50

const used = (disk: Disk.Disk): number => {
  let sum = 0
  for (const bytes of Disk.files(disk, "cached").values()) sum += bytes.length
  return sum
}

const meets = (fault: Fault, operation: Mutation): boolean => {
  if (fault.only !== undefined) return fault.only.includes(operation)
  if (fault.reason === "FileTooLarge") return operation === "write"
  const forSpace = fault.reason === "NoSpace" || fault.reason === "Quota"
  return !forSpace || operation === "write" || operation === "create" || operation === "makeDir"
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const start = (options: Options): Process => {
  const { crashAt, failAt, freeBytes, shortWriteAt } = options
  const random = new PCGRandom(options.seed ?? 0)
  const steps: Array<Step> = []
  let disk = options.disk ?? Disk.empty
  let crash: SimulatedCrash | undefined
  let faulted = false
  let shortened = false
  const room = freeBytes === undefined ? undefined : freeBytes + used(disk)

  const die = (): SimulatedCrash => crash ??= new SimulatedCrash({ operation: steps.length })

  /** Others run first, as they do while a real disk is at work. */
  const alive = <A, E>(run: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptible(Effect.zipRight(
      Effect.yieldNow(),
      Effect.suspend(() => crash === undefined ? run() : Effect.die(crash))
    ))

  return {
    look: (operation, path, get) =>
      alive(() => Either.mapLeft(get(disk), ({ cause, reason }) => failure(operation, path, reason, cause))),
    change: (operation, path, run, cut = {}) =>
      alive(() => {
        steps.push({ operation, path })
        if (steps.length === crashAt) {
          disk = cut.onCrash?.(disk, random) ?? disk
          return Effect.die(die())
        }
        if (
          failAt !== undefined && steps.length >= failAt.operation && meets(failAt, operation) &&
          (failAt.sticky === true || !faulted)
        ) {
          faulted = true
          disk = cut.onFault?.(disk, random) ?? disk
          return Effect.fail(failure(operation, path, failAt.reason, "a simulated fault"))
        }
        return Either.mapBoth(run(disk), {
          onLeft: ({ cause, reason }) => failure(operation, path, reason, cause),
          onRight: ([result, changed]) => {
            disk = changed
            return result
          }
        })
      }),
    shorten: (length) => {
      if (shortWriteAt === undefined || steps.length < shortWriteAt || shortened || length < 2) return length
      shortened = true
      return 1 + random.integer(length - 1)
    },
    free: () => room === undefined ? plenty : Math.max(0, room - used(disk)),
    steps: Effect.sync(() => [...steps]),
    disk: Effect.sync(() => disk),
    ended: Effect.sync(() => crash !== undefined),
    end: Effect.sync(() => {
      die()
      return disk
    })
  }
}
