/**
 * The walk through a folder: every file that `include` matches, in the order of the bytes of its path, with its stat or
 * the reason why it is no document. Nothing is opened but folders, and no link is followed.
 *
 * What cannot be told is told as such: a folder that cannot be read is a place of its own, where nothing may be found
 * gone; a file that was there a moment ago is named, not left out.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { ListingRoot } from "../../../src/domain/Listing.ts"
import { DiskError, type DiskOperations, type Entry } from "./Disk.ts"
import { homeAround, isHome, isOwn } from "./Home.ts"
import { below, byteKey, evictedName, isClosed, join, type Name, shown, whyNot } from "./Names.ts"
import { isEvicted, type Stat } from "./Revision.ts"

/** Folders that are read at the same time. */
const openFolders = 32
/** Files whose stat is asked for at the same time, so many times so many: what waits meanwhile gets its turn. */
const statsAtOnce = 256
const batchesAtOnce = 4

/**
 * What the walk goes through. `takes` and `leaves` are asked for paths relative to the root; a folder that `leaves`
 * says is not looked into.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalkOptions {
  readonly disk: DiskOperations
  readonly root: string
  readonly takes: (path: string) => boolean
  readonly leaves: (path: string) => boolean
  /** Whether files without blocks are read like others. */
  readonly readsEvicted: boolean
}

/**
 * One file that `include` matches: a document, one that cannot be read now, or none, and why.
 *
 * @since 0.1.0
 * @category models
 */
export type Found =
  | { readonly _tag: "File"; readonly path: string; readonly stat: Stat }
  | { readonly _tag: "Unavailable"; readonly path: string }
  | { readonly _tag: "Left"; readonly path: Name; readonly why: string }

const left = (path: Name, why: string): Found => ({ _tag: "Left", path, why })
const unavailable = (path: string): Found => ({ _tag: "Unavailable", path })

/**
 * What was found, and the folders that could not be read, by their paths; `""` is the root.
 *
 * @since 0.1.0
 * @category models
 */
export interface Walked {
  readonly found: ReadonlyArray<Found>
  readonly broken: ReadonlyMap<string, Exclude<ListingRoot["status"], "readable">>
}

/**
 * The walk could not go on, or what it went through was no longer the same at its end.
 *
 * @since 0.1.0
 * @category errors
 */
export class WalkError extends Data.TaggedError("WalkError")<{
  readonly detail: string
  readonly advice: string
  readonly retryable: boolean
  readonly cause?: unknown
}> {
  override get message(): string {
    return `${this.detail}; ${this.advice}`
  }
}

/** Its stat is asked for when all folders are read. */
interface Asked {
  readonly _tag: "Asked"
  readonly path: string
}

interface Folder {
  readonly _tag: "Folder"
  readonly path: Name
  /** Filled when the folder is read. */
  inside: ReadonlyArray<Item>
}

type Item = Found | Asked | Folder

const folderAt = (path: Name): Folder => ({ _tag: "Folder", path, inside: [] })

const foldersIn = ({ inside }: Folder): ReadonlyArray<Folder> => inside.filter((item) => item._tag === "Folder")

const filesIn = ({ inside }: Folder, lost: ReadonlySet<Folder>, into: Array<Found | Asked>): Array<Found | Asked> => {
  for (const item of inside) {
    if (item._tag !== "Folder") into.push(item)
    else if (!lost.has(item)) filesIn(item, lost, into)
  }
  return into
}

/** The process is at its own limit: that says nothing of a file. */
const isOurs = ({ code }: DiskError): boolean => code === "EMFILE" || code === "ENFILE" || code === "ENOMEM"
const isMissing = ({ code }: DiskError): boolean => code === "ENOENT" || code === "ENOTDIR"

const orWalkError = (error: DiskError): Effect.Effect<DiskError, WalkError> =>
  isOurs(error)
    ? new WalkError({
      detail: `the system gives no more files or memory (${error.code})`,
      advice: "close other programs, or raise the limit (ulimit -n), and run the command again",
      retryable: true,
      cause: error.cause
    })
    : Effect.succeed(error)

/** The order of the paths' bytes: a folder stands where the names in it would. */
const sorted = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries
    .map((entry) => ({ entry, key: byteKey(entry.name) + (entry.kind === "folder" ? "/" : "") }))
    .sort((a, b) => a.key < b.key ? -1 : 1)
    .map(({ entry }) => entry)

const kindWhyNot = (kind: Stat["kind"]): string | undefined =>
  kind === "link" ? "a symbolic link" : kind === "other" ? "not a regular file" : undefined

const ofStat = ({ disk, readsEvicted }: WalkOptions, path: string, stat: Stat): Found => {
  // A folder by now: what was there is gone.
  if (stat.kind !== "file") return left(path, kindWhyNot(stat.kind) ?? "gone")
  return disk.evicts && !readsEvicted && isEvicted(stat) ? unavailable(path) : { _tag: "File", path, stat }
}

/** What an entry is, by its name and kind alone; nothing, where it is not even named. */
const itemOf = (
  { disk, leaves, takes }: WalkOptions,
  { kind, name }: Entry,
  inFolder: { readonly path: Name; readonly ofHome: boolean; readonly has: (name: Name) => boolean }
): Item | undefined => {
  const path = join(inFolder.path, name)
  const text = shown(path)
  const entry = shown(name)
  if (kind === "folder") {
    const closed = isClosed(entry) || inFolder.ofHome && isOwn(entry) || leaves(text)
    return closed ? undefined : folderAt(path)
  }
  const before = disk.evicts ? evictedName(entry) : undefined
  if (before !== undefined && !inFolder.has(before)) {
    const real = join(inFolder.path, before)
    return typeof real === "string" && takes(real) && !leaves(real) ? unavailable(real) : undefined
  }
  if (!takes(text) || leaves(text)) return undefined
  if (typeof path !== "string") return left(path, "its name is not UTF-8")
  const why = whyNot(entry) ?? kindWhyNot(kind)
  return why === undefined ? { _tag: "Asked", path } : left(path, why)
}

