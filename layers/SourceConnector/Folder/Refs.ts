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
import { below, docId, mediaType, unreadableId, uriBelow } from "./Names.ts"
import { hashOf, type Place } from "./Read.ts"
import { isSettled, revisionOf, sizeIn, type Stat } from "./Revision.ts"
import type { Found } from "./Walk.ts"

/** Files that are hashed, or asked whether they can be read, at the same time. */
const sideBySide = 8

/**
 * What the listing of a folder starts from. `now` is a moment before the walk, in milliseconds; with `verify` no
 * revision is believed.
 *
 * @since 0.1.0
 * @category models
 */
export interface RefOptions {
  readonly place: Place
  readonly uri: SourceUri
  readonly known: ReadonlyMap<DocId, ManifestEntry>
  readonly now: number
  readonly verify: boolean
}

interface Candidate {
  readonly doc_id: DocId
  readonly path: string
  readonly size: number
  readonly revision: string
}

const candidateOf = (path: string, stat: Stat, now: number): Candidate => ({
  doc_id: docId(path),
  path,
  size: Number(stat.size),
  revision: revisionOf(stat, now)
})

const skip = (doc_id: DocId, reason: string) => new ListingSkip({ doc_id, reason })

/** Of a file; every field is valid by the way it was made, and checking all of them again takes longer than a stat. */
const refOf = (
  uri: SourceUri,
  { doc_id, path, size }: Candidate,
  told: { readonly revision?: string; readonly content_hash?: Fingerprint }
): DocumentRef =>
  new DocumentRef({
    doc_id,
    source_uri: uriBelow(uri, path),
    ...told,
    media_type: mediaType(path),
    size,
    availability: "available"
  }, { disableValidation: true })

const unavailable = (uri: SourceUri, path: string): DocumentRef =>
  new DocumentRef({
    doc_id: docId(path),
    source_uri: uriBelow(uri, path),
    media_type: mediaType(path),
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

const failed = (uri: SourceUri, candidate: Candidate, { detail, reason }: DocumentError): ListingItem => {
  if (reason === "gone") return skip(candidate.doc_id, "gone")
  if (reason === "unsupported") return skip(candidate.doc_id, detail)
  // The fetch will say what is wrong with it.
  return reason === "unavailable"
    ? unavailable(uri, candidate.path)
    : refOf(uri, candidate, { revision: candidate.revision })
}

const hashed = (
  { place, uri }: RefOptions,
  candidate: Candidate,
  entry: ManifestEntry | undefined
): Effect.Effect<ListingItem> =>
  Effect.match(hashOf(place, candidate.doc_id), {
    onFailure: (error) => failed(uri, candidate, error),
    onSuccess: ({ revision, value: content_hash }) => {
      // A revision that stood for other content than this has been caught lying: it is not given.
      const lies = entry !== undefined && entry.revision === revision && entry.content_hash !== content_hash
      return refOf(uri, candidate, lies ? { content_hash } : { content_hash, revision })
    }
  })

/** A new document is read by its fetch; here it is asked for no more than whether that can be. */
const checked = ({ place: { disk, root }, uri }: RefOptions, candidate: Candidate): Effect.Effect<ListingItem> =>
  Effect.match(disk.checkReadable(below(root, candidate.path)), {
    onFailure: ({ code }) =>
      code === "EACCES" || code === "EPERM"
        ? unavailable(uri, candidate.path)
        : refOf(uri, candidate, { revision: candidate.revision }),
    onSuccess: () => refOf(uri, candidate, { revision: candidate.revision })
  })

type Step = "as it is" | "hash" | "check"

const stepOf = (
  { known, verify }: RefOptions,
  { doc_id, revision, size }: Candidate,
  gone: ReadonlySet<string>
): Step => {
  const entry = known.get(doc_id)
  if (entry === undefined) return gone.has(String(size)) ? "hash" : "check"
  if (entry.excluded === true) return "as it is"
  if (entry.revision === revision && isSettled(revision) && !verify) return "as it is"
  // Of another size it is another content: no hash is needed to know that.
  return entry.revision === undefined || sizeIn(entry.revision) === String(size) ? "hash" : "as it is"
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
    const { known, now, uri } = options
    const gone = sizesGone(found, known)
    const items: Array<ListingItem> = []
    const open: Array<readonly [at: number, Effect.Effect<ListingItem>]> = []
    for (const one of found) {
      if (one._tag === "Left") {
        items.push(skip(typeof one.path === "string" ? docId(one.path) : unreadableId(one.path), one.why))
      } else if (one._tag === "Unavailable") items.push(unavailable(uri, one.path))
      else {
        const candidate = candidateOf(one.path, one.stat, now)
        const step = stepOf(options, candidate, gone)
        if (step === "hash") open.push([items.length, hashed(options, candidate, known.get(candidate.doc_id))])
        if (step === "check") open.push([items.length, checked(options, candidate)])
        items.push(refOf(uri, candidate, { revision: candidate.revision }))
      }
    }
    yield* Effect.forEach(open, ([at, item]) => Effect.map(item, (item) => items[at] = item), {
      concurrency: sideBySide,
      discard: true
    })
    return items
  })
