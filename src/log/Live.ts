/**
 * What the log says is live: the one fold that projection, rebuild, cache, registry and manifest recovery share. Pure.
 *
 * `Gather.ts` says which lines count, `LiveDocument.ts` what a group does to its document; here all documents are kept in
 * memory.
 *
 * @since 0.1.0
 */
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { LocatedRecord, LogPosition } from "../../services/LogReader.ts"
import type { FoldedLine } from "../../services/Projection.ts"
import type { ChunkId, ConnectorName, DocId, Seq, Sha256 } from "../domain/Ids.ts"
import { ManifestEntry } from "../domain/Manifest.ts"
import type { Commit, Reference, Vector } from "../domain/Reference.ts"
import { type Counted, gather, type Open, type WholeGroup } from "./Gather.ts"
import { type Archived, commit as stepOf, keptThrough, type Known } from "./LiveDocument.ts"

/**
 * A live passage, by where it stands: its text stays in the log.
 *
 * @since 0.1.0
 * @category models
 */
export interface LivePassage {
  readonly chunk_id: ChunkId
  readonly ordinal: number
  readonly embed_sha256: Sha256
  readonly position: LogPosition
}

/**
 * A document as its last commit left it. A removed one has no passages; it is kept only where it is excluded. A session
 * is one whose Records were archived, `records` of them; it has no passages.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveDocument {
  readonly commit: Commit
  readonly seq: Seq
  readonly passages: ReadonlyArray<LivePassage>
  readonly records: number
}

/**
 * What a line changed, for whoever keeps more of it than this fold does.
 *
 * @since 0.1.0
 * @category models
 */
export type Change =
  | {
    readonly _tag: "Committed"
    readonly commit: Commit
    readonly seq: Seq
    readonly added: ReadonlyArray<Reference>
    readonly removed: ReadonlyArray<ChunkId>
    readonly records: ReadonlyArray<Archived>
  }
  | { readonly _tag: "Vector"; readonly vector: Vector; readonly position: LogPosition }
  | { readonly _tag: "Memory"; readonly lines: ReadonlyArray<LocatedRecord> }

/**
 * The state of the fold. Documents by {@link documentKey}; the last line that went into it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Live {
  readonly documents: HashMap.HashMap<string, LiveDocument>
  readonly excluded: HashMap.HashMap<string, boolean>
  readonly open: Open
  readonly last: Option.Option<FoldedLine>
}

/**
 * The log before its first line.
 *
 * @since 0.1.0
 * @category constants
 */
export const empty: Live = {
  documents: HashMap.empty(),
  excluded: HashMap.empty(),
  open: Option.none(),
  last: Option.none()
}

/**
 * One document over all connectors. (A connector's name holds no blank.)
 *
 * @since 0.1.0
 * @category keys
 */
export const documentKey = (connector: ConnectorName, doc_id: DocId): string => `${connector} ${doc_id}`

const isExcluded = (live: Live, key: string): boolean => Option.getOrElse(HashMap.get(live.excluded, key), () => false)

const setExcluded = (live: Live, key: string, excluded: boolean): Live => {
  const document = HashMap.get(live.documents, key)
  const removed = Option.exists(document, ({ commit }) => commit.removed === true)
  return {
    ...live,
    excluded: HashMap.set(live.excluded, key, excluded),
    documents: keptThrough(excluded, { removed }) ? live.documents : HashMap.remove(live.documents, key)
  }
}

const commitGroup = (live: Live, group: WholeGroup): readonly [Live, ReadonlyArray<Change>] => {
  const { commit, seq } = group
  const key = documentKey(commit.connector, commit.doc_id)
  const before = HashMap.get(live.documents, key)
  const old = Option.match(before, { onNone: () => [], onSome: ({ passages }) => passages })
  const known: Known = {
    excluded: isExcluded(live, key),
    removed: Option.exists(before, (document) => document.commit.removed === true),
    chunk_ids: old.map(({ chunk_id }) => chunk_id)
  }
  const { added, excluded, kept, records, removed } = stepOf(known, group)
  const gone = new Set(removed)
  const passages = [
    ...old.filter(({ chunk_id }) => !gone.has(chunk_id)),
    ...added.map(({ position, reference: { chunk_id, embed_sha256, ordinal } }) => ({
      chunk_id,
      ordinal,
      embed_sha256,
      position
    }))
  ].sort((a, b) => a.ordinal - b.ordinal)
  const archived = commit.removed === true
    ? 0
    : records.length + Option.match(before, { onNone: () => 0, onSome: (document) => document.records })
  return [
    {
      ...live,
      excluded: excluded === known.excluded ? live.excluded : HashMap.set(live.excluded, key, excluded),
      documents: kept
        ? HashMap.set(live.documents, key, { commit, seq, passages, records: archived })
        : HashMap.remove(live.documents, key)
    },
    [{ _tag: "Committed", commit, seq, added: added.map(({ reference }) => reference), removed, records }]
  ]
}

const count = (live: Live, counted: Counted): readonly [Live, ReadonlyArray<Change>] => {
  switch (counted._tag) {
    case "Group":
      return commitGroup(live, counted)
    case "Exclusion": {
      const { connector, doc_id, excluded } = counted.exclusion
      return [setExcluded(live, documentKey(connector, doc_id), excluded), []]
    }
    case "Memory":
    case "Vector":
      return [live, [counted]]
  }
}

/**
 * Takes in one line of the log: the next state, and what the line changed.
 *
 * @since 0.1.0
 * @category folding
 */
export const apply = (before: Live, line: LocatedRecord): readonly [Live, ReadonlyArray<Change>] => {
  const { length, position, record } = line
  const [open, counted] = gather(before.open, line)
  const live: Live = { ...before, open, last: Option.some({ seq: record.seq, at: record.at, position, length }) }
  return Option.match(counted, { onNone: () => [live, []], onSome: (value) => count(live, value) })
}

/**
 * What the manifest of a connector has to say, by the log alone.
 *
 * @since 0.1.0
 * @category manifest
 */
export const manifestOf = (live: Live, connector: ConnectorName): ReadonlyMap<DocId, ManifestEntry> =>
  new Map(
    [...HashMap.values(live.documents)].filter(({ commit }) => commit.connector === connector).map(
      ({ commit, passages, seq }) =>
        [
          commit.doc_id,
          entryOf(commit, seq, passages.length, isExcluded(live, documentKey(connector, commit.doc_id)))
        ] as const
    )
  )

/**
 * The manifest entry of a committed document.
 *
 * @since 0.1.0
 * @category manifest
 */
export const entryOf = (
  commit: Omit<Commit, "n" | "durable_to">,
  seq: Seq,
  chunk_count: number,
  excluded = false
): ManifestEntry =>
  new ManifestEntry({
    doc_id: commit.doc_id,
    source_uri: commit.source_uri,
    content_hash: commit.content_hash,
    chunk_count,
    synced_at: commit.synced_at,
    ...(commit.revision === undefined ? {} : { revision: commit.revision }),
    pipeline: commit.pipeline,
    seq,
    embedder: commit.embedder,
    ...(commit.media_type === undefined ? {} : { media_type: commit.media_type }),
    ...(commit.cursor === undefined ? {} : { cursor: commit.cursor }),
    ...(excluded ? { excluded } : {})
  })

/**
 * Where the line behind a folded one begins.
 *
 * @since 0.1.0
 * @category reading
 */
export const behind = ({ length, position }: FoldedLine): LogPosition => ({
  segment: position.segment,
  offset: position.offset + length
})
