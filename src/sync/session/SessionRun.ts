/**
 * A run over the sessions of a connector: those that have changed are read on from where they were read to, side by side,
 * the newest first, and archived. Nothing that is gone from the source is removed: agents delete their transcripts.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { LogReader } from "../../../services/LogReader.ts"
import type { LogWriter } from "../../../services/LogWriter.ts"
import type { ProgressStore } from "../../../services/ProgressStore.ts"
import type { SessionConnector } from "../../../services/SourceConnector.ts"
import { SyncObserver } from "../../../services/SyncObserver.ts"
import { Cursor } from "../../domain/Cursor.ts"
import type { DocumentRef } from "../../domain/Document.ts"
import { EmbedderFingerprint } from "../../domain/Ids.ts"
import type { ManifestEntry } from "../../domain/Manifest.ts"
import { Record } from "../../domain/Record.ts"
import type { SessionItem } from "../../domain/SessionRead.ts"
import { type Diff, diff, type Known, type Listed, type Today } from "../Diff.ts"
import { unreadableRoots } from "../ReadListing.ts"
import { begin, type ConnectorOptions, type Ran, type RunOf, type SyncError } from "../Run.ts"
import { Outcome } from "../Work.ts"
import * as Archive from "./Archive.ts"

/**
 * A session to be read, and what was known of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionTask {
  readonly ref: DocumentRef
  readonly entry: ManifestEntry | undefined
}

const today: Today = {
  pipelineOf: () => Archive.sessionPipeline,
  embedder: EmbedderFingerprint.make("none"),
  maxDocumentBytes: Number.POSITIVE_INFINITY
}

/**
 * What has changed, and what is to be read, in the order of the listing. A session at another address is read there;
 * nothing of it is removed.
 *
 * @since 0.1.0
 * @category diff
 */
export const compare = (
  known: Known,
  listed: Listed
): { readonly changes: Diff; readonly tasks: ReadonlyArray<SessionTask> } => {
  const found = diff(known, listed, today)
  const changes: Diff = {
    ...found,
    new: [...found.new, ...found.moved.map(({ ref }) => ref)],
    changed: [...found.changed, ...found.stale],
    moved: [],
    stale: [],
    removed: [],
    outside: []
  }
  const tasks = new Map<string, SessionTask>([
    ...changes.changed.map(({ entry, ref }) => [ref.doc_id, { ref, entry }] as const),
    ...changes.new.map((ref) => [ref.doc_id, { ref, entry: undefined }] as const)
  ])
  const inOrder = [...listed.refs.keys()].flatMap((id) => {
    const task = tasks.get(id)
    return task === undefined ? [] : [task]
  })
  return { changes, tasks: inOrder }
}

/**
 * A group of about this many UTF-16 units is stored before the next is gathered: a run that is cut short has it then.
 *
 * @since 0.1.0
 * @category constants
 */
export const unitsInAPart = 1024 * 1024

/** What a Record counts beside its text. */
const unitsOfARecord = 256

/**
 * @since 0.1.0
 * @category counting
 */
export const unitsOf = ({ text }: Record): number => text.length + unitsOfARecord

/** How far a session was read: `ready` stands before the cursor, `behind` after it. */
interface Reading {
  readonly entry: ManifestEntry | undefined
  readonly cursor: Cursor | undefined
  readonly ready: ReadonlyArray<Record>
  readonly behind: ReadonlyArray<Record>
  readonly units: number
}

const sameCursor = (a: Cursor | undefined, b: Cursor | undefined): boolean =>
  a !== undefined && b !== undefined && a.path === b.path && a.offset === b.offset && a.tail_sha256 === b.tail_sha256

/**
 * Reads one session on, and archives what it holds.
 *
 * @since 0.1.0
 * @category programs
 */
