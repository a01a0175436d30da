/**
 * What a Vec connector holds, and how it changes: plain values and functions, so that each change is one step of a Ref.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import type { DocumentError } from "../../src/domain/ConnectorErrors.ts"
import { type Availability, DocumentRef } from "../../src/domain/Document.ts"
import { DocId, Fingerprint, SourceUri } from "../../src/domain/Ids.ts"
import {
  type Coverage,
  type ListingItem,
  ListingRemoval,
  type ListingRoot,
  ListingSkip
} from "../../src/domain/Listing.ts"
import { mediaTypeOf } from "../../src/text/MediaType.ts"

/**
 * A document as a test writes it. `root` is the URI it lies under, by default the first root of the listing.
 *
 * @since 0.1.0
 * @category models
 */
export interface VecDocument {
  readonly doc_id: string
  readonly content: string | Uint8Array
  readonly media_type?: string
  readonly meta?: unknown
  readonly availability?: Availability
  readonly root?: string
}

/**
 * What a listing says, beside the documents.
 *
 * @since 0.1.0
 * @category models
 */
export interface VecListing {
  /** Default `complete`. */
  readonly coverage: Coverage
  /** Default one readable root, `vec:///` and the connector's name. Under one that is not readable nothing is listed. */
  readonly roots: ReadonlyArray<{ readonly uri: string; readonly status: ListingRoot["status"] }>
  /** Whether refs carry the content's hash. Default true. */
  readonly content_hash: boolean
  /** Whether refs carry a revision, which moves with every `put` and `touch`. Default false. */
  readonly revision: boolean
  /** Removals that are named. Default none. */
  readonly removals: ReadonlyArray<string>
  /** What was seen and is no document. Default none. */
  readonly skips: ReadonlyArray<{ readonly doc_id: string; readonly reason: string }>
  /** Ids that are listed a second time, at the end. Default none. */
  readonly duplicates: ReadonlyArray<string>
  /** The listing fails after so many items, or before there is one at all. Default never. */
  readonly fails: { readonly after: number | "nothing"; readonly retryable: boolean } | undefined
}

/**
 * What was asked of the connector since the start, or since `resetCounts`. Failed and interrupted fetches count.
 *
 * @since 0.1.0
 * @category models
 */
export interface VecCounts {
  readonly listings: number
  readonly fetches: number
  readonly fetches_by_id: ReadonlyMap<string, number>
  readonly in_flight: number
  readonly peak_in_flight: number
}

/**
 * A document, and the revision it got with its last change.
 *
 * @since 0.1.0
 * @category models
 */
export interface Kept extends VecDocument {
  readonly revision: number
}

/**
 * All of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly documents: ReadonlyMap<string, Kept>
  readonly revision: number
  readonly listing: VecListing
  readonly afterListing: Effect.Effect<void>
  readonly onFetch: ReadonlyMap<string, Effect.Effect<void, DocumentError>>
  readonly counts: VecCounts
}

/**
 * Nothing was asked for yet.
 *
 * @since 0.1.0
 * @category constants
 */
export const noCounts: VecCounts = {
  listings: 0,
  fetches: 0,
  fetches_by_id: new Map(),
  in_flight: 0,
  peak_in_flight: 0
}

/**
 * The bytes that a fetch returns: a copy, for they are handed out.
 *
 * @since 0.1.0
 * @category getters
 */
export const bytesOf = ({ content }: VecDocument): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : Uint8Array.from(content)

const hashOf = (document: VecDocument): Fingerprint =>
  Fingerprint.make(`sha256:${createHash("sha256").update(bytesOf(document)).digest("hex")}`)

/**
 * The revision as refs and contents carry it.
 *
 * @since 0.1.0
 * @category getters
 */
export const revisionOf = ({ revision }: Kept): string => `r${revision}`

/**
 * What was said of the document, or what its name says.
 *
 * @since 0.1.0
 * @category getters
 */
