/**
 * `mem ref list`: the reference documents and the sessions in memory, by the log alone.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import type { Timestamp } from "../domain/Ids.ts"
import { ReferenceDocument, ReferenceReport, ReferenceSession } from "../domain/ReferenceReport.ts"
import { apply, documentKey, empty } from "../log/Live.ts"
import { isSession } from "./SessionId.ts"

/** By code units, as every part of the program sorts. */
const order = (
  a: Pick<ReferenceDocument, "connector" | "doc_id">,
  b: Pick<ReferenceDocument, "connector" | "doc_id">
): number =>
  a.connector !== b.connector
    ? a.connector < b.connector ? -1 : 1
    : a.doc_id === b.doc_id
    ? 0
    : a.doc_id < b.doc_id
    ? -1
    : 1

/** What the Records of a session say of it. */
interface Said {
  readonly latest: Timestamp | null
  readonly project: string | undefined
}

const unsaid: Said = { latest: null, project: undefined }

/**
 * All of them; documents that are excluded too. An excluded session has no Records any more, and stands among these.
 *
 * @since 0.1.0
 * @category programs
 */
export const references: Effect.Effect<ReferenceReport, LogReadError, LogReader> = Effect.gen(function*() {
  const { records } = yield* LogReader
  const said = new Map<string, Said>()
  const { documents, excluded } = yield* Stream.runFold(records(), empty, (before, line) => {
    const [after, changes] = apply(before, line)
    for (const change of changes) {
      if (change._tag !== "Committed" || change.records.length === 0) continue
      const key = documentKey(change.commit.connector, change.commit.doc_id)
      said.set(
        key,
        change.records.reduce(({ latest, project }: Said, { record: { at, meta } }) => ({
          latest: at !== null && (latest === null || at > latest) ? at : latest,
          project: meta.cwd ?? project
        }), said.get(key) ?? unsaid)
      )
    }
    return after
  })
  const all = [...HashMap.values(documents)]
  return new ReferenceReport({
    command: "ref list",
    ok: true,
    documents: all.filter((document) => !isSession(document)).map(({ commit, passages }) =>
      new ReferenceDocument({
        connector: commit.connector,
        doc_id: commit.doc_id,
        source_uri: commit.source_uri,
        chunks: passages.length,
        synced_at: commit.synced_at,
        excluded: Option.contains(HashMap.get(excluded, documentKey(commit.connector, commit.doc_id)), true)
      })
    ).sort(order),
    sessions: all.filter(isSession).map(({ commit, records }) => {
      const { latest, project } = said.get(documentKey(commit.connector, commit.doc_id)) ?? unsaid
      return new ReferenceSession({
        connector: commit.connector,
        doc_id: commit.doc_id,
        source_uri: commit.source_uri,
        records,
        latest,
        ...(project === undefined ? {} : { project }),
        synced_at: commit.synced_at
      })
    }).sort(order)
  })
})
