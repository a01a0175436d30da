/**
 * Documents: what a listing says of one, and what a fetch returns.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { DocId, Fingerprint, SourceUri } from "./Ids.ts"
import { JsonValue } from "./JsonValue.ts"
import { Count } from "./Numbers.ts"
import { WellFormed } from "./WellFormed.ts"

/**
 * Whether a listed document can be read now. `unavailable` (an evicted file, a locked item) is neither changed nor
 * removed.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Availability = Schema.Literal("available", "unavailable")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Availability = typeof Availability.Type

/**
 * One entry of a listing. `revision` is the source's cheap token (a folder's stat, an ETag, a blob id); `content_hash`
 * is given where the source knows it. At least one of them decides whether a fetch is needed; neither is ever recorded
 * in place of the hash of what was fetched. `size` is in bytes.
 *
 * @since 0.1.0
 * @category schemas
 */
export class DocumentRef extends Schema.Class<DocumentRef>("mem/DocumentRef")({
  doc_id: DocId,
  source_uri: SourceUri,
  content_hash: Schema.optional(Fingerprint),
  revision: Schema.optional(WellFormed),
  media_type: Schema.optional(WellFormed),
  size: Schema.optional(Count),
  availability: Schema.propertySignature(Availability).pipe(
    Schema.withConstructorDefault(() => "available" as const)
  )
}) {}

/**
 * What a fetch returns: the bytes, whose sha256 becomes the `content_hash`, and what they are. `meta` goes into the
 * commit as it is; what changes without the text (tags, counters) belongs there and not into the bytes.
 *
 * @since 0.1.0
 * @category schemas
 */
export class DocumentContent extends Schema.Class<DocumentContent>("mem/DocumentContent")({
  bytes: Schema.Uint8ArrayFromSelf,
  media_type: WellFormed,
  revision: Schema.optional(WellFormed),
  meta: Schema.optional(JsonValue)
}) {}
