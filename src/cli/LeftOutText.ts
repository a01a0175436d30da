/**
 * What failed and what was left out, for a person: documents with one and the same trouble are told of together, so
 * that an embedder that is down is one sentence and not a thousand. Pure.
 *
 * @since 0.1.0
 */
import type { FailedDocument, SkippedDocument } from "../domain/SyncReport.ts"
import { number, plural } from "../text/Amounts.ts"
import { some, wrapped } from "./Words.ts"

/** Groups that are told of in full. */
const most = 8

/** The message of a document's own failure begins with its name. */
const withoutName = ({ doc_id, message }: FailedDocument): string =>
  message.startsWith(`${doc_id}: `) ? message.slice(doc_id.length + 2) : message

const groupedBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const name = key(item)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [item])
    else group.push(item)
  }
  return groups
}

const told = <A extends { readonly doc_id: string }>(
  head: string,
  items: ReadonlyArray<A>,
  reasonOf: (item: A) => string
): ReadonlyArray<string> => {
  if (items.length === 0) return []
  const groups = [...groupedBy(items, reasonOf)].sort(([, a], [, b]) => b.length - a.length)
  const rest = groups.slice(most).reduce((sum, [, group]) => sum + group.length, 0)
  return [
    `  ${number(items.length)} ${head}:`,
    ...groups.slice(0, most).flatMap(([reason, group]) =>
      wrapped("    ", `${some(group.map(({ doc_id }) => doc_id))}: ${reason}`, "      ")
    ),
    ...(rest === 0 ? [] : [`    and ${plural(rest, "other")}; --json names them all`])
  ]
}

/**
 * The documents that failed, with their reasons, which say what to do.
 *
 * @since 0.1.0
 * @category formatting
 */
export const failed = (documents: ReadonlyArray<FailedDocument>): ReadonlyArray<string> =>
  told("failed", documents, withoutName)

/**
 * The documents that were left out, with their reasons.
 *
 * @since 0.1.0
 * @category formatting
 */
export const skipped = (documents: ReadonlyArray<SkippedDocument>): ReadonlyArray<string> =>
  told("left out", documents, ({ reason }) => reason)
