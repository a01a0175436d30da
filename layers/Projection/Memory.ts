/**
 * The projection in memory: live passages and their vectors, folded from the log like any other. It needs nothing
 * native, and it is what the other projections are compared with.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import type { LocatedRecord } from "../../services/LogReader.ts"
import { Projection } from "../../services/Projection.ts"
import type { ChunkId, ConnectorName, RecordKey } from "../../src/domain/Ids.ts"
import { type DumpLine, RecordDumpLine, ReferenceDumpLine } from "../../src/domain/RebuildReport.ts"
import type { Record } from "../../src/domain/Record.ts"
import type { Commit, Reference } from "../../src/domain/Reference.ts"
import * as Float32 from "../../src/log/Float32.ts"
import { settle } from "../../src/log/Gather.ts"
import { apply, type Change, documentKey, empty, type Live } from "../../src/log/Live.ts"
import { isEvidence } from "../../src/memory/Windows.ts"
import * as Memories from "./Memory/Memories.ts"

/** One that another superseded stays known, and is not shown. */
interface Kept {
  readonly document: string
  readonly record: Record
  readonly at: number
  readonly superseded: boolean
}

interface State {
  readonly live: Live
  /** A group whose commit is still to come. */
  readonly waiting: ReadonlyArray<LocatedRecord>
  /** Live passages by document, each by its id. */
  readonly documents: HashMap.HashMap<string, {
    readonly commit: Commit
    readonly passages: HashMap.HashMap<ChunkId, Reference>
  }>
  /** Archived Records by connector and key; `at` is the place of its line, by which they are in order. */
  readonly records: HashMap.HashMap<string, Kept>
  /** Base64, by model and text. */
  readonly vectors: HashMap.HashMap<string, string>
  readonly memories: Memories.State
}

const nothing: State = {
  live: empty,
  waiting: [],
  documents: HashMap.empty(),
  records: HashMap.empty(),
  vectors: HashMap.empty(),
  memories: Memories.nothing
}

type Committed = Extract<Change, { readonly _tag: "Committed" }>

const recordKey = (connector: ConnectorName, key: RecordKey): string => `${connector} ${key}`

const vectorKey = (model: string, sha: string): string => `${sha} ${model}`

/** The lines of a group come in the order of the log, and groups do, so the count of those before is a place. */
const archive = (records: State["records"], { commit, records: added }: Committed, seq: number): State["records"] => {
  const document = documentKey(commit.connector, commit.doc_id)
  if (commit.removed === true) return HashMap.filter(records, (kept) => kept.document !== document)
  return added.reduce((all, { record }, i) => {
    const key = recordKey(commit.connector, record.key)
    const superseded = Option.exists(HashMap.get(all, key), (old) => old.superseded)
    const put = HashMap.set(all, key, { document, record, at: seq + i / (added.length + 1), superseded })
    return record.supersedes === undefined || record.supersedes === record.key
      ? put
      : HashMap.modify(put, recordKey(commit.connector, record.supersedes), (old) => ({ ...old, superseded: true }))
  }, records)
}

const take = (state: State, line: LocatedRecord): State => {
  const [live, changes] = apply(state.live, line)
  let { documents, memories, records, vectors } = state
  for (const change of changes) {
    if (change._tag === "Memory") {
      memories = Memories.take(memories, change.lines)
      continue
    }
    if (change._tag === "Vector") {
      const { data, dims, embed_sha256, model } = change.vector
      const usable = Either.isRight(Float32.usable(data, dims))
      if (!usable) continue
      vectors = HashMap.set(vectors, vectorKey(model, embed_sha256), data)
      continue
    }
    records = archive(records, change, line.record.seq)
    const { added, commit, removed } = change
    const key = documentKey(commit.connector, commit.doc_id)
    const before = Option.match(HashMap.get(documents, key), {
      onNone: () => HashMap.empty<ChunkId, Reference>(),
      onSome: ({ passages }) => passages
    })
    const kept = HashMap.removeMany(before, removed)
    const passages = added.reduce((all, reference) => HashMap.set(all, reference.chunk_id, reference), kept)
    documents = commit.removed === true
      ? HashMap.remove(documents, key)
      : HashMap.set(documents, key, { commit, passages })
  }
  return { ...state, live, documents, memories, records, vectors }
}

type DocumentLine = ReferenceDumpLine | RecordDumpLine

