/**
 * Reference documents as a table for a person: what may be long stands last. Pure.
 *
 * @since 0.1.0
 */
import type { ReferenceDocument } from "../domain/ReferenceReport.ts"
import { number, plural } from "../text/Amounts.ts"
import { printable } from "./Printable.ts"
import { moment } from "./Words.ts"

const columns = (passages: string, synced: string, document: string): string =>
  `  ${passages.padStart(8)}  ${synced.padEnd(20)}  ${document}`

const row = ({ chunks, doc_id, excluded, synced_at }: ReferenceDocument): string =>
  columns(excluded ? "excluded" : number(chunks), moment(synced_at), printable(doc_id))

const block = (documents: ReadonlyArray<ReferenceDocument>): ReadonlyArray<string> => {
  const [first] = documents
  return first === undefined ? [] : [
    `${first.connector}: ${plural(documents.length, "document")}`,
    columns("passages", "stored", "document"),
    ...documents.map(row)
  ]
}

/**
 * The documents, sorted by connector, in a block for each.
 *
 * @since 0.1.0
 * @category formatting
 */
export const lines = (documents: ReadonlyArray<ReferenceDocument>): ReadonlyArray<string> => {
  const connectors = [...new Set(documents.map(({ connector }) => connector))]
  return documents.length === 0
    ? ["no document is in memory"]
    : connectors.flatMap((connector) => block(documents.filter((document) => document.connector === connector)))
}
