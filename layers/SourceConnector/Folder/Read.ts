/**
 * Reads a document, and is sure of what it read: a regular file, below the root, that no link led to, and that stayed
 * the same from the first byte to the last. The revision goes with the bytes, since both come from one open file.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { DocumentError } from "../../../src/domain/ConnectorErrors.ts"
import { type DocId, Fingerprint } from "../../../src/domain/Ids.ts"
import { DiskError, type DiskOperations, type OpenFile } from "./Disk.ts"
import { below, isBelow } from "./Names.ts"
import { isEvicted, isSame, revisionOf, type Stat } from "./Revision.ts"

/** A file that is being written is read again so often; then the sync goes on and comes back to it. */
const attempts = 3
/** A larger one is no document, whatever the engine would take: it would have to be held in memory whole. */
const maxBytes = 256 * 1024 * 1024
/** NUL is looked for in the first bytes, as git does. */
const sniffed = 8 * 1024
const blockSize = 64 * 1024

/**
 * Where documents are read. With `readsEvicted`, files without blocks are read like others.
 *
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly disk: DiskOperations
  readonly root: string
  readonly readsEvicted: boolean
}

/**
 * What was made of the bytes of a file, and its revision at that time.
 *
 * @since 0.1.0
 * @category models
 */
export interface Taken<A> {
  readonly value: A
  readonly revision: string
}

const links: ReadonlySet<string> = new Set(["ELOOP", "EMLINK"])
const missing: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"])
const later: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EAGAIN", "ETIMEDOUT", "EBUSY", "EDEADLK"])

const unsupported = (doc_id: DocId, detail: string) =>
  new DocumentError({ doc_id, reason: "unsupported", detail, retryable: false })

const gone = (doc_id: DocId) =>
  new DocumentError({ doc_id, reason: "gone", detail: "it is no longer there", retryable: false })

const refused = (doc_id: DocId) => (error: DiskError): DocumentError => {
  const { cause, code } = error
  if (missing.has(code)) return gone(doc_id)
  if (links.has(code)) return unsupported(doc_id, "a symbolic link")
  const reason = later.has(code) ? "unavailable" : "fetch"
  return new DocumentError({ doc_id, reason, detail: `it cannot be read (${code})`, retryable: true, cause })
}

/** Why a file is not opened, by its stat. */
const notOpened = ({ disk, readsEvicted }: Place, doc_id: DocId, stat: Stat): DocumentError | undefined => {
  if (stat.kind === "link") return unsupported(doc_id, "a symbolic link")
  if (stat.kind === "folder") return gone(doc_id)
  if (stat.kind === "other") return unsupported(doc_id, "not a regular file")
  return disk.evicts && !readsEvicted && isEvicted(stat)
    ? new DocumentError({ doc_id, reason: "unavailable", detail: "its content is in iCloud", retryable: true })
    : undefined
}

/** Fills the bytes, unless the file ends before. */
const fill = (file: OpenFile, into: Uint8Array): Effect.Effect<number, DiskError> =>
  Effect.gen(function*() {
    let filled = 0
    while (filled < into.length) {
      const n = yield* file.read(into.subarray(filled))
      if (n === 0) break
      filled += n
    }
    return filled
  })

type Use<A> = (file: OpenFile, stat: Stat) => Effect.Effect<Option.Option<A>, DiskError | DocumentError>

/** Nothing, where the file was another one at the end. */
const once = <A>(place: Place, doc_id: DocId, use: Use<A>): Effect.Effect<Option.Option<Taken<A>>, DocumentError> =>
  Effect.gen(function*() {
    const { disk, root } = place
    // No name has one, so no listing gave this.
    if (doc_id.includes("\0")) return yield* gone(doc_id)
    const realRoot = yield* Effect.mapError(disk.realPath(root), ({ cause, code }) =>
      new DocumentError({
        doc_id,
        reason: "fetch",
        detail: `its folder ${root} cannot be read (${code})`,
        retryable: true,
        cause
      }))
    const path = below(root, doc_id)
    const now = yield* Clock.currentTimeMillis
    const work = Effect.gen(function*() {
      // What is no file is not even opened: opening a device can do something.
      const [seen] = yield* disk.stats([path])
      if (seen === undefined || seen instanceof DiskError) return yield* seen ?? gone(doc_id)
      const refusal = notOpened(place, doc_id, seen)
      if (refusal !== undefined) return yield* refusal
      return yield* disk.withFile(path, (file) =>
        Effect.gen(function*() {
          if (!isBelow(yield* file.realPath, realRoot, doc_id)) return yield* gone(doc_id)
          const before = yield* file.stat
          const swapped = notOpened(place, doc_id, before)
          if (swapped !== undefined) return yield* swapped
          const value = yield* use(file, before)
          return isSame(before, yield* file.stat)
            ? Option.map(value, (value) => ({ value, revision: revisionOf(before, now) }))
            : Option.none()
        }))
    })
    return yield* Effect.catchTag(work, "DiskError", refused(doc_id))
  })

const steady = <A>(
  place: Place,
  doc_id: DocId,
  use: Use<A>,
  left: number = attempts
): Effect.Effect<Taken<A>, DocumentError> =>
  Effect.flatMap(once(place, doc_id, use), (taken) => {
    if (Option.isSome(taken)) return Effect.succeed(taken.value)
    return left > 1 ? steady(place, doc_id, use, left - 1) : Effect.fail(
      new DocumentError({ doc_id, reason: "fetch", detail: "it is being written to", retryable: true })
    )
  })

const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, sniffed).includes(0)

/**
 * The bytes of a document. What is no text is refused, and says so.
 *
 * @since 0.1.0
 * @category reading
 */
export const bytesOf = (place: Place, doc_id: DocId): Effect.Effect<Taken<Uint8Array>, DocumentError> =>
  steady(place, doc_id, (file, { size }) =>
    Effect.gen(function*() {
      if (size > maxBytes) return yield* unsupported(doc_id, `larger than ${maxBytes} bytes`)
      // One more than there should be: it stays empty, or the file has grown.
      const bytes = new Uint8Array(Number(size) + 1)
      const length = yield* fill(file, bytes)
      if (length !== Number(size)) return Option.none()
      const content = bytes.subarray(0, length)
      if (isBinary(content)) return yield* unsupported(doc_id, "binary")
      return isUtf8(content) ? Option.some(content) : yield* unsupported(doc_id, "not UTF-8")
    }))

/**
 * The hash of a document's bytes, which are not kept.
 *
 * @since 0.1.0
 * @category reading
 */
export const hashOf = (place: Place, doc_id: DocId): Effect.Effect<Taken<Fingerprint>, DocumentError> =>
  steady(place, doc_id, (file, { size }) =>
    Effect.gen(function*() {
      const hash = createHash("sha256")
      const block = new Uint8Array(Math.min(Number(size) + 1, blockSize))
      for (let first = true, more = true; more; first = false) {
        const length = yield* fill(file, block)
        const bytes = block.subarray(0, length)
        if (first && isBinary(bytes)) return yield* unsupported(doc_id, "binary")
        hash.update(bytes)
        more = length === block.length
      }
      return Option.some(Fingerprint.make(`sha256:${hash.digest("hex")}`))
    }))