/** By code units, as every part of the program sorts. */
const order = (a: DocumentLine, b: DocumentLine): number => {
  if (a.connector !== b.connector) return a.connector < b.connector ? -1 : 1
  if (a.doc_id !== b.doc_id) return a.doc_id < b.doc_id ? -1 : 1
  if (a.kind !== b.kind) return a.kind === "reference" ? -1 : 1
  if (a.ordinal !== b.ordinal) return a.ordinal - b.ordinal
  return a.kind === "reference" && b.kind === "reference" && a.chunk_id > b.chunk_id ? 1 : -1
}

const referencesOf = ({ documents, vectors }: State, embeddings: boolean): ReadonlyArray<DocumentLine> =>
  [...HashMap.values(documents)].flatMap(({ commit, passages }) =>
    [...HashMap.values(passages)].map((reference) => {
      const { connector, doc_id } = commit
      const { chunk_id, embed_sha256, heading_path, lines, ordinal, text, tokens } = reference
      const embedding = embeddings ? HashMap.get(vectors, vectorKey(commit.embedder, embed_sha256)) : Option.none()
      return new ReferenceDumpLine({
        kind: "reference",
        level: "R",
        connector,
        doc_id,
        source_uri: commit.source_uri,
        content_hash: commit.content_hash,
        ordinal,
        chunk_id,
        heading_path,
        lines,
        tokens,
        text,
        ...(Option.isNone(embedding) ? {} : { embedding: embedding.value })
      })
    })
  )

const recordsOf = ({ documents, records }: State): ReadonlyArray<DocumentLine> => {
  const byDocument = new Map<string, Array<Kept>>()
  for (const kept of [...HashMap.values(records)].sort((a, b) => a.at - b.at)) {
    if (kept.superseded) continue
    const others = byDocument.get(kept.document)
    if (others === undefined) byDocument.set(kept.document, [kept])
    else others.push(kept)
  }
  return [...byDocument].flatMap(([document, all]) =>
    all.flatMap(({ record }, ordinal) =>
      Option.toArray(
        Option.map(HashMap.get(documents, document), ({ commit: { connector, doc_id, source_uri } }) =>
          new RecordDumpLine({
            kind: "record",
            connector,
            doc_id,
            source_uri,
            ordinal,
            key: record.key,
            session_key: record.session_key,
            seq: record.seq,
            role: record.role,
            block: record.kind,
            ...(record.tool_name === undefined ? {} : { tool_name: record.tool_name }),
            at: record.at,
            ...(record.meta.cwd === undefined ? {} : { project: record.meta.cwd }),
            derived: record.derived === false ? false : record.derived.by,
            text: record.text
          }))
      )
    )
  )
}

/** What of a Record may be evidence. */
const wordsIn = ({ records }: State) => (connector: ConnectorName, key: RecordKey): string =>
  Option.match(HashMap.get(records, recordKey(connector, key)), {
    onNone: () => "",
    onSome: ({ record, superseded }) => superseded || !isEvidence(record) ? "" : record.text
  })

const linesOf = (state: State, embeddings: boolean): ReadonlyArray<DumpLine> => [
  ...[...referencesOf(state, embeddings), ...recordsOf(state)].sort(order),
  ...Memories.linesOf(
    state.memories,
    wordsIn(state),
    (sha) =>
      Option.flatMap(
        Option.filter(state.memories.embedder, () => embeddings),
        (embedder) => HashMap.get(state.vectors, vectorKey(embedder, sha))
      )
  )
]

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Projection["Type"]> = Effect.map(Ref.make(nothing), (state) =>
  Projection.of({
    status: Effect.map(Ref.get(state), ({ live }) => ({
      state: Option.isNone(live.last) ? "missing" as const : "current" as const,
      behind: 0
    })),
    last: Effect.map(Ref.get(state), ({ live }) => live.last),
    dump: ({ embeddings }) =>
      Stream.unwrap(Effect.map(Ref.get(state), (now) => Stream.fromIterable(linesOf(now, embeddings)))),
    apply: (lines) =>
      Ref.update(state, (before) => {
        const { settled, waiting } = settle(before.waiting, lines)
        return settled.reduce(take, { ...before, waiting })
      }),
    clear: Ref.set(state, nothing)
  }))

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Projection> = Layer.effect(Projection, make)
