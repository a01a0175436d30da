/**
 * A simulated disk between processes: what a power cut makes of it, what stands on it, and how to lay something there
 * beforehand.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { PCGRandom } from "effect/Utils"
import { posix } from "node:path"
import * as File from "./SimulatedFile.ts"
import * as Tree from "./SimulatedTree.ts"

/**
 * A value that is never changed in place: keep one, and start any number of processes from it.
 *
 * @since 0.1.0
 * @category models
 */
export type Disk = Tree.Disk

/**
 * Nothing but the root folder.
 *
 * @since 0.1.0
 * @category constructors
 */
export const empty: Disk = {
  nodes: new Map([[Tree.root, { _tag: "Folder", cached: new Map(), durable: new Map() }]]),
  pending: [],
  nextId: Tree.root + 1
}

const foldersTo = (path: string): ReadonlyArray<string> => {
  const above = posix.dirname(path)
  return above === path ? [above] : [...foldersTo(above), above]
}

/**
 * The file with these bytes in the place of whatever it held, on the device with all the folders that lead to it. This
 * is also how bits rot.
 *
 * @since 0.1.0
 * @category constructors
 */
export const put = (disk: Disk, path: string, bytes: Uint8Array): Tree.Result<Disk> =>
  Either.gen(function*() {
    const absolute = posix.resolve("/", path)
    let made = disk
    for (const dir of yield* Tree.missingFolders(made, posix.dirname(absolute))) {
      made = yield* Tree.ensureFolder(made, dir)
    }
    const [id, there] = yield* Either.orElse(
      Either.map(Tree.open(made, absolute), (id) => [id, made] as const),
      () => Tree.create(made, absolute)
    )
    made = Tree.updateFile(there, id, () => File.synced(bytes.slice()))
    for (const dir of foldersTo(absolute)) made = yield* Tree.syncFolder(made, dir)
    return made
  })

interface Found {
  readonly path: string
  readonly id: Tree.NodeId
  readonly node: Tree.Folder | Tree.FileNode
}

/** By path, so that what is drawn at random for each does not depend on the order in which they were made. */
const reachable = (disk: Disk, side: Tree.Side): ReadonlyArray<Found> => {
  const below = (id: Tree.NodeId, path: string): ReadonlyArray<Found> => {
    const node = disk.nodes.get(id)
    if (node === undefined) return []
    const children = node._tag === "Folder" ? [...node[side]].sort(([a], [b]) => a < b ? -1 : 1) : []
    return [{ path, id, node }, ...children.flatMap(([name, child]) => below(child, posix.join(path, name)))]
  }
  return below(Tree.root, "/")
}

/**
 * Every file by its path: `cached` as the running system sees it, `durable` as the device holds it when nothing is
 * written of what is not synced.
 *
 * @since 0.1.0
 * @category oracles
 */
export const files = (disk: Disk, side: Tree.Side): ReadonlyMap<string, Uint8Array> =>
  new Map(
    reachable(disk, side).flatMap(({ node, path }) =>
      node._tag === "File" ? [[path, node.file[side].slice()] as const] : []
    )
  )

/**
 * Every folder by its path.
 *
 * @since 0.1.0
 * @category oracles
 */
export const folders = (disk: Disk, side: Tree.Side): ReadonlyArray<string> =>
  reachable(disk, side).flatMap(({ node, path }) => node._tag === "Folder" ? [path] : [])

const foldersOf = (change: Tree.Change): ReadonlySet<Tree.NodeId> => new Set(change.map(({ folder }) => folder))

/** Of what happened in each folder since it was synced, a prefix; what concerns two folders, in both or in neither. */
const survivors = (pending: ReadonlyArray<Tree.Change>, random: PCGRandom): ReadonlyArray<Tree.Change> => {
  const left = new Map<Tree.NodeId, number>()
  for (const folder of pending.flatMap((change) => [...foldersOf(change)])) {
    left.set(folder, (left.get(folder) ?? 0) + 1)
  }
  for (const [folder, count] of left) left.set(folder, random.integer(count + 1))
  return pending.filter((change) => {
    const touched = [...foldersOf(change)]
    const survives = touched.every((folder) => (left.get(folder) ?? 0) > 0)
    for (const folder of touched) left.set(folder, survives ? (left.get(folder) ?? 0) - 1 : 0)
    return survives
  })
}

/**
 * The disk as the next process finds it after the power went: all that was synced, and of the rest what the seed says.
 * The same disk and seed give the same disk.
 *
 * @since 0.1.0
 * @category transitions
 */
export const powerLoss = (disk: Disk, seed: number): Disk => {
  const random = new PCGRandom(seed)
  const nodes = new Map(disk.nodes)
  for (const change of survivors(disk.pending, random)) Tree.apply(nodes, change, "durable")
  const left = reachable({ ...disk, nodes }, "durable").map(({ id, node }) =>
    [
      id,
      node._tag === "File"
        ? { _tag: "File", file: File.synced(File.powerLoss(node.file, random)) } as const
        : { _tag: "Folder", cached: node.durable, durable: node.durable } as const
    ] as const
  )
  return { nodes: new Map(left), pending: [], nextId: disk.nextId }
}
