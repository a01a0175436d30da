/**
 * One file of a simulated disk: what reads see (the page cache) and what the device holds. Only a sync moves bytes from
 * the one to the other for certain; what a power cut makes of the rest is drawn at random, by 512-byte sectors.
 *
 * Two things are as on a journaling file system, not worse: bytes that are overwritten in place are the old or the new
 * ones, never zeros, and newly allocated ones are zeros where they were not written but the file's new size was.
 *
 * @since 0.1.0
 */
import type { PCGRandom } from "effect/Utils"

const sectorBytes = 512

/** From `start` up to `end`. */
interface Range {
  readonly start: number
  readonly end: number
}

/**
 * Bytes are never changed in place, so two files may share them.
 *
 * @since 0.1.0
 * @category models
 */
export interface File {
  /** What reads see. */
  readonly cached: Uint8Array
  /** What the device holds for certain. */
  readonly durable: Uint8Array
  /** Of `cached`: what was written and not synced since; disjoint. After a failed sync it counts as synced. */
  readonly dirty: ReadonlyArray<Range>
  /** Bytes of `durable` that a new size keeps: all, or those below the lowest truncation since the last sync. */
  readonly inPlace: number
}

/**
 * A file that is on the device whole.
 *
 * @since 0.1.0
 * @category constructors
 */
export const synced = (bytes: Uint8Array): File => ({
  cached: bytes,
  durable: bytes,
  dirty: [],
  inPlace: bytes.length
})

const resized = (bytes: Uint8Array, kept: number, size: number): Uint8Array => {
  const result = new Uint8Array(size)
  result.set(bytes.subarray(0, Math.min(kept, size)))
  return result
}

const join = (ranges: ReadonlyArray<Range>, range: Range): ReadonlyArray<Range> => {
  const touches = ({ end, start }: Range): boolean => end >= range.start && start <= range.end
  const touching = [...ranges.filter(touches), range]
  return [...ranges.filter((other) => !touches(other)), {
    start: Math.min(...touching.map(({ start }) => start)),
    end: Math.max(...touching.map(({ end }) => end))
  }]
}

/**
 * Into the cache alone. A gap behind the old end reads as zeros.
 *
 * @since 0.1.0
 * @category transitions
 */
export const write = (file: File, offset: number, bytes: Uint8Array): File => {
  if (bytes.length === 0) return file
  const end = offset + bytes.length
  const cached = resized(file.cached, file.cached.length, Math.max(file.cached.length, end))
  cached.set(bytes, offset)
  return { ...file, cached, dirty: join(file.dirty, { start: offset, end }) }
}

/**
 * In the cache alone.
 *
 * @since 0.1.0
 * @category transitions
 */
export const truncate = (file: File, size: number): File => ({
  cached: resized(file.cached, file.cached.length, size),
  durable: file.durable,
  dirty: file.dirty.filter(({ start }) => start < size).map(({ end, start }) => ({ start, end: Math.min(end, size) })),
  inPlace: Math.min(file.inPlace, size)
})

/**
 * All that is dirty is on the device, with the size.
 *
 * @since 0.1.0
 * @category transitions
 */
export const sync = (file: File): File => {
  const durable = resized(file.durable, file.inPlace, file.cached.length)
  for (const { end, start } of file.dirty) durable.set(file.cached.subarray(start, end), start)
  return { cached: file.cached, durable, dirty: [], inPlace: durable.length }
}

/**
 * What Linux does when the device refuses: the pages are marked clean, so no later sync writes them, and reads go on
 * seeing them.
 *
 * @since 0.1.0
 * @category transitions
 */
export const failSync = (file: File): File => ({ ...file, dirty: [] })

const pieces = (file: File): ReadonlyArray<Range> =>
  file.dirty.toSorted((a, b) => a.start - b.start).flatMap(({ end, start }) => {
    const cuts: Array<Range> = []
    for (let at = start; at < end;) {
      const sectorEnd = (Math.floor(at / sectorBytes) + 1) * sectorBytes
      // The end of what is overwritten in place divides a sector: each part has its own fate.
      const next = Math.min(end, sectorEnd, at < file.inPlace ? file.inPlace : end)
      cuts.push({ start: at, end: next })
      at = next
    }
    return cuts
  })

/** A cut finds nearly all, some or nearly nothing written back; always a half of the sectors would hide the extremes. */
const oddsOfBeingWritten = [0, 0.25, 0.75, 1] as const

/**
 * The bytes after a power cut: the new size or the old one, and each dirty sector written or not. With the old size,
 * newly allocated sectors are gone; with the new size, the unwritten ones of them are zeros.
 *
 * @since 0.1.0
 * @category transitions
 */
export const powerLoss = (file: File, random: PCGRandom): Uint8Array => {
  const newSize = random.integer(2) === 1
  const odds = oddsOfBeingWritten[random.integer(oddsOfBeingWritten.length)] ?? 0
  const result = newSize
    ? resized(file.durable, file.inPlace, file.cached.length)
    : resized(file.durable, file.durable.length, file.durable.length)
  for (const { end, start } of pieces(file)) {
    const written = random.number() < odds
    if (written && (newSize || end <= file.inPlace)) result.set(file.cached.subarray(start, end), start)
  }
  return result
}
