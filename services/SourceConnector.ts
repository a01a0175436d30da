/**
 * A place that memory is filled from: documents that are listed and fetched, or sessions whose Records are streamed.
 * Connectors only list and deliver; what changed, what is gone and what is stored is the engine's business.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ConnectorError, DocumentError, RecordSourceError } from "../src/domain/ConnectorErrors.ts"
import type { Cursor } from "../src/domain/Cursor.ts"
import type { DocumentContent, DocumentRef } from "../src/domain/Document.ts"
import type { ConnectorName, DocId } from "../src/domain/Ids.ts"
import type { Listing } from "../src/domain/Listing.ts"
import type { ManifestEntry } from "../src/domain/Manifest.ts"
import type { SessionItem } from "../src/domain/SessionRead.ts"

/**
 * What the engine may ask of a source at a time.
 *
 * @since 0.1.0
 * @category models
 */
export interface FetchLimits {
  /** Fetches in flight, at most. */
  readonly max_concurrent_fetches: number
  /** A fetch that takes longer has failed. */
  readonly fetch_timeout: Duration.Duration
  /** Fetches begun in a second, at most; absent: no such limit. */
  readonly starts_per_second?: number
}

/**
 * A connector whose documents become references (level R).
 *
 * @since 0.1.0
 * @category models
 */
export interface DocumentConnector {
  readonly source_type: "document"
  readonly name: ConnectorName
  readonly kind: string
  readonly limits: FetchLimits
  /** Given what was known of each document, so that only what moved is hashed. */
  readonly list: (known: ReadonlyMap<DocId, ManifestEntry>) => Effect.Effect<Listing, ConnectorError>
  /** The document as it is now, which need not be as it was listed. */
  readonly fetch: (ref: DocumentRef) => Effect.Effect<DocumentContent, DocumentError>
}

/**
 * A connector whose sessions are routed to the gated loop. A session is listed as a document whose id is its session
 * key; its coverage is `window`, since agents delete transcripts on purpose.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionConnector {
  readonly source_type: "session"
  readonly name: ConnectorName
  readonly kind: string
  readonly limits: FetchLimits
  readonly list: (known: ReadonlyMap<DocId, ManifestEntry>) => Effect.Effect<Listing, ConnectorError>
  /**
   * What the session holds behind the cursor; all of it where there is none or it no longer fits. In batches; a cursor
   * comes every few hundred Records at least, and last, unless nothing was read.
   */
  readonly records: (ref: DocumentRef, cursor: Cursor | undefined) => Stream.Stream<SessionItem, RecordSourceError>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class SourceConnector extends Context.Tag("mem/SourceConnector")<
  SourceConnector,
  DocumentConnector | SessionConnector
>() {}