/** The stats of all of these, in their order. */
const statsOf = (
  { disk, root }: WalkOptions,
  paths: ReadonlyArray<Name>
): Effect.Effect<ReadonlyArray<Stat | DiskError>, WalkError> =>
  Effect.forEach(
    Array.from({ length: Math.ceil(paths.length / statsAtOnce) }, (_, i) =>
      paths.slice(i * statsAtOnce, (i + 1) * statsAtOnce)),
    (batch) =>
      Effect.tap(
        disk.stats(batch.map((path) =>
          below(root, path)
        )),
        (stats) => {
          const ours = stats.find((stat) => stat instanceof DiskError && isOurs(stat))
          return ours instanceof DiskError ? orWalkError(ours) : Effect.void
        }
      ),
    { concurrency: batchesAtOnce }
  ).pipe(Effect.map((batches) => batches.flat()))

/** One that was swapped for a link while it was read led out of the root: what was found in it is let go of. */
const swapped = (options: WalkOptions, folders: ReadonlyArray<Folder>) =>
  Effect.map(statsOf(options, folders.map(({ path }) => path)), (stats) => {
    const real = new Set<Folder>()
    for (const [i, folder] of folders.entries()) {
      const stat = stats[i]
      if (stat !== undefined && !(stat instanceof DiskError) && stat.kind === "folder") real.add(folder)
    }
    return new Set(folders.filter((folder) => !real.has(folder)))
  })

const foundOf = (options: WalkOptions, path: string, stat: Stat | DiskError): Found =>
  stat instanceof DiskError
    ? isMissing(stat) ? left(path, "gone") : unavailable(path)
    : ofStat(options, path, stat)

/**
 * Walks. Memory is that of what was found, and of the folders that are open.
 *
 * @since 0.1.0
 * @category walking
 */
export const walk = (options: WalkOptions): Effect.Effect<Walked, WalkError> =>
  Effect.gen(function*() {
    const { disk, root } = options
    const broken = new Map<string, Exclude<ListingRoot["status"], "readable">>()
    const breakAt = (folder: Name) => (error: DiskError): Effect.Effect<ReadonlyArray<never>, WalkError> =>
      Effect.map(orWalkError(error), () => {
        // Nothing below a name that is not UTF-8 was ever a document.
        if (typeof folder === "string") broken.set(folder, isMissing(error) ? "missing" : "unreadable")
        return []
      })

    const start = yield* Effect.either(Effect.all([disk.statFollowing(root), disk.realPath(root)]))
    if (Either.isLeft(start)) return { found: yield* breakAt("")(start.left), broken }
    const [before, realRoot] = start.right
    if (before.kind !== "folder") return { found: [], broken: broken.set("", "unreadable") }
    const home = yield* homeAround(disk, shown(realRoot))
    if (home !== undefined) {
      return yield* new WalkError({
        detail: `${root} holds what mem itself wrote, in the home ${home}`,
        advice: "set its path to a folder of documents",
        retryable: false
      })
    }

    const read = (folder: Name): Effect.Effect<ReadonlyArray<Item>, WalkError> =>
      Effect.gen(function*() {
        const path = below(root, folder)
        const entries = yield* disk.entries(path)
        const ofHome = entries.some(({ kind, name }) => kind === "folder" && isOwn(shown(name)))
          && (yield* isHome(disk, path))
        const has = (wanted: Name) => entries.some(({ name }) => name === wanted)
        const items: Array<Item> = []
        for (const entry of sorted(entries)) {
          const item = itemOf(options, entry, { path: folder, ofHome, has })
          if (item !== undefined) items.push(item)
        }
        return items
      }).pipe(Effect.catchTag("DiskError", breakAt(folder)))

    const top = folderAt("")
    const folders: Array<Folder> = []
    for (let level: ReadonlyArray<Folder> = [top]; level.length > 0; level = level.flatMap(foldersIn)) {
      yield* Effect.forEach(
        level,
        (folder) => Effect.map(read(folder.path), (inside) => folder.inside = inside),
        { concurrency: openFolders, discard: true }
      )
      for (const folder of level) if (folder !== top && folder.inside.length > 0) folders.push(folder)
    }
    const lost = yield* swapped(options, folders)
    for (const { path } of lost) broken.set(shown(path), "missing")

    const items = filesIn(top, lost, [])
    const stats = (yield* statsOf(options, items.flatMap((item) => item._tag === "Asked" ? [item.path] : []))).values()
    const found = items.flatMap((item) => {
      if (item._tag !== "Asked") return [item]
      const stat = stats.next().value
      return stat === undefined ? [] : [foundOf(options, item.path, stat)]
    })
    const after = yield* Effect.option(disk.statFollowing(root))
    if (Option.isNone(after) || after.value.ino !== before.ino || after.value.dev !== before.dev) {
      return yield* new WalkError({
        detail: `${root} went away, or was replaced, while it was read`,
        advice: "run the command again when it is there",
        retryable: true
      })
    }
    return { found, broken }
  })
