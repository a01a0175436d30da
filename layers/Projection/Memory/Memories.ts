/**
 * The memory that is live: evidence by its id, session memories and consolidated memories by whose they are. Pure.
 *
 * @since 0.1.0
 */
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { LocatedRecord } from "../../../services/LogReader.ts"
import type { ConnectorName, EmbedderFingerprint, MemoryId, RecordKey, Sha256 } from "../../../src/domain/Ids.ts"
import type { ConsolidatedMemory, Evidence, Memory, SessionMemory } from "../../../src/domain/Memory.ts"
import { MemoryDumpLine } from "../../../src/domain/RebuildReport.ts"
import { piecesOf, wordsOf } from "../../../src/memory/Pieces.ts"

interface Held {
  readonly body: SessionMemory | ConsolidatedMemory
  readonly stale: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly evidence: HashMap.HashMap<MemoryId, Evidence>
  readonly held: HashMap.HashMap<string, Held>
  /** By which it is searched. */
  readonly embedder: Option.Option<EmbedderFingerprint>
}

/**
 * @since 0.1.0
 * @category constants
 */
export const nothing: State = { evidence: HashMap.empty(), held: HashMap.empty(), embedder: Option.none() }

const ownerOf = (body: SessionMemory | ConsolidatedMemory): string =>
  JSON.stringify(body.level === "L1" ? ["L1", body.connector, body.session_key, body.profile] : ["L2", body.profile])

const one = (state: State, body: Memory): State => {
  const { evidence, held } = state
  switch (body.entry) {
    case "evidence":
      return { ...state, evidence: HashMap.set(evidence, body.id, body) }
    case "memory":
      return { ...state, held: HashMap.set(held, ownerOf(body), { body, stale: false }) }
    case "embedder":
      return { ...state, embedder: Option.some(body.embedder) }
    case "step":
      return state
    case "mark": {
      const { id, level, mark } = body
      if (level === "L0") return mark === "retired" ? { ...state, evidence: HashMap.remove(evidence, id) } : state
      const is = (other: Held): boolean => other.body.level === level && other.body.id === id
      return {
        ...state,
        held: mark === "retired"
          ? HashMap.filter(held, (other) => !is(other))
          : HashMap.map(held, (other) => is(other) ? { ...other, stale: true } : other)
      }
    }
  }
}

/**
 * Takes in lines of memory that count.
 *
 * @since 0.1.0
 * @category folding
 */
export const take = (state: State, lines: ReadonlyArray<LocatedRecord>): State =>
  lines.reduce((now, { record }) => record.kind === "memory" ? one(now, record.body) : now, state)

type Line = ConstructorParameters<typeof MemoryDumpLine>[0]

const linesFor = (
  text: string,
  about: Omit<Line, "kind" | "lines" | "ordinal" | "text">,
  embedding: (sha: Sha256) => Option.Option<string>
): ReadonlyArray<MemoryDumpLine> =>
  piecesOf(about.id, text).map(({ embed_sha256, lines, ordinal, text }) =>
    new MemoryDumpLine({
      kind: "memory",
      ...about,
      ordinal,
      lines,
      text,
      ...Option.match(embedding(embed_sha256), { onNone: () => ({}), onSome: (embedding) => ({ embedding }) })
    })
  )

/**
 * What a dump has of it. `words` is the text of a Record, as far as it may be evidence.
 *
 * @since 0.1.0
 * @category reading
 */
export const linesOf = (
  { evidence, held }: State,
  words: (connector: ConnectorName, key: RecordKey) => string,
  embedding: (sha: Sha256) => Option.Option<string>
): ReadonlyArray<MemoryDumpLine> =>
  [
    ...[...HashMap.values(evidence)].flatMap((body) => {
      const { connector, id, level, profile, record_key: key, session_key } = body
      const text = wordsOf(body, words(connector, key))
      return linesFor(text, { level, id, profile, connector, session_key, key, stale: false }, embedding)
    }),
    ...[...HashMap.values(held)].flatMap(({ body, stale }) => {
      const { id, level, profile, text } = body
      const whose = body.level === "L1" ? { connector: body.connector, session_key: body.session_key } : {}
      return linesFor(text, { level, id, profile, ...whose, stale }, embedding)
    })
  ].sort((a, b) =>
    a.level !== b.level ? (a.level < b.level ? -1 : 1) : a.id !== b.id ? (a.id < b.id ? -1 : 1) : a.ordinal - b.ordinal
  )
