/**
 * The folders and files of a simulated disk, each as the running system sees it and as the device holds it, and the
 * operations on them: plain functions from disk to disk. An entry that is made, moved or removed is so on the device
 * once its folder is synced.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { posix } from "node:path"
import type { FsReason } from "../../src/domain/LogErrors.ts"
import * as File from "./SimulatedFile.ts"

/**
 * Names a file or folder whatever its path becomes.
 *
 * @since 0.1.0
 * @category models
 */
export type NodeId = number

/**
 * As the running system sees it, or as the device holds it for certain.
 *
 * @since 0.1.0
 * @category models
 */
export type Side = "cached" | "durable"

type Entries = ReadonlyMap<string, NodeId>

/**
 * @since 0.1.0
 * @category models
 */
export interface Folder {
  readonly _tag: "Folder"
  readonly cached: Entries
  readonly durable: Entries
}

/**
 * @since 0.1.0
 * @category models
 */
export interface FileNode {
  readonly _tag: "File"
  readonly file: File.File
}

/**
 * What happens in one step or not at all, over two folders where a rename moves from one to the other.
 *
 * @since 0.1.0
 * @category models
 */
export type Change = ReadonlyArray<
  { readonly folder: NodeId; readonly name: string; readonly node: NodeId | undefined }
>

/**
 * Never changed in place: keep one and start any number of processes from it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Disk {
  readonly nodes: ReadonlyMap<NodeId, Folder | FileNode>
  /** Changes of entries that no sync of a folder has covered, oldest first. */
  readonly pending: ReadonlyArray<Change>
  readonly nextId: NodeId
}

/**
 * Why an operation cannot be done.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refusal {
  readonly reason: FsReason
  readonly cause: string
}

/**
 * @since 0.1.0
 * @category models
 */
export type Result<A> = Either.Either<A, Refusal>

/**
 * @since 0.1.0
 * @category constructors
 */
export const refuse = (reason: FsReason, cause: string): Either.Either<never, Refusal> => Either.left({ reason, cause })

/**
 * @since 0.1.0
 * @category constructors
 */
export const root: NodeId = 0

const setNode = (disk: Disk, id: NodeId, node: Folder | FileNode): Disk => ({
  ...disk,
  nodes: new Map(disk.nodes).set(id, node)
})

const folderAt = (disk: Disk, id: NodeId): Result<Folder> => {
  const node = disk.nodes.get(id)
  return node?._tag === "Folder" ? Either.right(node) : refuse("Unknown", "not a folder")
}

/**
 * @since 0.1.0
 * @category transitions
 */
export const find = (disk: Disk, path: string): Result<NodeId> =>
  Either.gen(function*() {
    let id = root
    for (const name of posix.resolve("/", path).split("/").filter((part) => part !== "")) {
      const { cached } = yield* folderAt(disk, id)
      id = yield* Either.fromNullable(cached.get(name), () => ({ reason: "NotFound", cause: "no such entry" } as const))
    }
    return id
  })

const parentOf = (disk: Disk, path: string) =>
  Either.gen(function*() {
    const absolute = posix.resolve("/", path)
    const folder = yield* find(disk, posix.dirname(absolute))
    const { cached } = yield* folderAt(disk, folder)
    const name = posix.basename(absolute)
    return { folder, name, node: cached.get(name) }
  })

/**
 * Makes a change in `nodes`, which the caller owns.
 *
 * @since 0.1.0
 * @category transitions
 */
export const apply = (nodes: Map<NodeId, Folder | FileNode>, change: Change, side: Side): void => {
  for (const { folder, name, node } of change) {
    const at = nodes.get(folder)
    if (at?._tag !== "Folder") continue
    const entries = new Map(at[side])
    if (node === undefined) entries.delete(name)
    else entries.set(name, node)
    nodes.set(folder, { ...at, [side]: entries })
  }
}

const changeEntries = (disk: Disk, change: Change): Disk => {
  const nodes = new Map(disk.nodes)
  apply(nodes, change, "cached")
  return { ...disk, nodes, pending: [...disk.pending, change] }
}

const addNode = (disk: Disk, path: string, node: Folder | FileNode): Result<readonly [NodeId, Disk]> =>
  Either.gen(function*() {
    const place = yield* parentOf(disk, path)
    if (place.node !== undefined) return yield* refuse("AlreadyExists", "there is such an entry")
    const id = disk.nextId
    const added = { ...setNode(disk, id, node), nextId: id + 1 }
    return [id, changeEntries(added, [{ folder: place.folder, name: place.name, node: id }])] as const
  })

