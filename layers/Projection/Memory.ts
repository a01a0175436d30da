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
import type { ChunkId } from "../../src/domain/Ids.ts"
import { DumpLine } from "../../src/domain/RebuildReport.ts"
import type { Commit, Reference } from "../../src/domain/Reference.ts"
import * as Float32 from "../../src/log/Float32.ts"
import { settle } from "../../src/log/Gather.ts"
import { apply, documentKey, empty, type Live } from "../../src/log/Live.ts"

interface State {
  readonly live: Live
  /** A group whose commit is still to come. */
  readonly waiting: ReadonlyArray<LocatedRecord>
  /** Live passages by document, each by its id. */
  readonly documents: HashMap.HashMap<string, {
    readonly commit: Commit
    readonly passages: HashMap.HashMap<ChunkId, Reference>
  }>
  /** Base64, by model and text. */
  readonly vectors: HashMap.HashMap<string, string>
}

const nothing: State = { live: empty, waiting: [], documents: HashMap.empty(), vectors: HashMap.empty() }

const vectorKey = (model: string, sha: string): string => `${sha} ${model}`

const take = (state: State, line: LocatedRecord): State => {
  const [live, changes] = apply(state.live, line)
  let { documents, vectors } = state
  for (const change of changes) {
    if (change._tag === "Vector") {
      const { data, dims, embed_sha256, model } = change.vector
      const usable = Either.isRight(Float32.usable(data, dims))
      vectors = usable ? HashMap.set(vectors, vectorKey(model, embed_sha256), data) : vectors
      continue
    }
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
  return { ...state, live, documents, vectors }
}

/** By code units, as every part of the program sorts. */
const order = (a: DumpLine, b: DumpLine): number =>
  a.connector !== b.connector
    ? a.connector < b.connector ? -1 : 1
    : a.doc_id !== b.doc_id
    ? a.doc_id < b.doc_id ? -1 : 1
    : a.ordinal !== b.ordinal
    ? a.ordinal - b.ordinal
    : a.chunk_id < b.chunk_id
    ? -1
    : 1

const linesOf = ({ documents, vectors }: State, embeddings: boolean): ReadonlyArray<DumpLine> =>
  [...HashMap.values(documents)].flatMap(({ commit, passages }) =>
    [...HashMap.values(passages)].map((reference) => {
      const { connector, doc_id } = commit
      const { chunk_id, embed_sha256, heading_path, lines, ordinal, text, tokens } = reference
      const embedding = embeddings ? HashMap.get(vectors, vectorKey(commit.embedder, embed_sha256)) : Option.none()
      return new DumpLine({
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
  ).sort(order)

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
