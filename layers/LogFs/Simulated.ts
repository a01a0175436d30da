/**
 * The log's file operations on a simulated disk, for one process that can be made to die, or to meet a fault, at its
 * k-th change of the disk. Deterministic: the same options and the same calls end in the same disk.
 *
 * A process that died stays dead: each of its later operations, reads too, is the same defect, which no code that
 * handles errors catches.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { constVoid } from "effect/Function"
import * as Layer from "effect/Layer"
import type { PCGRandom } from "effect/Utils"
import { type LogFile, LogFs } from "../../services/LogFs.ts"
import type { LogFsError } from "../../src/domain/LogErrors.ts"
import * as Disk from "./SimulatedDisk.ts"
import * as File from "./SimulatedFile.ts"
import * as Process from "./SimulatedProcess.ts"
import * as Tree from "./SimulatedTree.ts"

/**
 * A process on a simulated disk.
 *
 * @since 0.1.0
 * @category models
 */
export interface Simulated {
  readonly service: LogFs["Type"]
  readonly layer: Layer.Layer<LogFs>
  /** What it tried so far, in order: their number is that of operations. */
  readonly steps: Effect.Effect<ReadonlyArray<Process.Step>>
  readonly openFiles: Effect.Effect<number>
  readonly crashed: Effect.Effect<boolean>
  /** The disk as it is now; the process lives on. */
  readonly disk: Effect.Effect<Disk.Disk>
  /** Ends the process, if it has not ended, and the system lives on: nothing of the cache is lost. */
  readonly processLoss: Effect.Effect<Disk.Disk>
  /** Ends the process, if it has not ended, with the power. */
  readonly powerLoss: (seed: number) => Effect.Effect<Disk.Disk>
}

const lineFeed = 0x0a

type Mode = "read" | "write" | "create"

interface Handle {
  readonly id: Tree.NodeId
  readonly path: string
  readonly mode: Mode
  open: boolean
}

/**
 * What arrives of a write that is cut: nothing, all, what ends with a line, or any prefix. Drawn by its length alone, it
 * would hardly ever end where a reader cannot see that something is missing.
 */
const prefix = (bytes: Uint8Array, most: number, random: PCGRandom): Uint8Array => {
  if (most <= 0) return bytes.subarray(0, 0)
  const any = random.integer(most + 1)
  const lengths = [0, most, bytes.subarray(0, any).lastIndexOf(lineFeed) + 1, any]
  return bytes.subarray(0, lengths[random.integer(lengths.length)])
}

const fileOf = (process: Process.Process, handle: Handle): LogFile => {
  const { id, mode, path } = handle

  const check = (writes: boolean): Tree.Result<void> => {
    if (!handle.open) return Tree.refuse("Unknown", "the file is closed")
    return writes && mode === "read" ? Tree.refuse("Unknown", "the file is open for reading") : Either.void
  }

  const look = <A>(operation: "size" | "read", get: (file: File.File) => A): Effect.Effect<A, LogFsError> =>
    process.look(operation, path, (disk) => Either.map(check(false), () => get(Tree.fileAt(disk, id))))

  const sync = (operation: "datasync" | "sync"): Effect.Effect<void, LogFsError> =>
    process.change(
      operation,
      path,
      (disk) => Either.map(check(false), () => [undefined, Tree.updateFile(disk, id, File.sync)] as const),
      { onFault: (disk) => Tree.updateFile(disk, id, File.failSync) }
    )

  return {
    size: look("size", ({ cached }) => cached.length),
    read: (offset, length) => look("read", ({ cached }) => cached.slice(offset, offset + length)),
    write: (offset, bytes) => {
      const writeTo = (disk: Disk.Disk, part: Uint8Array): Disk.Disk =>
        Either.isLeft(check(true)) ? disk : Tree.updateFile(disk, id, (file) => File.write(file, offset, part))
      return process.change("write", path, (disk) =>
        Either.gen(function*() {
          yield* check(true)
          const fits = process.free() + Math.max(0, Tree.fileAt(disk, id).cached.length - offset)
          const count = Math.min(process.shorten(bytes.length), fits)
          if (count === 0 && bytes.length > 0) return yield* Tree.refuse("NoSpace", "nothing is free")
          return [count, writeTo(disk, bytes.subarray(0, count))] as const
        }), {
        onCrash: (disk, random) => writeTo(disk, prefix(bytes, bytes.length, random)),
        onFault: (disk, random) => writeTo(disk, prefix(bytes, bytes.length - 1, random))
      })
    },
    truncate: (size) =>
      process.change("truncate", path, (disk) =>
        Either.map(
          check(true),
          () => [undefined, Tree.updateFile(disk, id, (file) => File.truncate(file, size))] as const
        )),
    datasync: sync("datasync"),
    sync: sync("sync")
  }
}

/**
 * A process that starts on a disk.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Process.Options = {}): Effect.Effect<Simulated> =>
  Effect.sync(() => {
    const process = Process.start(options)
    let openFiles = 0

    const changeOnly = (
      operation: Process.Mutation,
      path: string,
      run: (disk: Disk.Disk) => Tree.Result<Disk.Disk>
    ): Effect.Effect<void, LogFsError> =>
      process.change(operation, path, (disk) => Either.map(run(disk), (changed) => [undefined, changed] as const))

    const service = LogFs.of({
      open: (path, mode) =>
        Effect.acquireRelease(
          Effect.map(
            mode === "create"
              ? process.change("create", path, (disk) => Tree.create(disk, path))
              : process.look("open", path, (disk) => Tree.open(disk, path)),
            (id): Handle => {
              openFiles += 1
              return { id, path, mode, open: true }
            }
          ),
          (handle) =>
            Effect.sync(() => {
              handle.open = false
              openFiles -= 1
            })
        ).pipe(Effect.map((handle) => fileOf(process, handle))),
      list: (dir) => process.look("list", dir, (disk) => Tree.list(disk, dir)),
      makeDir: (dir) =>
        Effect.flatMap(
          process.look("makeDir", dir, (disk) => Tree.missingFolders(disk, dir)),
          Effect.forEach((missing) => changeOnly("makeDir", missing, (disk) => Tree.ensureFolder(disk, missing)), {
            discard: true
          })
        ),
      rename: (from, to) => changeOnly("rename", from, (disk) => Tree.rename(disk, from, to)),
      unlink: (path) => changeOnly("unlink", path, (disk) => Tree.unlink(disk, path)),
      syncDir: (dir) => changeOnly("syncDir", dir, (disk) => Tree.syncFolder(disk, dir)),
      writable: (dir) => process.look("writable", dir, (disk) => Either.map(Tree.list(disk, dir), constVoid)),
      free: (path) => process.look("free", path, (disk) => Either.map(Tree.find(disk, path), process.free))
    })

    return {
      service,
      layer: Layer.succeed(LogFs, service),
      steps: process.steps,
      openFiles: Effect.sync(() => openFiles),
      crashed: process.ended,
      disk: process.disk,
      processLoss: process.end,
      powerLoss: (seed) => Effect.map(process.end, (disk) => Disk.powerLoss(disk, seed))
    }
  })

/**
 * A process on an empty disk that nothing happens to.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<LogFs> = Layer.effect(LogFs, Effect.map(make(), ({ service }) => service))
