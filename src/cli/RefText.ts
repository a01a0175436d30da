/**
 * Reference documents and sessions as tables for a person: what may be long stands last. Pure.
 *
 * @since 0.1.0
 */
import type { ReferenceDocument, ReferenceReport, ReferenceSession } from "../domain/ReferenceReport.ts"
import { number, plural } from "../text/Amounts.ts"
import { printable } from "./Printable.ts"
import { moment } from "./Words.ts"

const columns = (count: string, moment: string, name: string): string =>
  `  ${count.padStart(8)}  ${moment.padEnd(20)}  ${name}`

const row = ({ chunks, doc_id, excluded, synced_at }: ReferenceDocument): string =>
  columns(excluded ? "excluded" : number(chunks), moment(synced_at), printable(doc_id))

const documentsOf = (documents: ReadonlyArray<ReferenceDocument>): ReadonlyArray<string> => {
  const [first] = documents
  return first === undefined ? [] : [
    `${first.connector}: ${plural(documents.length, "document")}`,
    columns("passages", "stored", "document"),
    ...documents.map(row)
  ]
}

const sessionRow = ({ doc_id, latest, project, records }: ReferenceSession): string =>
  columns(
    number(records),
    latest === null ? "" : moment(latest),
    printable(doc_id) + (project === undefined ? "" : `  ${printable(project)}`)
  )

const sessionsOf = (sessions: ReadonlyArray<ReferenceSession>): ReadonlyArray<string> => {
  const [first] = sessions
  return first === undefined ? [] : [
    `${first.connector}: ${plural(sessions.length, "session")}`,
    columns("Records", "last said", "session, and its project"),
    ...sessions.map(sessionRow)
  ]
}

/**
 * What is in memory, sorted by connector, in a block for each.
 *
 * @since 0.1.0
 * @category formatting
 */
export const lines = (
  { documents, sessions }: Pick<ReferenceReport, "documents" | "sessions">
): ReadonlyArray<string> => {
  const connectors = [...new Set([...documents, ...sessions].map(({ connector }) => connector))].sort()
  return connectors.length === 0
    ? ["nothing is in memory"]
    : connectors.flatMap((name) => [
      ...documentsOf(documents.filter(({ connector }) => connector === name)),
      ...sessionsOf(sessions.filter(({ connector }) => connector === name))
    ])
}
