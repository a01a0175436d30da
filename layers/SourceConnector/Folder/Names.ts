/**
 * The names of files, byte for byte. A document's id is its path below the root, as it stands on the disk: neither its
 * case nor its Unicode form is touched, so two names that differ in any byte are two documents.
 *
 * @since 0.1.0
 */
import { isUtf8 } from "node:buffer"
import { sep } from "node:path"
import { DocId, SourceUri } from "../../../src/domain/Ids.ts"

/**
 * A path with `/`: text where it is UTF-8, else its bytes.
 *
 * @since 0.1.0
 * @category models
 */
export type Name = string | Buffer

const bytesOf = (name: Name): Buffer => typeof name === "string" ? Buffer.from(name) : name

/**
 * A name as the disk gave it.
 *
 * @since 0.1.0
 * @category paths
 */
export const decode = (name: Name): Name => typeof name === "string" || !isUtf8(name) ? name : name.toString("utf8")

/**
 * The path of an entry in a folder; `""` is the root.
 *
 * @since 0.1.0
 * @category paths
 */
export const join = (folder: Name, entry: Name): Name => {
  if (folder === "") return entry
  if (typeof folder === "string" && typeof entry === "string") return `${folder}/${entry}`
  return Buffer.concat([bytesOf(folder), Buffer.from("/"), bytesOf(entry)])
}

/**
 * A text whose order is that of the name's bytes.
 *
 * @since 0.1.0
 * @category ordering
 */
export const byteKey = (name: Name): string =>
  // In ASCII it is the name itself.
  typeof name === "string" && /^[\0-\x7f]*$/.test(name) ? name : bytesOf(name).toString("latin1")

/**
 * The path of something below the root on the disk.
 *
 * @since 0.1.0
 * @category paths
 */
export const below = (root: string, name: Name): Name => {
  const prefix = root.endsWith("/") ? root : `${root}/`
  return name === "" ? root : typeof name === "string" ? prefix + name : Buffer.concat([Buffer.from(prefix), name])
}

/**
 * Whether the real path of something is the one that it has below the real root, so that no link leads to it.
 *
 * @since 0.1.0
 * @category paths
 */
export const isBelow = (real: Buffer, realRoot: Buffer, name: Name): boolean => {
  const slash = realRoot.at(-1) === 0x2f ? [] : [Buffer.from("/")]
  return real.equals(Buffer.concat([realRoot, ...slash, bytesOf(name)]))
}

/**
 * A path as globs see it; what is not UTF-8 in it is U+FFFD there.
 *
 * @since 0.1.0
 * @category formatting
 */
export const shown = (name: Name): string => typeof name === "string" ? name : name.toString("utf8")

/**
 * The id of the document at this path.
 *
 * @since 0.1.0
 * @category ids
 */
// A path that is text, and below the root, is well-formed and not empty; checking each again costs more than its stat.
export const docId = (path: string): DocId => DocId.make(path, { disableValidation: true })

const escaped = (byte: number): string =>
  byte < 0x21 || byte > 0x7e || byte === 0x25
    ? `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    : String.fromCharCode(byte)

/**
 * What a path that is not UTF-8 is called in a report. It begins like no document's id, so it is mistaken for none.
 *
 * @since 0.1.0
 * @category ids
 */
export const unreadableId = (name: Buffer): DocId => DocId.make(`./${Array.from(name, escaped).join("")}`)

const encode = (path: string): string => encodeURIComponent(path).replaceAll("%2F", "/")

/**
 * The URI of the root. Encoded here and not by Node, whose choice of characters differs between versions: another
 * spelling would be another place.
 *
 * @since 0.1.0
 * @category uris
 */
export const rootUri = (root: string): SourceUri => {
  const path = encode(root.replaceAll(sep, "/").toWellFormed())
  return SourceUri.make(path.startsWith("/") ? `file://${path}` : `file:///${path}`)
}

/**
 * The URI of what lies below the root.
 *
 * @since 0.1.0
 * @category uris
 */
export const uriBelow = (root: SourceUri, path: string): SourceUri =>
  SourceUri.make(`${root.endsWith("/") ? root : `${root}/`}${encode(path)}`, { disableValidation: true })

/**
 * Whether a folder of this name is never looked into: hidden ones (those of version control, of Obsidian, of sync
 * tools), and packages.
 *
 * @since 0.1.0
 * @category rules
 */
export const isClosed = (entry: string): boolean => entry.startsWith(".") || entry === "node_modules" || entry === "CVS"

/**
 * Why a file of this name is no document, if it is none.
 *
 * @since 0.1.0
 * @category rules
 */
export const whyNot = (entry: string): string | undefined => {
  if (entry.startsWith(".")) return "hidden"
  if (/(?:\.tmp|\.swp|~)$/i.test(entry)) return "a temporary file"
  return /\.excalidraw\.md$/i.test(entry) ? "an Excalidraw drawing" : undefined
}

/**
 * The name that a file had before iCloud took its content away and left `.Name.md.icloud` in its place.
 *
 * @since 0.1.0
 * @category rules
 */
export const evictedName = (entry: string): string | undefined => /^\.(.+)\.icloud$/s.exec(entry)?.[1]
