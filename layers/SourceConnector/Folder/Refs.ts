/**
 * From what a walk found to what a listing says. A file is read here only where its stat cannot tell whether it is what
 * was known: its revision moved but its size did not, or its revision was taken too soon to be believed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { DocumentError } from "../../../src/domain/ConnectorErrors.ts"
import { DocumentRef } from "../../../src/domain/Document.ts"
import type { DocId, Fingerprint, SourceUri } from "../../../src/domain/Ids.ts"
import { type ListingItem, ListingSkip } from "../../../src/domain/Listing.ts"
import type { ManifestEntry } from "../../../src/domain/Manifest.ts"
import { mediaTypeOf } from "../../../src/text/MediaType.ts"
import { forEachInTurns } from "./InTurns.ts"
import { below, docId, unreadableId, uriBelow } from "./Names.ts"
import { hashOf, type Place } from "./Read.ts"
import { isSettled, sizeIn } from "./Revision.ts"
import type { Found } from "./Walk.ts"

/** Files that are hashed, or asked whether they can be read, at the same time. */
const sideBySide = 8

/**
 * What the listing of a folder starts from. With `verify` no revision is believed.
 *
 * @since 0.1.0
 * @category models
 */
export interface RefOptions {
  readonly place: Place
  readonly uri: SourceUri
  readonly known: ReadonlyMap<DocId, ManifestEntry>
  readonly verify: boolean
}

type File = Extract<Found, { readonly _tag: "File" }>

const skip = (doc_id: DocId, reason: string) => new ListingSkip({ doc_id, reason })

/** Of a file; every field is valid by the way it was made, and checking all of them again takes longer than a stat. */
const refOf = (
  uri: SourceUri,
  { path, size }: File,
  told: { readonly revision?: string; readonly content_hash?: Fingerprint }
): DocumentRef =>
  new DocumentRef({
    doc_id: docId(path),
    source_uri: uriBelow(uri, path),
    ...told,
    media_type: mediaTypeOf(path),
    size,
    availability: "available"
  }, { disableValidation: true })

const unavailable = (uri: SourceUri, path: string): DocumentRef =>
  new DocumentRef({
    doc_id: docId(path),
    source_uri: uriBelow(uri, path),
    media_type: mediaTypeOf(path),
    availability: "unavailable"
  })

/** Sizes of the documents that are gone: a new one of such a size may be one of them under another name. */
const sizesGone = (found: ReadonlyArray<Found>, known: RefOptions["known"]): ReadonlySet<string> => {
  const there = new Set<string>()
  for (const { path } of found) if (typeof path === "string") there.add(path)
  const sizes = new Set<string>()
  for (const { doc_id, excluded, revision } of known.values()) {
    if (excluded !== true && revision !== undefined && !there.has(doc_id)) sizes.add(sizeIn(revision))
  }
  return sizes
}

const failed = (uri: SourceUri, file: File, { detail, doc_id, reason }: DocumentError): ListingItem => {
  if (reason === "gone") return skip(doc_id, "gone")
  if (reason === "unsupported") return skip(doc_id, detail)
  // Of anything else nothing is known, whatever its stat says: it is fetched, and the fetch will say what is wrong.
  return reason === "unavailable" ? unavailable(uri, file.path) : refOf(uri, file, {})
}

const hashed = ({ known, place, uri }: RefOptions, file: File): Effect.Effect<ListingItem> => {
  const doc_id = docId(file.path)
  const entry = known.get(doc_id)
  return Effect.match(hashOf(place, doc_id), {
    onFailure: (error) => failed(uri, file, error),
    onSuccess: ({ revision, value: content_hash }) => {
      // A revision that stood for other content than this has been caught lying: it is not given.
      const lies = entry !== undefined && entry.revision === revision && entry.content_hash !== content_hash
      return refOf(uri, file, lies ? { content_hash } : { content_hash, revision })
    }
  })
}

/** A new document is read by its fetch; here it is asked for no more than whether that can be. */
const checked = ({ place: { disk, root }, uri }: RefOptions, file: File): Effect.Effect<ListingItem> =>
  Effect.match(disk.checkReadable(below(root, file.path)), {
    onFailure: ({ code }) =>
      code === "EACCES" || code === "EPERM"
        ? unavailable(uri, file.path)
        : refOf(uri, file, { revision: file.revision }),
    onSuccess: () => refOf(uri, file, { revision: file.revision })
  })

/** What has to be asked of a file before its stat can be believed, if anything. */
const questionOf = (
  { known, verify }: RefOptions,
  { path, revision, size }: File,
  gone: ReadonlySet<string>
): typeof hashed | typeof checked | undefined => {
  const entry = known.get(docId(path))
  if (entry === undefined) return gone.has(String(size)) ? hashed : checked
  if (entry.excluded === true) return undefined
  if (entry.revision === revision && isSettled(revision) && !verify) return undefined
  // Of another size it is another content: no hash is needed to know that.
  return entry.revision === undefined || sizeIn(entry.revision) === String(size) ? hashed : undefined
}

/**
 * What a listing says of these files, in their order.
 *
 * @since 0.1.0
 * @category listing
 */
export const itemsOf = (
  options: RefOptions,
  found: ReadonlyArray<Found>
): Effect.Effect<ReadonlyArray<ListingItem>> =>
  Effect.gen(function*() {
    const { known, uri } = options
    const gone = sizesGone(found, known)
    const items: Array<ListingItem> = []
    const asked: Array<{ readonly at: number; readonly file: File; readonly ask: typeof hashed }> = []
    yield* forEachInTurns(found, (one) => {
      if (one._tag === "Left") {
        items.push(skip(typeof one.path === "string" ? docId(one.path) : unreadableId(one.path), one.why))
      } else if (one._tag === "Unavailable") items.push(unavailable(uri, one.path))
      else {
        const ask = questionOf(options, one, gone)
        if (ask !== undefined) asked.push({ at: items.length, file: one, ask })
        items.push(refOf(uri, one, { revision: one.revision }))
      }
    })
    yield* Effect.forEach(
      asked,
      ({ ask, at, file }) => Effect.map(ask(options, file), (item) => items[at] = item),
      { concurrency: sideBySide, discard: true }
    )
    return items
  })
