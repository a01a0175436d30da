/**
 * `mem ref list`: the reference documents in memory, by the log alone.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { ReferenceDocument, ReferenceReport } from "../domain/ReferenceReport.ts"
import { documentKey } from "../log/Live.ts"
import { live } from "./LogView.ts"

/** By code units, as every part of the program sorts. */
const order = (a: ReferenceDocument, b: ReferenceDocument): number =>
  a.connector !== b.connector
    ? a.connector < b.connector ? -1 : 1
    : a.doc_id === b.doc_id
    ? 0
    : a.doc_id < b.doc_id
    ? -1
    : 1

/**
 * All of them; those that are excluded too. Sessions are none, unless they are excluded.
 *
 * @since 0.1.0
 * @category programs
 */
export const references: Effect.Effect<ReferenceReport, LogReadError, LogReader> = Effect.map(
  live,
  ({ documents, excluded }) =>
    new ReferenceReport({
      command: "ref list",
      ok: true,
      documents: [...HashMap.values(documents)].filter(({ commit, records }) =>
        records === 0 && commit.cursor === undefined
      ).map(({ commit, passages }) =>
        new ReferenceDocument({
          connector: commit.connector,
          doc_id: commit.doc_id,
          source_uri: commit.source_uri,
          chunks: passages.length,
          synced_at: commit.synced_at,
          excluded: Option.contains(HashMap.get(excluded, documentKey(commit.connector, commit.doc_id)), true)
        })
      ).sort(order)
    })
)
