/**
 * The index's file: where it is, who may read it, and what can be said of it without opening it as a database.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { closeSync, lstatSync, mkdirSync, openSync, readSync, rmSync } from "node:fs"
import { dirname } from "node:path"

/**
 * @since 0.1.0
 * @category paths
 */
export const pathOf = (home: string): string => `${home}/projection/index.sqlite`

const journalOf = (path: string): string => `${path}-journal`

/**
 * Which file stands at the path now, and in what state: it changes with the file and with whatever is written to it.
 * None where there is no regular file, or an empty one, as a writer that has just begun leaves it.
 *
 * @since 0.1.0
 * @category looking
 */
export const stateOf = (path: string): Option.Option<string> => {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined || !stats.isFile() || stats.size === 0n
    ? Option.none()
    : Option.some(`${stats.dev} ${stats.ino} ${stats.birthtimeNs} ${stats.mtimeNs} ${stats.size}`)
}

/**
 * The first bytes of the file, or as many as it has. They are read as they are, whoever writes meanwhile.
 *
 * @since 0.1.0
 * @category looking
 */
export const headOf = (path: string, length: number): Buffer => {
  const file = openSync(path, "r")
  try {
    const head = Buffer.alloc(length)
    return head.subarray(0, readSync(file, head, 0, length, 0))
  } finally {
    closeSync(file)
  }
}

/**
 * An empty file in the place of whatever was there, for its owner alone. A journal goes after the file that it belongs
 * to: SQLite ignores one that stands beside an empty file, and would apply one that has lost its file to the next.
 *
 * Only for a file that is of no use: who reads the old one would take the new one's journal for its own.
 *
 * @since 0.1.0
 * @category making
 */
export const renew = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(path, { force: true })
  rmSync(journalOf(path), { force: true })
  closeSync(openSync(path, "wx", 0o600))
}
