/**
 * Reads a listing to its end. One that fails on the way is no listing: nothing follows from it. Of what it says where
 * things are, nothing goes further that would let somebody in there.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ConnectorError } from "../domain/ConnectorErrors.ts"
import { DocumentRef } from "../domain/Document.ts"
import { type DocId, SourceUri } from "../domain/Ids.ts"
import { type Listing, ListingRemoval, ListingRoot } from "../domain/Listing.ts"
import { ReportedError } from "../domain/SyncReport.ts"
import { withoutCredentials } from "../text/Credentials.ts"
import type { Listed } from "./Diff.ts"

const safe = (uri: SourceUri): SourceUri => SourceUri.make(withoutCredentials(uri))

const safeRef = (ref: DocumentRef): DocumentRef => {
  const source_uri = safe(ref.source_uri)
  return source_uri === ref.source_uri ? ref : new DocumentRef({ ...ref, source_uri })
}

/**
 * @since 0.1.0
 * @category listing
 */
export const readListing = ({ coverage, documents, remark, roots }: Listing): Effect.Effect<Listed, ConnectorError> =>
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
          else if (item instanceof DocumentRef) refs.set(item.doc_id, safeRef(item))
          else skipped.set(item.doc_id, item.reason)
        })),
      {
        coverage,
        roots: roots.map((root) => new ListingRoot({ ...root, uri: safe(root.uri) })),
        refs,
        skipped,
        removals,
        duplicated,
        remark
      }
    )
  })

/**
 * What there is to say of roots that cannot be read, and whether that is all of them: then nothing was listed. What was
 * known under such a root stays.
 *
 * @since 0.1.0
 * @category listing
 */
export const unreadableRoots = (
  { roots }: Pick<Listed, "roots">
): Option.Option<{ readonly error: ReportedError; readonly all: boolean }> => {
  const bad = roots.filter(({ status }) => status !== "readable")
  if (bad.length === 0) return Option.none()
  const what = bad.map(({ status, uri }) => `${uri} is ${status}`).join(", ")
  const advice = bad.some(({ status }) => status === "missing")
    ? "check how it is written in connectors.yaml, and whether its disk is there"
    : "make it readable, or take it out of connectors.yaml"
  return Option.some({
    error: new ReportedError({ code: "RootNotReadable", message: `${what}; nothing under it is removed; ${advice}` }),
    all: bad.length === roots.length
  })
}
