/**
 * `mem status`: what is in memory, and how it is. By readers alone. The figures are those of the log, which knows more
 * than a manifest where a sync was cut short.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type ConfiguredConnector, Connectors } from "../../services/Connectors.ts"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { Projection } from "../../services/Projection.ts"
import type { ConnectorName, DocId, Timestamp } from "../domain/Ids.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import { ConnectorStatus, LogStatus, MemoryStatus, ProjectionStatus, StatusReport } from "../domain/StatusReport.ts"
import type { ManifestError, ProjectionError } from "../domain/StoreErrors.ts"
import { FailedDocument, SkippedDocument } from "../domain/SyncReport.ts"
import { manifestOf } from "../log/Live.ts"
import * as Usage from "../log/Usage.ts"
import * as GateCounts from "../memory/GateCounts.ts"
import { type LiveMemory, make as makeLive } from "../memory/LiveMemory.ts"
import { marksDue } from "../memory/Stale.ts"

/** The log's moments are of one length and one zone, so they sort as texts. */
const latest = (moments: ReadonlyArray<Timestamp>): Timestamp | null => [...moments].sort().at(-1) ?? null

/**
 * What the last run had to do and has not stored. The log knows better than the lines which documents were: a run that
 * was cut short may have noted fewer.
 */
const pendingOf = (name: ConnectorName, { live }: Usage.Usage) =>
  Effect.gen(function*() {
    const lines = yield* Effect.flatMap(ProgressStore, ({ load }) => load(name))
    const at = lines.findLastIndex((line) => "to_do" in line)
    const begun = lines[at]
    if (begun === undefined || !("to_do" in begun)) return 0
    const manifest = Option.getOrElse(
      yield* Effect.flatMap(ManifestStore, ({ load }) => load(name)),
      (): ReadonlyMap<DocId, ManifestEntry> => new Map()
    )
    const before = new Set(lines.slice(0, at).flatMap((line) => "entry" in line ? [line.entry.doc_id] : []))
    const stored = [...manifestOf(live, name)].filter(([id, { seq }]) =>
      !before.has(id) && manifest.get(id)?.seq !== seq
    )
    return Math.max(0, begun.to_do - stored.length)
  })

/** What a sync would mark as stale counts as if it were. */
const memoryOf = (name: ConnectorName, gates: GateCounts.GateCounts, live: LiveMemory) =>
  Option.map(gates.of(name), (memory) => {
    const due = new Set(marksDue(live).map(({ id }) => id))
    const stale = live.memories().filter(({ connector, id, stale }) => connector === name && (stale || due.has(id)))
    return new MemoryStatus({ ...memory, stale: stale.length })
  })

const statusOf = (
  usage: Usage.Usage,
  gates: GateCounts.GateCounts,
  live: LiveMemory,
  { kind, name, source_type }: ConfiguredConnector
) =>
  Effect.gen(function*() {
    const noted = [...(yield* Effect.flatMap(ManifestStore, ({ loadFailed }) => loadFailed(name))).values()]
    const skipped = new Map([
      ...noted.flatMap(({ doc_id, error, outcome }) => outcome === "skipped" ? [[doc_id, error] as const] : []),
      ...Usage.excluded(usage, name).map((doc_id) => [doc_id, "excluded"] as const)
    ])
    const { chunks, documents, records } = Usage.counts(usage).get(name) ?? Usage.none
    return new ConnectorStatus({
      name,
      kind,
      source_type,
      documents,
      chunks,
      ...(source_type === "session" || records > 0 ? { records } : {}),
      last_sync: latest([
        ...Option.toArray(HashMap.get(usage.lastCommits, name)),
        ...noted.map(({ last_at }) => last_at)
      ]),
      failed: noted.filter(({ outcome }) => outcome === "failed").map(({ doc_id, error, message, retryable }) =>
        new FailedDocument({ doc_id, error, message, retryable })
      ),
      skipped: [...skipped].map(([doc_id, reason]) => new SkippedDocument({ doc_id, reason })),
      pending: yield* pendingOf(name, usage),
      ...Option.match(memoryOf(name, gates, live), { onNone: () => ({}), onSome: (memory) => ({ memory }) })
    })
  })

/**
 * The kind of a connector that is in `connectors.yaml` no more. Its documents stay in memory, so they are shown.
 *
 * @since 0.1.0
 * @category constants
 */
export const notConfigured = "not configured"

const strangers = (usage: Usage.Usage, known: ReadonlyArray<ConfiguredConnector>): ReadonlyArray<ConfiguredConnector> =>
  [...Usage.counts(usage).keys()].filter((name) => known.every((each) => each.name !== name)).sort().map(
    (name: ConnectorName) => ({ name, kind: notConfigured, source_type: "document" })
  )

/** What would be a warning to a reader of the index is in the report. */
const indexStatus = Effect.flatMap(Projection, (projection) => projection.status).pipe(
  Logger.withMinimumLogLevel(LogLevel.None)
)

/**
 * The report, and what the log says of memory: both of one reading of it.
 *
 * @since 0.1.0
 * @category programs
 */
export const looked: Effect.Effect<
  { readonly report: StatusReport; readonly live: LiveMemory },
  LogReadError | ManifestError | ProjectionError,
  Connectors | LogReader | ManifestStore | ProgressStore | Projection
> = Effect.gen(function*() {
  const { configured } = yield* Connectors
  const reader = yield* LogReader
  const gates = GateCounts.make()
  const live = makeLive()
  const usage = yield* Stream.runFold(reader.records(), Usage.nothing, (before, line) => {
    gates.take(line)
    live.take(line)
    return Usage.add(before, line)
  })
  const segments = yield* reader.segments
  const report = new StatusReport({
    command: "status",
    ok: true,
    connectors: yield* Effect.forEach(
      [...configured, ...strangers(usage, configured)],
      (connector) => statusOf(usage, gates, live, connector)
    ),
    log: new LogStatus({
      segments: segments.length,
      bytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
      records: usage.records,
      dead: Usage.dead(usage)
    }),
    projection: new ProjectionStatus(yield* indexStatus)
  })
  return { report, live }
})

/**
 * @since 0.1.0
 * @category programs
 */
export const status: Effect.Effect<
  StatusReport,
  LogReadError | ManifestError | ProjectionError,
  Connectors | LogReader | ManifestStore | ProgressStore | Projection
> = Effect.map(looked, ({ report }) => report)
