/**
 * The archive of a session connector: what its sessions hold goes into the log, each Record once, group by group with
 * the cursor behind it. `Fresh.ts` says what of it the log does not have.
 *
 * One group at a time: two sessions that hold the same Record must not both bring it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { LogReader, LogReadError } from "../../../services/LogReader.ts"
import { type AppendError, type CommitDraft, LogWriter } from "../../../services/LogWriter.ts"
import { ProgressStore } from "../../../services/ProgressStore.ts"
import type { Cursor } from "../../domain/Cursor.ts"
import type { DocumentRef } from "../../domain/Document.ts"
import { type ConnectorName, EmbedderFingerprint, Fingerprint, type RecordKey } from "../../domain/Ids.ts"
import type { ManifestEntry } from "../../domain/Manifest.ts"
import type { Record } from "../../domain/Record.ts"
import type { SecretKind } from "../../domain/SecretKind.ts"
import { SourceWarning } from "../../domain/SessionRead.ts"
import type { ManifestError } from "../../domain/StoreErrors.ts"
import { entryOf } from "../../log/Live.ts"
import { later } from "../Groups.ts"
import { timestamp } from "../Pipeline.ts"
import * as Fresh from "./Fresh.ts"

/**
 * What a run has archived. `duplicates` were known, `derived` are those of the archived that are no evidence, `secrets`
 * were taken out, by kind.
 *
 * @since 0.1.0
 * @category models
 */
export interface ArchiveCounts {
  readonly records: number
  readonly duplicates: number
  readonly derived: number
  readonly bad_lines: number
  readonly secrets: { readonly [kind in SecretKind]?: number }
}

const nothing: ArchiveCounts = { records: 0, duplicates: 0, derived: 0, bad_lines: 0, secrets: {} }

type Secrets = ArchiveCounts["secrets"]

const sum = (a: Secrets, b: ReadonlyMap<SecretKind, number>): Secrets =>
  [...b].reduce<Secrets>((all, [kind, n]) => ({ ...all, [kind]: (all[kind] ?? 0) + n }), a)

/** What was cut out of a Record, and the Record, came from one text. */
const textOf = (key: RecordKey): string => key.replace(/\.a\d+$/, "")

/**
 * A part of a session, up to a cursor, and what was stored of it before. With `revision` it is the last one: in this
 * state the session need not be read again.
 *
 * @since 0.1.0
 * @category models
 */
export interface Part {
  readonly ref: DocumentRef
  readonly before: ManifestEntry | undefined
  readonly records: ReadonlyArray<Record>
  readonly cursor: Cursor | undefined
  readonly revision: string | undefined
}

/**
 * What a group of a session says of how it was made: nothing that a later version could make otherwise from the log.
 *
 * @since 0.1.0
 * @category constants
 */
export const sessionPipeline = Fingerprint.make(`sha256:${"0".repeat(63)}1`)

const noEmbedder = EmbedderFingerprint.make("none")

/** A session has no content of its own: the bytes before its cursor stand for it. */
const contentHash = (cursor: Cursor | undefined): Fingerprint =>
  Fingerprint.make(`sha256:${cursor?.tail_sha256 ?? "0".repeat(64)}`)

const draft = (connector: ConnectorName, { before, cursor, ref, revision }: Part, now: CommitDraft["synced_at"]) =>
  ({
    connector,
    doc_id: ref.doc_id,
    source_uri: ref.source_uri,
    content_hash: contentHash(cursor),
    ...(revision === undefined ? {} : { revision }),
    ...(cursor === undefined ? {} : { cursor }),
    pipeline: sessionPipeline,
    embedder: noEmbedder,
    chunk_count: 0,
    synced_at: later(now, before)
  }) satisfies CommitDraft

const tooLong = ({ doc_id }: DocumentRef, { key, origin }: Record): SourceWarning =>
  new SourceWarning({
    path: origin?.path ?? doc_id,
    byte_offset: origin?.byte_offset ?? 0,
    byte_length: origin?.byte_length ?? 0,
    reason: "bad",
    detail: `${key} is longer than a line of the log may be`
  })

/**
 * @since 0.1.0
 * @category models
 */
export interface Archive {
  /** Stores a part of a session; its value is what is known of the session then. */
  readonly store: (
    part: Part
  ) => Effect.Effect<ManifestEntry, AppendError | LogReadError | ManifestError, LogReader | LogWriter | ProgressStore>
  /** Takes note of what was no Record. */
  readonly warn: (warning: SourceWarning) => Effect.Effect<void>
  readonly counts: Effect.Effect<ArchiveCounts>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  connector: ConnectorName,
  options: { readonly scrub: boolean }
): Effect.Effect<Archive, never, LogReader> =>
  Effect.gen(function*() {
    const { unknown } = yield* Fresh.make(connector, options)
    const turn = yield* Effect.makeSemaphore(1)
    const counts = yield* Ref.make(nothing)
    const said = yield* Ref.make<ReadonlySet<string>>(new Set())

    const warn = ({ byte_offset, detail, path, reason }: SourceWarning) =>
      Effect.gen(function*() {
        if (reason === "bad") yield* Ref.update(counts, (total) => ({ ...total, bad_lines: total.bad_lines + 1 }))
        // Thousands of bad lines in a file are one piece of news.
        const news = reason === "bad" ? `bad ${path}` : detail
        const isNew = yield* Ref.modify(said, (before) => [!before.has(news), new Set([...before, news])])
        if (isNew) yield* Effect.logWarning(`${path}, byte ${byte_offset}: ${detail}`)
      })

    const store = (part: Part) =>
      Effect.gen(function*() {
        const { append } = yield* LogWriter
        const progress = yield* ProgressStore
        const { differing, duplicates, found, fresh, too_long } = yield* unknown(part.records)
        for (const record of too_long) yield* warn(tooLong(part.ref, record))
        if (differing.length > 0) {
          yield* Effect.logWarning(
            `${part.ref.doc_id}: ${differing.length} Records say something else than what was archived under their keys; what was archived stays (the first is ${
              differing[0] ?? ""
            })`
          )
        }
        const commit = draft(connector, part, yield* timestamp)
        const [seq] = yield* append([{ entries: fresh.map((body) => ({ kind: "record", body })), commit }])
        if (seq === undefined) return yield* Effect.dieMessage("the log's writer answered without a seq")
        const entry = entryOf(commit, seq, 0)
        yield* progress.append(connector, { entry })
        yield* Ref.update(counts, (total) => ({
          ...total,
          records: total.records + fresh.length,
          duplicates: total.duplicates + duplicates,
          derived: total.derived + fresh.filter(({ derived }) => derived !== false).length,
          secrets: [...new Set(fresh.map(({ key }) => textOf(key)))].reduce(
            (secrets, text) => sum(secrets, found.get(text) ?? new Map()),
            total.secrets
          )
        }))
        return entry
      }).pipe(turn.withPermits(1))

    return { store, warn, counts: Ref.get(counts) }
  })