/**
 * A regular file that is there.
 *
 * @since 0.1.0
 * @category transitions
 */
export const open = (disk: Disk, path: string): Result<NodeId> =>
  Either.filterOrLeft(
    find(disk, path),
    (id) => disk.nodes.get(id)?._tag === "File",
    () => ({ reason: "Unknown", cause: "not a regular file" } as const)
  )

/**
 * @since 0.1.0
 * @category transitions
 */
export const create = (disk: Disk, path: string): Result<readonly [NodeId, Disk]> =>
  addNode(disk, path, { _tag: "File", file: File.synced(new Uint8Array()) })

/**
 * The file of an open handle. It is there as long as the process runs, whatever happened to its path.
 *
 * @since 0.1.0
 * @category transitions
 */
export const fileAt = (disk: Disk, id: NodeId): File.File => {
  const node = disk.nodes.get(id)
  return node?._tag === "File" ? node.file : File.synced(new Uint8Array())
}

/**
 * @since 0.1.0
 * @category transitions
 */
export const updateFile = (disk: Disk, id: NodeId, update: (file: File.File) => File.File): Disk =>
  setNode(disk, id, { _tag: "File", file: update(fileAt(disk, id)) })

/**
 * The folders that have to be made for `dir`, from the top, each a step of its own.
 *
 * @since 0.1.0
 * @category transitions
 */
export const missingFolders = (disk: Disk, dir: string): Result<ReadonlyArray<string>> => {
  const absolute = posix.resolve("/", dir)
  const found = find(disk, absolute)
  if (Either.isLeft(found)) {
    return found.left.reason === "NotFound"
      ? Either.map(missingFolders(disk, posix.dirname(absolute)), (above) => [...above, absolute])
      : Either.left(found.left)
  }
  return disk.nodes.get(found.right)?._tag === "Folder"
    ? Either.right([])
    : refuse("AlreadyExists", "there is a file of that name")
}

/**
 * Makes one folder in one that is there. One that somebody else has made in the meantime is no error.
 *
 * @since 0.1.0
 * @category transitions
 */
export const ensureFolder = (disk: Disk, dir: string): Result<Disk> =>
  Either.flatMap(missingFolders(disk, dir), (missing) =>
    missing.length === 0
      ? Either.right(disk)
      : Either.map(addNode(disk, dir, { _tag: "Folder", cached: new Map(), durable: new Map() }), ([, made]) => made))

/**
 * @since 0.1.0
 * @category transitions
 */
export const list = (disk: Disk, dir: string): Result<ReadonlyArray<string>> =>
  find(disk, dir).pipe(
    Either.flatMap((id) => folderAt(disk, id)),
    Either.map(({ cached }) => [...cached.keys()].sort())
  )

/**
 * @since 0.1.0
 * @category transitions
 */
export const rename = (disk: Disk, from: string, to: string): Result<Disk> =>
  Either.gen(function*() {
    const source = yield* parentOf(disk, from)
    const node = yield* find(disk, from)
    const target = yield* parentOf(disk, to)
    if (target.node !== undefined && disk.nodes.get(target.node)?._tag === "Folder") {
      return yield* refuse("Unknown", "a folder is in the way")
    }
    return changeEntries(disk, [
      { folder: source.folder, name: source.name, node: undefined },
      { folder: target.folder, name: target.name, node }
    ])
  })

/**
 * @since 0.1.0
 * @category transitions
 */
export const unlink = (disk: Disk, path: string): Result<Disk> =>
  Either.gen(function*() {
    const { folder, name } = yield* parentOf(disk, path)
    yield* open(disk, path)
    return changeEntries(disk, [{ folder, name, node: undefined }])
  })

/**
 * The folder's entries are on the device, and with a file that came from another folder, what happened there before.
 *
 * @since 0.1.0
 * @category transitions
 */
export const syncFolder = (disk: Disk, dir: string): Result<Disk> =>
  Either.gen(function*() {
    const id = yield* find(disk, dir)
    yield* folderAt(disk, id)
    const covered = new Set([id])
    const due = new Set<Change>()
    for (const change of disk.pending.toReversed()) {
      if (!change.some(({ folder }) => covered.has(folder))) continue
      due.add(change)
      for (const { folder } of change) covered.add(folder)
    }
    const nodes = new Map(disk.nodes)
    for (const change of disk.pending) if (due.has(change)) apply(nodes, change, "durable")
    return { ...disk, nodes, pending: disk.pending.filter((change) => !due.has(change)) }
  })
