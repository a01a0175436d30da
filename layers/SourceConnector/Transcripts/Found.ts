/**
 * What a walk through an agent's folders finds. Nothing is opened but folders; no link is followed, unless whoever walks
 * asks for it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { ListingRoot } from "../../../src/domain/Listing.ts"
import type { DiskError } from "../Folder/Disk.ts"
import { type DiskOperations, type Entry } from "../Folder/Disk.ts"
import { shown } from "../Folder/Names.ts"

/**
 * A file that should be a transcript, by its name: its path, and the key of its session. `group` tells two sessions of
 * one key apart.
 *
 * @since 0.1.0
 * @category models
 */
export interface Candidate {
  readonly path: string
  readonly key: string
  readonly group: string
}

/**
 * `left` are files that should be transcripts and cannot be read, each with the reason; `broken` are folders.
 *
 * @since 0.1.0
 * @category models
 */
export interface Found {
  readonly candidates: ReadonlyArray<Candidate>
  readonly left: ReadonlyArray<{ readonly path: string; readonly key: string; readonly why: string }>
  readonly broken: ReadonlyArray<{ readonly path: string; readonly status: ListingRoot["status"] }>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const nothing: Found = { candidates: [], left: [], broken: [] }

/**
 * @since 0.1.0
 * @category combinators
 */
export const all = (founds: ReadonlyArray<Found>): Found => ({
  candidates: founds.flatMap(({ candidates }) => candidates),
  left: founds.flatMap(({ left }) => left),
  broken: founds.flatMap(({ broken }) => broken)
})

/**
 * Folders that are read at the same time.
 *
 * @since 0.1.0
 * @category constants
 */
export const openFolders = 16

/**
 * The process is at its own limit, which says nothing of a file.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isOurs = ({ code }: DiskError): boolean => code === "EMFILE" || code === "ENFILE" || code === "ENOMEM"

/**
 * @since 0.1.0
 * @category predicates
 */
export const isMissing = ({ code }: DiskError): boolean => code === "ENOENT" || code === "ENOTDIR"

/**
 * Reads a folder. One that is not there holds nothing; of one that cannot be read that is said.
 *
 * @since 0.1.0
 * @category walking
 */
export const inFolder = (
  disk: DiskOperations,
  path: string,
  use: (entries: ReadonlyArray<Entry>) => Effect.Effect<Found, DiskError>
): Effect.Effect<Found, DiskError> =>
  Effect.catchAll(Effect.flatMap(disk.entries(path), use), (error) => {
    if (isOurs(error)) return Effect.fail(error)
    return Effect.succeed(
      isMissing(error) ? nothing : { ...nothing, broken: [{ path, status: "unreadable" as const }] }
    )
  })

/**
 * Whether an entry is a transcript, or should be one.
 *
 * @since 0.1.0
 * @category walking
 */
export const fileIn = (
  folder: string,
  { kind, name }: Entry,
  candidateOf: (stem: string) => Pick<Candidate, "key" | "group"> | undefined
): Found => {
  const [, stem, compressed] = /^([^.].*)\.jsonl(\.zst)?$/s.exec(shown(name)) ?? []
  const candidate = stem === undefined ? undefined : candidateOf(stem)
  if (candidate === undefined || kind === "folder") return nothing
  const path = `${folder}/${shown(name)}`
  const left = (why: string): Found => ({ ...nothing, left: [{ path, key: candidate.key, why }] })
  if (typeof name !== "string") return left("its name is not UTF-8")
  if (kind !== "file") return left(kind === "link" ? "a symbolic link" : "not a regular file")
  return compressed === undefined ? { ...nothing, candidates: [{ path, ...candidate }] } : left("compressed")
}
