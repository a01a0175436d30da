/**
 * What the log's tail makes of a manifest that holds all that is in front of it. Pure.
 *
 * @since 0.1.0
 */
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { LocatedRecord } from "../../services/LogReader.ts"
import type { ConnectorName, DocId } from "../domain/Ids.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import { apply, type Change, documentKey, empty as nothingLive, entryOf, type Live } from "../log/Live.ts"

/**
 * The fold's state. The entries are its own, and change in place: a copy a line would be quadratic.
 *
 * @since 0.1.0
 * @category models
 */
export interface ManifestTail {
  readonly connector: ConnectorName
  readonly live: Live
  readonly entries: Map<DocId, ManifestEntry>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const from = (connector: ConnectorName, entries: ReadonlyMap<DocId, ManifestEntry>): ManifestTail => ({
  connector,
  live: nothingLive,
  entries: new Map(entries)
})

const commit = ({ connector, entries }: ManifestTail, live: Live, change: Change): void => {
  if (change._tag !== "Committed" || change.commit.connector !== connector) return
  const { commit, seq } = change
  const known = entries.get(commit.doc_id)?.excluded === true
  const excluded = Option.getOrElse(HashMap.get(live.excluded, documentKey(connector, commit.doc_id)), () => known)
  if (commit.removed === true && !excluded) entries.delete(commit.doc_id)
  else entries.set(commit.doc_id, entryOf(commit, seq, commit.chunk_count, excluded))
}

/**
 * Takes in one line of the log. The first one must begin a group or stand alone.
 *
 * @since 0.1.0
 * @category folding
 */
export const step = (state: ManifestTail, line: LocatedRecord): ManifestTail => {
  const [live, changes] = apply(state.live, line)
  for (const change of changes) commit(state, live, change)
  const { record } = line
  // One that takes a document out came with its commit.
  if (record.kind === "exclusion" && record.txn === undefined && record.body.connector === state.connector) {
    const { doc_id, excluded } = record.body
    const stored = HashMap.get(live.documents, documentKey(state.connector, doc_id))
    if (!excluded && state.entries.get(doc_id)?.excluded === true) {
      if (Option.isNone(stored)) state.entries.delete(doc_id)
      else state.entries.set(doc_id, entryOf(stored.value.commit, stored.value.seq, stored.value.commit.chunk_count))
    }
  }
  return { ...state, live }
}
