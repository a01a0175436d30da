/**
 * The list of what failed or was left out: why, and how often. Disposable; it spares a hopeless fetch and lets `status`
 * say what is missing. Pure.
 *
 * @since 0.1.0
 */
import type { DocumentRef } from "../domain/Document.ts"
import type { DocId, SourceUri, Timestamp } from "../domain/Ids.ts"
import { FailedEntry } from "../domain/Manifest.ts"
import { type Diff, type Listed, stateOf, type Today } from "./Diff.ts"
import type { Outcome } from "./Work.ts"

type Failures = ReadonlyMap<DocId, FailedEntry>

const again = (before: Failures, doc_id: DocId): number => (before.get(doc_id)?.attempts ?? 0) + 1

const stored = (ref: DocumentRef): { readonly source_uri: SourceUri; readonly revision?: string } => {
  const revision = stateOf(ref)
  return { source_uri: ref.source_uri, ...(revision === undefined ? {} : { revision }) }
}

/**
 * The list as it is now. What has not changed keeps its old entry, so that an unchanged list can be told by identity.
 *
 * @since 0.1.0
 * @category failures
 */
export const failedNow = (
  before: Failures,
  listed: Listed,
  diff: Diff,
  outcomes: ReadonlyArray<Outcome>,
  today: Today,
  now: Timestamp
): Failures => {
  const skips = [
    ...diff.skipped.map(({ doc_id, reason }) => ({ doc_id, reason, ref: listed.refs.get(doc_id), settled: false })),
    ...outcomes.flatMap((outcome) => outcome._tag === "Skipped" ? [{ ...outcome, doc_id: outcome.ref.doc_id }] : [])
  ]
  // A listing that is not complete says nothing of what it does not name.
  const unnamed = listed.coverage === "complete" ?
    [] :
    [...before.values()].filter(({ doc_id }) =>
      !listed.refs.has(doc_id) && !listed.skipped.has(doc_id) && !listed.removals.has(doc_id)
    )
  const entries: Array<FailedEntry> = [...unnamed, ...diff.failedBefore]
  for (const doc_id of diff.duplicated) {
    const known = before.get(doc_id)
    entries.push(
      known?.error === "duplicate" ? known : new FailedEntry({
        doc_id,
        outcome: "failed",
        error: "duplicate",
        message: `${doc_id} is listed more than once`,
        retryable: false,
        attempts: 1,
        last_at: now
      })
    )
  }
  for (const { doc_id, reason, ref, settled } of skips) {
    const known = before.get(doc_id)
    const same = known?.outcome === "skipped" && known.error === reason && known.revision === (ref && stateOf(ref))
    entries.push(
      same ? known : new FailedEntry({
        doc_id,
        ...(ref === undefined ? {} : stored(ref)),
        outcome: "skipped",
        error: reason,
        message: `${doc_id} was left out: ${reason}`,
        retryable: !settled,
        attempts: 1,
        last_at: now
      })
    )
  }
  for (const outcome of outcomes) {
    if (outcome._tag !== "Failed") continue
    const { error, message, ref, retryable } = outcome
    entries.push(
      new FailedEntry({
        doc_id: ref.doc_id,
        ...stored(ref),
        pipeline: today.pipelineOf(ref),
        embedder: today.embedder,
        outcome: "failed",
        error,
        message: message.toWellFormed(),
        retryable,
        attempts: again(before, ref.doc_id),
        last_at: now
      })
    )
  }
  return new Map(entries.map((entry) => [entry.doc_id, entry]))
}

/**
 * Whether two lists say the same.
 *
 * @since 0.1.0
 * @category failures
 */
export const sameFailures = (a: Failures, b: Failures): boolean =>
  a.size === b.size && [...a].every(([id, entry]) => b.get(id) === entry)
