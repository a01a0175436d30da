/**
 * Adds up how the documents of a connector ended. Pure.
 *
 * @since 0.1.0
 */
import type { DocId } from "../domain/Ids.ts"
import {
  ConnectorSyncReport,
  FailedDocument,
  type ReportedError,
  SkippedDocument,
  type SyncStatus
} from "../domain/SyncReport.ts"
import type { Ran } from "./Run.ts"
import type { ArchiveCounts } from "./session/Archive.ts"

/**
 * What a run of one connector has come to, and how many documents a run before it had stored that was cut short.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tally {
  readonly connector: Pick<ConnectorSyncReport, "name" | "kind" | "source_type">
  readonly run: Ran
  readonly resumed: number
}

const failures = ({ changes: diff, outcomes }: Ran): ReadonlyArray<FailedDocument> => [
  ...diff.failedBefore.map(({ doc_id, error, message, retryable }) =>
    new FailedDocument({ doc_id, error, message, retryable })
  ),
  ...diff.duplicated.map((doc_id) =>
    new FailedDocument({
      doc_id,
      error: "duplicate",
      message: `${doc_id}: the source lists this id more than once; give each document an id of its own`,
      retryable: false
    })
  ),
  ...outcomes.flatMap((outcome) =>
    outcome._tag === "Failed"
      ? [
        new FailedDocument({
          doc_id: outcome.ref.doc_id,
          error: outcome.error,
          message: outcome.message,
          retryable: outcome.retryable
        })
      ]
      : []
  )
]

const skips = (
  { changes: diff, outcomes }: Ran
): ReadonlyArray<{ readonly doc_id: DocId; readonly reason: string }> => [
  ...diff.skipped,
  ...outcomes.flatMap((outcome) =>
    outcome._tag === "Skipped" ? [{ doc_id: outcome.ref.doc_id, reason: outcome.reason }] : []
  )
]

const archived = ({ secrets, ...counts }: ArchiveCounts) => ({
  ...counts,
  ...(Object.keys(secrets).length === 0 ? {} : { secrets: { ...secrets } }),
  model_calls: 0
})

/**
 * The report of a connector whose listing could be read.
 *
 * @since 0.1.0
 * @category reports
 */
export const reportOf = ({ connector, resumed, run }: Tally): ConnectorSyncReport => {
  const { archive, changes: diff, embedding, error, fetched, outcomes, refused, removed } = run
  const committed = outcomes.flatMap((outcome) => outcome._tag === "Committed" ? [outcome] : [])
  const as = (kind: "new" | "changed" | "stale" | "moved") => committed.filter((outcome) => outcome.as === kind).length
  const same = outcomes.filter(({ _tag }) => _tag === "Same").length
  const failed = failures(run)
  const skipped = skips(run).map(({ doc_id, reason }) => new SkippedDocument({ doc_id, reason }))
  const sum = (of: (outcome: (typeof committed)[number]) => number) =>
    committed.reduce((n, outcome) => n + of(outcome), 0)
  const counts = {
    new: as("new"),
    changed: as("changed"),
    stale: as("stale"),
    moved: as("moved"),
    unchanged: diff.unchanged.length + same
  }
  const status: SyncStatus = refused ? "refused" : failed.length > 0 || error !== undefined ? "partial" : "ok"
  return new ConnectorSyncReport({
    name: connector.name,
    kind: connector.kind,
    source_type: connector.source_type,
    status,
    ...(error === undefined ? {} : { error }),
    listed: counts.new + counts.changed + counts.stale + counts.moved + counts.unchanged + failed.length +
      skipped.length,
    ...counts,
    removed: removed.length,
    failed,
    skipped,
    resumed,
    fetched,
    ...embedding,
    chunks_added: sum(({ added }) => added),
    chunks_tombstoned: sum(({ tombstoned }) => tombstoned) + removed.reduce((n, { chunk_count }) => n + chunk_count, 0),
    ...(archive === undefined ? {} : archived(archive))
  })
}

/**
 * The report of a connector that could not be opened or listed: nothing of it was touched.
 *
 * @since 0.1.0
 * @category reports
 */
export const failedReport = (
  { kind, name, source_type }: Pick<ConnectorSyncReport, "name" | "kind" | "source_type">,
  error: ReportedError
): ConnectorSyncReport =>
  new ConnectorSyncReport({
    name,
    kind,
    source_type,
    status: "failed",
    error,
    listed: 0,
    new: 0,
    changed: 0,
    stale: 0,
    moved: 0,
    unchanged: 0,
    removed: 0,
    failed: [],
    skipped: [],
    resumed: 0,
    fetched: 0,
    embed_texts: 0,
    embed_calls: 0,
    reused: 0,
    chunks_added: 0,
    chunks_tombstoned: 0
  })
