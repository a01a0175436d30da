/**
 * What a document becomes in the log: the group of lines that takes its old version away and brings the new one. Pure.
 *
 * @since 0.1.0
 */
import type { LogGroup } from "../../services/LogWriter.ts"
import { chunkId } from "../chunk/Pipeline.ts"
import { type ConnectorName, EmbedderFingerprint, Fingerprint, type Timestamp } from "../domain/Ids.ts"
import type { LogEntry } from "../domain/LogRecord.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import { Reference, Tombstone } from "../domain/Reference.ts"
import type { Embedded } from "./Work.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface GroupOptions {
  readonly connector: ConnectorName
  readonly now: Timestamp
}

type Reason = Tombstone["reason"]

/** Stands where a manifest of another origin names no pipeline. */
const none = Fingerprint.make(`sha256:${"0".repeat(64)}`)

/** The ids of an entry's passages follow from what it says, so the log need not be read for them. */
const tombstones = (connector: ConnectorName, entry: ManifestEntry, reason: Reason): ReadonlyArray<LogEntry> => {
  const { chunk_count, content_hash, doc_id, pipeline } = entry
  return pipeline === undefined ? [] : Array.from({ length: chunk_count }, (_, ordinal) => ({
    kind: "tombstone" as const,
    body: new Tombstone({
      connector,
      doc_id,
      chunk_id: chunkId({ connector, doc_id, content_hash, pipeline, ordinal }),
      reason
    })
  }))
}

/**
 * The moment, or that of the entry: a clock that was set back must not make a document older than it was.
 *
 * @since 0.1.0
 * @category groups
 */
export const later = (now: Timestamp, entry: ManifestEntry | undefined): Timestamp =>
  entry !== undefined && entry.synced_at > now ? entry.synced_at : now

/**
 * The group that takes a document away.
 *
 * @since 0.1.0
 * @category groups
 */
export const removal = (
  { connector, now }: GroupOptions,
  entry: ManifestEntry,
  reason: Reason
): LogGroup => ({
  entries: tombstones(connector, entry, reason),
  commit: {
    connector,
    doc_id: entry.doc_id,
    source_uri: entry.source_uri,
    content_hash: entry.content_hash,
    ...(entry.revision === undefined ? {} : { revision: entry.revision }),
    pipeline: entry.pipeline ?? none,
    embedder: entry.embedder ?? EmbedderFingerprint.make("none"),
    chunk_count: 0,
    synced_at: later(now, entry),
    removed: true
  }
})

/**
 * The group of a document that is new, or takes the place of what `entry` says. Where only vectors were missing its
 * passages stay as they are.
 *
 * @since 0.1.0
 * @category groups
 */
export const version = ({ connector, now }: GroupOptions, { document, embedder, vectors }: Embedded): LogGroup => {
  const { content_hash, entry, media_type, meta, onlyVectors, pieces, pipeline, ref, revision } = document
  const { doc_id, source_uri } = ref
  const references = pieces.map((
    { embed_sha256, passage: { text, context, heading_path, lines, start, end, tokens, over_budget, ordinal } }
  ) => ({
    kind: "reference" as const,
    body: new Reference({
      level: "R",
      connector,
      doc_id,
      chunk_id: chunkId({ connector, doc_id, content_hash, pipeline, ordinal }),
      ordinal,
      text,
      context,
      heading_path,
      lines,
      start,
      end,
      tokens,
      over_budget,
      embed_sha256
    })
  }))
  return {
    entries: [
      ...vectors.map((body) => ({ kind: "vector" as const, body })),
      ...(entry === undefined || onlyVectors ? [] : tombstones(connector, entry, "changed")),
      ...(onlyVectors ? [] : references)
    ],
    commit: {
      connector,
      doc_id,
      source_uri,
      content_hash,
      ...(revision === undefined ? {} : { revision }),
      ...(media_type === undefined ? {} : { media_type }),
      ...(meta === undefined ? {} : { meta }),
      pipeline,
      embedder,
      chunk_count: pieces.length,
      synced_at: later(now, entry)
    }
  }
}
