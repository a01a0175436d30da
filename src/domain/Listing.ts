/**
 * A listing: the documents, and how much their absence means. Removals hang on it, so a connector says what it knows
 * and no more.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { ConnectorError } from "./ConnectorErrors.ts"
import type { DocumentRef } from "./Document.ts"
import { DocId, SourceUri } from "./Ids.ts"
import { WellFormed } from "./WellFormed.ts"

/**
 * `complete`: what is missing under a readable root is gone. `window`: what is missing says nothing. `delta`: what is
 * missing is unchanged, and removals are named.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Coverage = Schema.Literal("complete", "window", "delta")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Coverage = typeof Coverage.Type

/**
 * A place that was listed. Only under a `readable` one can a document be found gone.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ListingRoot extends Schema.Class<ListingRoot>("mem/ListingRoot")({
  uri: SourceUri,
  status: Schema.Literal("readable", "missing", "unreadable")
}) {}

/**
 * Something that was seen and is no document, with the reason that the report names. It is neither changed nor
 * removed.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ListingSkip extends Schema.Class<ListingSkip>("mem/ListingSkip")({
  doc_id: DocId,
  reason: WellFormed
}) {}

/**
 * An explicit removal, as a `delta` or `window` source names it.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ListingRemoval extends Schema.Class<ListingRemoval>("mem/ListingRemoval")({
  doc_id: DocId
}) {}

/**
 * One thing that a listing says.
 *
 * @since 0.1.0
 * @category models
 */
export type ListingItem = DocumentRef | ListingSkip | ListingRemoval

/**
 * The refs may be held in memory, their contents may not. A stream that fails is a failed listing, not a short one:
 * it removes nothing. `remark` is what a person should know of the options, as where they leave nothing of what is there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listing {
  readonly coverage: Coverage
  readonly roots: ReadonlyArray<ListingRoot>
  readonly documents: Stream.Stream<ListingItem, ConnectorError>
  readonly remark?: string
}
