/**
 * What the log says is live: the one fold that projection, rebuild, cache, registry and manifest recovery share. Pure.
 *
 * A group counts once its commit is read with the right number of lines; a group that was cut off, or that another line
 * broke into, never does. A vector counts by itself, whatever became of its group.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { LocatedRecord, LogPosition } from "../../services/LogReader.ts"
import type { FoldedLine } from "../../services/Projection.ts"
import type { ChunkId, ConnectorName, DocId, EmbedderFingerprint, Seq, Sha256 } from "../domain/Ids.ts"
import { ManifestEntry } from "../domain/Manifest.ts"
import type { Commit, Reference } from "../domain/Reference.ts"

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
 * A document as its last commit left it. A removed one has no passages; it is kept only where it is excluded.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveDocument {
  readonly commit: Commit
  readonly seq: Seq
  readonly passages: ReadonlyArray<LivePassage>
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
  }
  | {
    readonly _tag: "Vector"
    readonly embed_sha256: Sha256
    readonly model: EmbedderFingerprint
    readonly position: LogPosition
    readonly data: string
  }

interface OpenGroup {
  readonly txn: number
  readonly lines: Chunk.Chunk<LocatedRecord>
}

/**
 * The state of the fold. Documents by {@link documentKey}; the last line that went into it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Live {
  readonly documents: HashMap.HashMap<string, LiveDocument>
  readonly excluded: HashMap.HashMap<string, boolean>
  readonly open: Option.Option<OpenGroup>
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

/** An excluded document that may come back is unknown again: the next sync finds it new. */
const setExcluded = (live: Live, key: string, excluded: boolean): Live => {
  const document = HashMap.get(live.documents, key)
  const stale = !excluded && Option.isSome(document) && document.value.commit.removed === true
  return {
    ...live,
    excluded: HashMap.set(live.excluded, key, excluded),
    documents: stale ? HashMap.remove(live.documents, key) : live.documents
  }
}

/** A version replaces all of the old one, whatever its tombstones name; a commit of vectors alone leaves it as it is. */
const commitGroup = (
  before: Live,
  commit: Commit,
  seq: Seq,
  lines: ReadonlyArray<LocatedRecord>
): readonly [Live, ReadonlyArray<Change>] => {
  const key = documentKey(commit.connector, commit.doc_id)
  const live = lines.reduce(
    (state, { record }) => record.kind === "exclusion" ? setExcluded(state, key, record.body.excluded) : state,
    before
  )
  const tombstoned = new Set(lines.flatMap(({ record }) => record.kind === "tombstone" ? [record.body.chunk_id] : []))
  const added = lines.flatMap(({ position, record }) =>
    record.kind === "reference" ? [{ position, reference: record.body }] : []
  )
  const old = Option.match(HashMap.get(live.documents, key), { onNone: () => [], onSome: ({ passages }) => passages })
  const replaces = added.length > 0 || commit.chunk_count === 0
  const kept = replaces ? [] : old.filter(({ chunk_id }) => !tombstoned.has(chunk_id))
  const stays = new Set(kept.map(({ chunk_id }) => chunk_id))
  const removed = old.map(({ chunk_id }) => chunk_id).filter((id) => !stays.has(id))
  const passages = [
    ...kept,
    ...added.map(({ position, reference: { chunk_id, embed_sha256, ordinal } }) => ({
      chunk_id,
      ordinal,
      embed_sha256,
      position
    }))
  ].sort((a, b) => a.ordinal - b.ordinal)
  const documents = commit.removed === true && !isExcluded(live, key)
    ? HashMap.remove(live.documents, key)
    : HashMap.set(live.documents, key, { commit, seq, passages })
  return [
    { ...live, documents, open: Option.none() },
    [{ _tag: "Committed", commit, seq, added: added.map(({ reference }) => reference), removed }]
  ]
}

const join = (live: Live, line: LocatedRecord): Option.Option<OpenGroup> => {
  const { txn } = line.record
  if (txn === undefined) return Option.none()
  return Option.some({
    txn,
    lines: Option.match(Option.filter(live.open, (open) => open.txn === txn), {
      onNone: () => line.record.seq === txn ? Chunk.of(line) : Chunk.empty(),
      onSome: ({ lines }) => Chunk.append(lines, line)
    })
  })
}

/**
 * Takes in one line of the log: the next state, and what the line changed.
 *
 * @since 0.1.0
 * @category folding
 */
export const apply = (before: Live, line: LocatedRecord): readonly [Live, ReadonlyArray<Change>] => {
  const { length, position, record } = line
  const live: Live = {
    ...before,
    last: Option.some({ seq: record.seq, at: record.at, position, length })
  }
  if (record.kind === "commit") {
    const lines = record.txn === record.seq
      ? []
      : Option.match(Option.filter(live.open, ({ txn }) => txn === record.txn), {
        onNone: () => [],
        onSome: ({ lines }) => Chunk.toReadonlyArray(lines)
      })
    return lines.length === record.body.n
      ? commitGroup(live, record.body, record.seq, lines)
      : [{ ...live, open: Option.none() }, []]
  }
  const next = { ...live, open: join(live, line) }
  // One that belongs to a group counts with its commit.
  if (record.kind === "exclusion" && record.txn === undefined) {
    const { connector, doc_id, excluded } = record.body
    return [setExcluded(next, documentKey(connector, doc_id), excluded), []]
  }
  if (record.kind === "vector") {
    const { data, embed_sha256, model } = record.body
    return [next, [{ _tag: "Vector", embed_sha256, model, position, data }]]
  }
  return [next, []]
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