export const mediaType = ({ doc_id, media_type }: VecDocument): string => media_type ?? mediaTypeOf(doc_id)

/**
 * The root that the document lies under now, if it does.
 *
 * @since 0.1.0
 * @category getters
 */
export const rootOf = ({ root }: VecDocument, { roots }: VecListing): VecListing["roots"][number] | undefined =>
  root === undefined ? roots[0] : roots.find(({ uri }) => uri === root)

const refOf = (document: Kept, listing: VecListing, root: string): DocumentRef =>
  new DocumentRef({
    doc_id: DocId.make(document.doc_id),
    source_uri: SourceUri.make(`${root}/${document.doc_id.split("/").map(encodeURIComponent).join("/")}`),
    // What cannot be read cannot be hashed.
    ...(listing.content_hash && document.availability !== "unavailable" ? { content_hash: hashOf(document) } : {}),
    ...(listing.revision ? { revision: revisionOf(document) } : {}),
    media_type: mediaType(document),
    size: bytesOf(document).length,
    availability: document.availability ?? "available"
  })

/**
 * What a listing delivers, in order.
 *
 * @since 0.1.0
 * @category getters
 */
export const itemsOf = ({ documents, listing }: State): ReadonlyArray<ListingItem> => {
  const refs = [...documents.values()].flatMap((document) => {
    const root = rootOf(document, listing)
    return root?.status === "readable" ? [refOf(document, listing, root.uri)] : []
  })
  return [
    ...refs,
    ...refs.filter(({ doc_id }) => listing.duplicates.includes(doc_id)),
    ...listing.skips.map(({ doc_id, reason }) => new ListingSkip({ doc_id: DocId.make(doc_id), reason })),
    ...listing.removals.map((doc_id) => new ListingRemoval({ doc_id: DocId.make(doc_id) }))
  ]
}

/**
 * Adds a document or changes it in its place, with a new revision.
 *
 * @since 0.1.0
 * @category transitions
 */
export const put = (document: VecDocument) => (state: State): State => {
  const revision = state.revision + 1
  return { ...state, revision, documents: new Map(state.documents).set(document.doc_id, { ...document, revision }) }
}

/**
 * Takes a document away; one that is not there is no mistake.
 *
 * @since 0.1.0
 * @category transitions
 */
export const remove = (doc_id: string) => (state: State): State => ({
  ...state,
  documents: new Map([...state.documents].filter(([id]) => id !== doc_id))
})

/**
 * Moves the revision of a document that is there, and nothing else.
 *
 * @since 0.1.0
 * @category transitions
 */
export const touch = (doc_id: string) => (state: State): State => {
  const document = state.documents.get(doc_id)
  return document === undefined ? state : put(document)(state)
}

/**
 * What becomes readable or unreadable has not changed: its revision stays.
 *
 * @since 0.1.0
 * @category transitions
 */
export const setAvailability = (doc_id: string, availability: Availability) => (state: State): State => {
  const document = state.documents.get(doc_id)
  return document === undefined
    ? state
    : { ...state, documents: new Map(state.documents).set(doc_id, { ...document, availability }) }
}

/**
 * The same document under another id, at the end of the listing.
 *
 * @since 0.1.0
 * @category transitions
 */
export const rename = (from: string, to: string) => (state: State): State => {
  const document = state.documents.get(from)
  return document === undefined ? state : put({ ...document, doc_id: to })(remove(from)(state))
}

/**
 * Counts a fetch that begins.
 *
 * @since 0.1.0
 * @category transitions
 */
export const begin = (doc_id: string) => (counts: VecCounts): VecCounts => {
  const in_flight = counts.in_flight + 1
  return {
    ...counts,
    fetches: counts.fetches + 1,
    fetches_by_id: new Map(counts.fetches_by_id).set(doc_id, (counts.fetches_by_id.get(doc_id) ?? 0) + 1),
    in_flight,
    peak_in_flight: Math.max(counts.peak_in_flight, in_flight)
  }
}
