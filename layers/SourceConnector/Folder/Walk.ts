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
import { forEachInTurns } from "./InTurns.ts"
import { below, byteKey, evictedName, isClosed, join, type Name, shown, whyNot } from "./Names.ts"
import { isEvicted, revisionOf, type Stat } from "./Revision.ts"

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
  /** A moment before the walk, in milliseconds. */
  readonly now: number
}

/**
 * One file that `include` matches: a document, one that cannot be read now, or none, and why.
 *
 * @since 0.1.0
 * @category models
 */
export type Found =
  | { readonly _tag: "File"; readonly path: string; readonly size: number; readonly revision: string }
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

const foundOf = ({ disk, now, readsEvicted }: WalkOptions, path: string, stat: Stat | DiskError): Found => {
  if (stat instanceof DiskError) return isMissing(stat) ? left(path, "gone") : unavailable(path)
  // A folder by now: what was there is gone.
  if (stat.kind !== "file") return left(path, kindWhyNot(stat.kind) ?? "gone")
  if (disk.evicts && !readsEvicted && isEvicted(stat)) return unavailable(path)
  return { _tag: "File", path, size: Number(stat.size), revision: revisionOf(stat, now) }
}

/** What an entry is, by its name and kind alone; nothing, where it is not even named. */
const itemOf = (
  { disk, leaves, takes }: WalkOptions,
  { kind, name }: Entry,
  inFolder: { readonly path: Name; readonly ofHome: boolean; readonly present: ReadonlySet<Name> }
): Item | undefined => {
  const path = join(inFolder.path, name)
  const text = shown(path)
  const entry = shown(name)
  if (kind === "folder") {
    const closed = isClosed(entry) || inFolder.ofHome && isOwn(entry) || leaves(text)
    return closed ? undefined : folderAt(path)
  }
  const before = disk.evicts ? evictedName(entry) : undefined
  if (before !== undefined && !inFolder.present.has(before)) {
    const real = join(inFolder.path, before)
    return typeof real === "string" && takes(real) && !leaves(real) ? unavailable(real) : undefined
  }
  if (!takes(text) || leaves(text)) return undefined
  if (typeof path !== "string") return left(path, "its name is not UTF-8")
  const why = whyNot(entry) ?? kindWhyNot(kind)
  return why === undefined ? { _tag: "Asked", path } : left(path, why)
}

/** What the stats of all of these come to, in their order. The stats themselves are soon let go of. */
const statEach = <P extends Name, A>(
  { disk, root }: WalkOptions,
  paths: ReadonlyArray<P>,
  use: (stat: Stat | DiskError, path: P) => A
): Effect.Effect<ReadonlyArray<A>, WalkError> => {
  const starts = Array.from({ length: Math.ceil(paths.length / statsAtOnce) }, (_, i) => i * statsAtOnce)
  const one = (start: number) =>
    Effect.gen(function*() {
      const batch = paths.slice(start, start + statsAtOnce)
      const stats = yield* disk.stats(batch.map((path) => below(root, path)))
      for (const stat of stats) if (stat instanceof DiskError) yield* orWalkError(stat)
      return batch.flatMap((path, i) => {
        const stat = stats[i]
        return stat === undefined ? [] : [use(stat, path)]
      })
    })
  return Effect.map(Effect.forEach(starts, one, { concurrency: batchesAtOnce }), (done) => done.flat())
}

/** One that was swapped for a link while it was read led out of the root: what was found in it is let go of. */
const swapped = (options: WalkOptions, folders: ReadonlyArray<Folder>) =>
  Effect.map(
    statEach(
      options,
      folders.map(({ path }) => path),
      (stat) => !(stat instanceof DiskError) && stat.kind === "folder"
    ),
    (real) => new Set(folders.filter((_, i) => real[i] !== true))
  )

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
        const present = new Set(disk.evicts ? entries.map(({ name }) => name) : [])
        const items: Array<Item> = []
        yield* forEachInTurns(sorted(entries), (entry) => {
          const item = itemOf(options, entry, { path: folder, ofHome, present })
          if (item !== undefined) items.push(item)
        })
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
    const asked = items.flatMap((item) => item._tag === "Asked" ? [item.path] : [])
    const answers = (yield* statEach(options, asked, (stat, path) => foundOf(options, path, stat))).values()
    const found: Array<Found> = []
    for (const item of items) {
      const answer = item._tag === "Asked" ? answers.next().value : item
      if (answer !== undefined) found.push(answer)
    }
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
