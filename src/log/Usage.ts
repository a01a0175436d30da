/**
 * How much of the log still stands for something, and what it holds of each connector: the fold, with what it does not
 * keep beside it. Pure.
 *
 * A line is dead when nothing that is live needs it: a passage that was replaced or removed, its tombstone, the vector of
 * a document that no live passage has, a commit that no live document rests on, an exclusion that no longer holds. Lines of
 * the log about itself, those of sessions, and vectors that stand alone, as those of memory do, are never dead.
 *
 * @since 0.1.0
 */
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"
import type { LocatedRecord } from "../../services/LogReader.ts"
import type { ConnectorName, DocId, Timestamp } from "../domain/Ids.ts"
import type { LogRecord } from "../domain/LogRecord.ts"
import type { Vector } from "../domain/Reference.ts"
import { apply, type Change, documentKey, empty, type Live } from "./Live.ts"

/**
 * The state of the fold. `mortal` counts the lines that can be dead at all; `bearing` names, by document, the commit
 * that brought the passages which are live.
 *
 * @since 0.1.0
 * @category models
 */
export interface Usage {
  readonly live: Live
  readonly records: number
  readonly mortal: number
  readonly vectors: HashSet.HashSet<string>
  readonly bearing: HashMap.HashMap<string, number>
  readonly lastCommits: HashMap.HashMap<ConnectorName, Timestamp>
}

/**
 * The log before its first line.
 *
 * @since 0.1.0
 * @category constants
 */
export const nothing: Usage = {
  live: empty,
  records: 0,
  mortal: 0,
  vectors: HashSet.empty(),
  bearing: HashMap.empty(),
  lastCommits: HashMap.empty()
}

const isMortal = ({ kind, txn }: LogRecord): boolean =>
  (kind === "vector" && txn !== undefined) || kind === "reference" || kind === "tombstone" || kind === "commit" ||
  kind === "exclusion"

/** Of two vectors for one text and model one is enough. */
const vectorKey = ({ embed_sha256, model }: Pick<Vector, "embed_sha256" | "model">): string =>
  `${embed_sha256} ${model}`

const note = ({ txn }: LogRecord) => (usage: Usage, change: Change): Usage => {
  if (change._tag === "Memory") return usage
  if (change._tag === "Vector") {
    return txn === undefined
      ? usage
      : { ...usage, vectors: HashSet.add(usage.vectors, vectorKey(change.vector)) }
  }
  const { added, commit: { connector, doc_id, synced_at }, seq } = change
  const last = HashMap.get(usage.lastCommits, connector)
  return {
    ...usage,
    bearing: added.length === 0 ? usage.bearing : HashMap.set(usage.bearing, documentKey(connector, doc_id), seq),
    lastCommits: Option.exists(last, (before) => before >= synced_at)
      ? usage.lastCommits
      : HashMap.set(usage.lastCommits, connector, synced_at)
  }
}

/**
 * Takes in one line of the log.
 *
 * @since 0.1.0
 * @category folding
 */
export const add = (usage: Usage, line: LocatedRecord): Usage => {
  const [live, changes] = apply(usage.live, line)
  return changes.reduce(note(line.record), {
    ...usage,
    live,
    records: usage.records + 1,
    mortal: usage.mortal + (isMortal(line.record) ? 1 : 0)
  })
}

/**
 * How many lines are dead.
 *
 * @since 0.1.0
 * @category counting
 */
export const dead = ({ bearing, live, mortal, vectors }: Usage): number => {
  const wanted = new Set<string>()
  let alive = HashMap.reduce(live.excluded, 0, (sum, excluded) => sum + (excluded ? 1 : 0))
  HashMap.forEach(live.documents, ({ commit, passages, seq }, key) => {
    const restsOnAnother = passages.length > 0 && !Option.contains(HashMap.get(bearing, key), seq)
    alive += passages.length + (restsOnAnother ? 2 : 1)
    for (const { embed_sha256 } of passages) wanted.add(vectorKey({ embed_sha256, model: commit.embedder }))
  })
  for (const key of wanted) if (HashSet.has(vectors, key)) alive += 1
  return mortal - alive
}

/**
 * What is live of a connector.
 *
 * @since 0.1.0
 * @category models
 */
export interface Counts {
  readonly documents: number
  readonly chunks: number
  readonly records: number
}

/**
 * Where nothing is.
 *
 * @since 0.1.0
 * @category constants
 */
export const none: Counts = { documents: 0, chunks: 0, records: 0 }

/**
 * The live documents of each connector, and their passages; the sessions, and their Records.
 *
 * @since 0.1.0
 * @category counting
 */
export const counts = (
  { live }: Usage
): ReadonlyMap<ConnectorName, Counts> => {
  const all = new Map<ConnectorName, Counts>()
  for (const { commit, passages, records } of HashMap.values(live.documents)) {
    if (commit.removed === true) continue
    const before = all.get(commit.connector) ?? none
    all.set(commit.connector, {
      documents: before.documents + 1,
      chunks: before.chunks + passages.length,
      records: before.records + records
    })
  }
  return all
}

/**
 * The documents of a connector that are kept out of its syncs.
 *
 * @since 0.1.0
 * @category counting
 */
export const excluded = ({ live }: Usage, connector: ConnectorName): ReadonlyArray<DocId> =>
  [...HashMap.values(live.documents)].flatMap(({ commit }) =>
    commit.connector === connector
      && Option.contains(HashMap.get(live.excluded, documentKey(connector, commit.doc_id)), true)
      ? [commit.doc_id]
      : []
  ).sort()
