/**
 * What a gap in the log means for documents that are live behind it, said in the log itself, so that manifests, whoever
 * makes them, and the next sync know it.
 *
 * A group that lost a line does not count, and its document is at the version before, or unknown: that says enough. Two
 * things would not be noticed. A later commit that only brought vectors speaks of passages that are lost: the document is
 * taken out, and is new to the next sync. A vector is lost that later documents took for written: a commit says that the
 * document has none, and the next sync makes what is missing from the log's own text.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { type LocatedRecord, LogReader, type LogReadError } from "../../services/LogReader.ts"
import { type AppendError, type LogGroup, LogWriter } from "../../services/LogWriter.ts"
import { chunkId } from "../chunk/Pipeline.ts"
import { type DocId, EmbedderFingerprint } from "../domain/Ids.ts"
import { Tombstone } from "../domain/Reference.ts"
import { apply, empty, type Live, type LiveDocument } from "../log/Live.ts"
import { live } from "./LogView.ts"

/**
 * The log's state, whether it has a gap, and what was said of which documents, a sentence each.
 *
 * @since 0.1.0
 * @category models
 */
export interface Marked {
  readonly live: Live
  readonly gaps: boolean
  readonly told: ReadonlyArray<string>
}

/**
 * The log's state, and what else has to be known of it to tell what it has lost.
 *
 * @since 0.1.0
 * @category models
 */
export interface Known {
  readonly live: Live
  readonly gaps: boolean
  /** Of what text and model there is a vector; it grows in place. */
  readonly vectors: Set<string>
}

/**
 * What has to be said of a document.
 *
 * @since 0.1.0
 * @category models
 */
export interface Mark {
  readonly doc_id: DocId
  readonly group: LogGroup
  readonly sentence: string
}

const none = EmbedderFingerprint.make("none")
const ofNothing = createHash("sha256").digest("hex")

const take = (known: Known, line: LocatedRecord): Known => {
  const [live, changes] = apply(known.live, line)
  for (const change of changes) {
    if (change._tag === "Vector") known.vectors.add(`${change.vector.embed_sha256} ${change.vector.model}`)
  }
  return { ...known, live, gaps: known.gaps || line.record.kind === "gap" }
}

/** Whether the passages that are live are those of the version that the last commit names. */
const isWhole = ({ commit, passages }: LiveDocument): boolean => {
  const { chunk_count, connector, content_hash, doc_id, pipeline } = commit
  return passages.length === chunk_count &&
    passages.every(({ chunk_id, ordinal }) =>
      chunk_id === chunkId({ connector, doc_id, content_hash, pipeline, ordinal })
    )
}

const markOf = (document: LiveDocument, vectors: ReadonlySet<string>): Option.Option<Mark> => {
  const { commit: { durable_to: _, n: __, ...commit }, passages } = document
  const { connector, doc_id, embedder } = commit
  const name = `${doc_id} of ${connector}`
  if (commit.removed === true) return Option.none()
  if (!isWhole(document)) {
    const entries = passages.map(({ chunk_id }) => ({
      kind: "tombstone" as const,
      body: new Tombstone({ connector, doc_id, chunk_id, reason: "removed" })
    }))
    const group: LogGroup = { entries, commit: { ...commit, chunk_count: 0, removed: true } }
    return Option.some({ doc_id, group, sentence: `${name} lost its passages; the next sync stores it again` })
  }
  const lacks = embedder !== none &&
    passages.some(({ embed_sha256 }) => embed_sha256 !== ofNothing && !vectors.has(`${embed_sha256} ${embedder}`))
  return lacks
    ? Option.some({
      doc_id,
      group: { entries: [], commit: { ...commit, embedder: none } },
      sentence: `${name} lost vectors; the next sync makes them again, from the text in the log`
    })
    : Option.none()
}

/**
 * Reads the log.
 *
 * @since 0.1.0
 * @category reading
 */
export const known: Effect.Effect<Known, LogReadError, LogReader> = Effect.flatMap(LogReader, ({ records }) => {
  const start: Known = { live: empty, gaps: false, vectors: new Set() }
  return Stream.runFold(records(), start, take)
})

/**
 * What a repair has not said yet; nothing where the log has no gap.
 *
 * @since 0.1.0
 * @category checking
 */
export const unmarked = ({ gaps, live, vectors }: Known): ReadonlyArray<Mark> =>
  gaps
    ? [...HashMap.values(live.documents)].flatMap((document) => Option.toArray(markOf(document, vectors)))
    : []

/**
 * Appends what has to be said.
 *
 * @since 0.1.0
 * @category programs
 */
export const markLost: Effect.Effect<Marked, LogReadError | AppendError, LogReader | LogWriter> = Effect.gen(
  function*() {
    const before = yield* known
    const marks = unmarked(before)
    if (marks.length === 0) return { live: before.live, gaps: before.gaps, told: [] }
    const writer = yield* LogWriter
    yield* writer.append(marks.map(({ group }) => group))
    return { live: yield* live, gaps: true, told: marks.map(({ sentence }) => sentence).sort() }
  }
)
