/**
 * Sessions have long ids that nobody types: the beginning of one stands for it where there is but one. Pure.
 *
 * @since 0.1.0
 */
import * as HashMap from "effect/HashMap"
import * as Schema from "effect/Schema"
import { ConnectorName, DocId } from "../domain/Ids.ts"
import type { Live, LiveDocument } from "../log/Live.ts"
import { some } from "../text/Amounts.ts"

/**
 * Characters of the beginning, at least.
 *
 * @since 0.1.0
 * @category constants
 */
export const fewest = 6

/**
 * Several sessions begin like this.
 *
 * @since 0.1.0
 * @category errors
 */
export class SeveralSessions extends Schema.TaggedError<SeveralSessions>("mem/SeveralSessions")("SeveralSessions", {
  connector: ConnectorName,
  beginning: DocId,
  doc_ids: Schema.Array(DocId)
}) {
  override get message(): string {
    return `${this.doc_ids.length} sessions of ${this.connector} begin with ${this.beginning}: ${some(this.doc_ids)}; `
      + "write more of the id"
  }
}

/**
 * Whether a document is a session that memory holds.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isSession = ({ commit, records }: LiveDocument): boolean =>
  commit.removed !== true && (records > 0 || commit.cursor !== undefined)

/**
 * The sessions of the connector whose ids begin like this, sorted; none where too little is given.
 *
 * @since 0.1.0
 * @category looking up
 */
export const beginningWith = (live: Live, connector: ConnectorName, beginning: string): ReadonlyArray<LiveDocument> =>
  beginning.length < fewest ?
    [] :
    [...HashMap.values(live.documents)].filter((document) =>
      document.commit.connector === connector && isSession(document) && document.commit.doc_id.startsWith(beginning)
    ).sort((a, b) => a.commit.doc_id < b.commit.doc_id ? -1 : 1)
