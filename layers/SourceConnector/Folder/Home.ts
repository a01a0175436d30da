/**
 * Memory homes that lie in a folder of documents, or around it. What mem wrote itself is no document, whoever's home
 * it stands in: it would come back as evidence.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { basename, dirname } from "node:path"
import type { DiskOperations } from "./Disk.ts"
import { join, type Name } from "./Names.ts"

const own: ReadonlySet<string> = new Set(["log", "projection"])

/**
 * Whether a folder of this name is a home's own, where its parent is a home.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isOwn = (entry: string): boolean => own.has(entry)

/**
 * Whether this folder, given by its path on the disk, is a memory home: one that was configured, or one with a log.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isHome = (disk: DiskOperations, folder: Name): Effect.Effect<boolean> => {
  const is = (name: string, kind: "file" | "folder") =>
    disk.statFollowing(join(folder, name)).pipe(
      Effect.map((stat) => stat.kind === kind),
      Effect.orElseSucceed(() => false)
    )
  return Effect.if(is("connectors.yaml", "file"), {
    onTrue: () => Effect.succeed(true),
    onFalse: () => is("log/segments", "folder")
  })
}

/**
 * The home in whose own folders this one lies, if there is one.
 *
 * @since 0.1.0
 * @category predicates
 */
export const homeAround = (disk: DiskOperations, folder: string): Effect.Effect<string | undefined> =>
  Effect.gen(function*() {
    const parent = dirname(folder)
    if (parent === folder) return undefined
    if (isOwn(basename(folder)) && (yield* isHome(disk, parent))) return parent
    return yield* homeAround(disk, parent)
  })