const readOn = (connector: SessionConnector, archive: Archive.Archive) =>
(
  { entry, ref }: SessionTask
): Effect.Effect<Outcome, SyncError, LogReader | LogWriter | ProgressStore> => {
  const start: Reading = { entry, cursor: entry?.cursor, ready: [], behind: [], units: 0 }
  let last = start

  const store = (reading: Reading, revision: string | undefined) =>
    Effect.map(
      archive.store({ ref, before: reading.entry, records: reading.ready, cursor: reading.cursor, revision }),
      (stored): Reading => ({ ...reading, entry: stored, ready: [], units: 0 })
    )

  const take = (before: Reading, items: Chunk.Chunk<SessionItem>) =>
    Effect.gen(function*() {
      let { cursor, ready, units } = before
      let behind = [...before.behind]
      for (const item of items) {
        if (item instanceof Record) {
          behind.push(item)
          units += unitsOf(item)
        } else if (item instanceof Cursor) {
          cursor = item
          ready = [...ready, ...behind]
          behind = []
        } else yield* archive.warn(item)
      }
      const now: Reading = { ...before, cursor, ready, behind, units }
      return last = units < unitsInAPart || ready.length === 0 ? now : yield* store(now, undefined)
    })

  const committed = (stored: ManifestEntry): Outcome =>
    Outcome.Committed({
      as: entry === undefined ? "new" : "changed",
      entry: stored,
      from: undefined,
      added: 0,
      tombstoned: 0
    })

  const finish = (reading: Reading) =>
    Effect.gen(function*() {
      const all: Reading = { ...reading, ready: [...reading.ready, ...reading.behind], behind: [] }
      const nothing = all.ready.length === 0 && sameCursor(all.cursor, all.entry?.cursor)
      // Its revision has moved, and no byte of it.
      if (nothing && entry !== undefined && all.entry === entry && entry.source_uri === ref.source_uri) {
        return Outcome.Same({ entry, revision: ref.revision })
      }
      const { entry: stored } = yield* store(all, ref.revision)
      return stored === undefined ? yield* Effect.dieMessage("a part was stored without an entry") : committed(stored)
    })

  return Stream.runFoldEffect(Stream.chunks(connector.records(ref, entry?.cursor)), start, take).pipe(
    Effect.flatMap(finish),
    Effect.catchTag("RecordSourceError", ({ message }) =>
      Effect.gen(function*() {
        const kept = last.ready.length === 0 ? last : yield* store(last, undefined)
        return Outcome.Failed({
          ref,
          error: "read",
          message,
          retryable: true,
          ...(kept.entry === undefined || kept.entry === entry ? {} : { entry: kept.entry })
        })
      }))
  )
}

/**
 * @since 0.1.0
 * @category programs
 */
export const runSessions = (
  connector: SessionConnector,
  run: RunOf,
  options: Pick<ConnectorOptions, "scrub">
): Effect.Effect<Ran, SyncError, LogReader | LogWriter | ProgressStore> =>
  Effect.gen(function*() {
    const { note } = yield* SyncObserver
    const { changes, tasks } = compare(run.known, run.listed)
    const archive = yield* Archive.make(connector.name, options)
    yield* Effect.asVoid(begin(connector.name, run, tasks.length))
    const outcomes = yield* Stream.fromIterable(tasks).pipe(
      Stream.mapEffect((task) =>
        Effect.tap(
          readOn(connector, archive)(task),
          note({ _tag: "Done", connector: connector.name, doc_id: task.ref.doc_id })
        ), { concurrency: connector.limits.max_concurrent_fetches, unordered: true }),
      Stream.runCollect
    )
    return {
      today,
      changes,
      outcomes: Chunk.toReadonlyArray(outcomes),
      removed: [],
      error: Option.getOrUndefined(Option.map(unreadableRoots(run.listed), ({ error }) => error)),
      refused: false,
      fetched: tasks.length,
      embedding: { embed_texts: 0, embed_calls: 0, reused: 0 },
      archive: yield* archive.counts
    }
  })
