/**
 * Reads a listing to its end. One that fails on the way is no listing: nothing follows from it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ConnectorError } from "../domain/ConnectorErrors.ts"
import { DocumentRef } from "../domain/Document.ts"
import type { DocId } from "../domain/Ids.ts"
import { type Listing, ListingRemoval } from "../domain/Listing.ts"
import type { Listed } from "./Diff.ts"

/**
 * @since 0.1.0
 * @category listing
 */
export const readListing = ({ coverage, documents, roots }: Listing): Effect.Effect<Listed, ConnectorError> =>
  Effect.suspend(() => {
    const refs = new Map<DocId, DocumentRef>()
    const skipped = new Map<DocId, string>()
    const removals = new Set<DocId>()
    const duplicated = new Set<DocId>()
    return Effect.as(
      Stream.runForEach(documents, (item) =>
        Effect.sync(() => {
          // Of a document and its removal the later word counts.
          if (item instanceof ListingRemoval) {
            removals.add(item.doc_id)
            refs.delete(item.doc_id)
            return
          }
          removals.delete(item.doc_id)
          if (refs.has(item.doc_id) || skipped.has(item.doc_id)) duplicated.add(item.doc_id)
          else if (item instanceof DocumentRef) refs.set(item.doc_id, item)
          else skipped.set(item.doc_id, item.reason)
        })),
      { coverage, roots, refs, skipped, removals, duplicated }
    )
  })
