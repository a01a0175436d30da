/**
 * The revision of a file: what the file system says of it, without its content. Equal revisions spare a read.
 *
 * A file can change twice within one tick of the clock that stamps it, to the same size, and look the same. So a
 * revision that was taken that close to the file's own times bears a mark, as an entry of git's index is racily clean:
 * it is not believed, and the file is hashed once more when the tick is over.
 *
 * @since 0.1.0
 */

/**
 * What is known of a file without reading it. Times are in nanoseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Stat {
  readonly kind: "file" | "folder" | "link" | "other"
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly ino: bigint
  readonly dev: bigint
  readonly blocks: bigint
}

/** Milliseconds: the coarsest clock of a file system in use is that of FAT. */
const grain = 2000

const mark = "~"

const isClose = (timeNs: bigint, now: number): boolean => Math.abs(now - Number(timeNs) / 1e6) < grain

/**
 * The revision of a file whose stat was taken at the moment `now` or later.
 *
 * @since 0.1.0
 * @category constructors
 */
export const revisionOf = ({ ctimeNs, ino, mtimeNs, size }: Stat, now: number): string =>
  `${size}-${mtimeNs}-${ctimeNs}-${ino}${isClose(mtimeNs, now) || isClose(ctimeNs, now) ? mark : ""}`

/**
 * Whether an equal revision means an unchanged file.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isSettled = (revision: string): boolean => !revision.endsWith(mark)

/**
 * The size of the file as the revision has it, in decimal digits.
 *
 * @since 0.1.0
 * @category getters
 */
export const sizeIn = (revision: string): string => revision.slice(0, Math.max(0, revision.indexOf("-")))

/**
 * Whether nothing seems to have touched the file between two stats of it.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isSame = (a: Stat, b: Stat): boolean =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs

/**
 * Whether the content is not on this disk: macOS keeps the name and the size of what iCloud took away, and no block.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isEvicted = ({ blocks, kind, size }: Stat): boolean => kind === "file" && size > 0n && blocks === 0n
