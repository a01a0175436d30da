/**
 * The archive of a session connector: what its sessions hold goes into the log, each Record once, group by group with
 * the cursor behind it. What is a copy of something that mem wrote or imported is cut out and marked on the way.
 *
 * One group at a time: two sessions that hold the same Record must not both bring it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { ArtifactRegistry } from "../../../services/ArtifactRegistry.ts"
import { LogReader, type LogReadError } from "../../../services/LogReader.ts"
import { type AppendError, type CommitDraft, LogWriter } from "../../../services/LogWriter.ts"
import { ProgressStore } from "../../../services/ProgressStore.ts"
import { RecordIndex } from "../../../services/RecordIndex.ts"
import type { Cursor } from "../../domain/Cursor.ts"
import type { DocumentRef } from "../../domain/Document.ts"
import { type ConnectorName, EmbedderFingerprint, Fingerprint, type RecordKey } from "../../domain/Ids.ts"
import type { ManifestEntry } from "../../domain/Manifest.ts"
import { Record } from "../../domain/Record.ts"
import type { SecretKind } from "../../domain/SecretKind.ts"
import { SourceWarning } from "../../domain/SessionRead.ts"
import type { ManifestError } from "../../domain/StoreErrors.ts"
import { maxLineBytes } from "../../log/Codec.ts"
import { entryOf } from "../../log/Live.ts"
import * as RecordPlaces from "../../log/RecordPlaces.ts"
import { cutOut } from "../../memory/CutOut.ts"
import { registry } from "../../memory/KnownParagraphs.ts"
import { ownOutput } from "../../memory/OwnOutput.ts"
import { tellable } from "../../memory/Paragraphs.ts"
import { scrub } from "../../transcript/Scrub.ts"
import { later } from "../Groups.ts"
import { timestamp } from "../Pipeline.ts"
import { sift } from "./Sift.ts"

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

/** What a line holds beside its text, at most, where nobody means harm. */
const envelopeBytes = 64 * 1024

/** Whether a line of the log can hold it; a character takes six bytes at most. */
const fits = ({ text }: Record): boolean =>
  text.length * 6 < maxLineBytes - envelopeBytes
  || Buffer.byteLength(JSON.stringify(text)) < maxLineBytes - envelopeBytes

const tooLong = ({ doc_id }: DocumentRef, { key, origin }: Record): SourceWarning =>
  new SourceWarning({
    path: origin?.path ?? doc_id,
    byte_offset: origin?.byte_offset ?? 0,
    byte_length: origin?.byte_length ?? 0,
    reason: "bad",
    detail: `${key} is longer than a line of the log may be`
  })

/** Texts of the log are read side by side, so many at a time. */
const readsInFlight = 16

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

/** A quicker index than a fold of the log serves where there is one. */
const optional = <A, E, R>(tag: Effect.Effect<Option.Option<A>>, fold: Effect.Effect<A, E, R>) =>
  Effect.flatMap(tag, Option.match({ onNone: () => fold, onSome: Effect.succeed }))

/**
 * Where archived Records stand.
 *
 * @since 0.1.0
 * @category services
 */
export const recordIndex: Effect.Effect<RecordIndex["Type"], never, LogReader> = optional(
  Effect.serviceOption(RecordIndex),
  RecordPlaces.index
)

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  connector: ConnectorName,
  options: { readonly scrub: boolean }
): Effect.Effect<Archive, never, LogReader> =>
  Effect.gen(function*() {
    const index = yield* recordIndex
    const artifacts = yield* optional(Effect.serviceOption(ArtifactRegistry), registry)
    const turn = yield* Effect.makeSemaphore(1)
    const counts = yield* Ref.make(nothing)
    const said = yield* Ref.make<ReadonlySet<string>>(new Set())

    /** Texts without secrets, and what was taken out of each. */
    const scrubbed = (records: ReadonlyArray<Record>) => {
      const found = new Map<string, ReadonlyMap<SecretKind, number>>()
      if (!options.scrub) return { found, records }
      const clean = records.map((record) => {
        const scrubbed = scrub(record.text)
        if (scrubbed.found.size === 0) return record
        found.set(record.key, scrubbed.found)
        return new Record({ ...record, text: scrubbed.text }, { disableValidation: true })
      })
      return { found, records: clean }
    }

    /** Evidence without what mem wrote or imported itself. */
    const evidence = (records: ReadonlyArray<Record>) =>
      Effect.gen(function*() {
        const looked = records.map((record) => ({ record, paragraphs: tellable(record.text) }))
        const known = yield* artifacts.matches(
          looked.flatMap(({ paragraphs }) => paragraphs.map(({ sha256 }) => sha256))
        )
        return looked.flatMap(({ paragraphs, record }) =>
          cutOut(record, [...ownOutput(record.text), ...paragraphs.filter(({ sha256 }) => known.has(sha256))])
        )
      })

    const textsOf = (keys: ReadonlyArray<RecordKey>) =>
      Effect.gen(function*() {
        const { at } = yield* LogReader
        const positions = yield* index.positions(connector, keys)
        const texts = yield* Effect.forEach(
          positions,
          ([key, position]) =>
            Effect.map(at(position), (line) => line.kind === "record" ? [[key, line.body.text] as const] : []),
          { concurrency: readsInFlight }
        )
        return new Map(texts.flat())
      })

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
        for (const record of part.records) if (!fits(record)) yield* warn(tooLong(part.ref, record))
        const { found, records: clean } = scrubbed(part.records.filter(fits))
        const records = yield* evidence(clean)
        const { differing, duplicates, fresh } = sift(records, yield* textsOf(records.map(({ key }) => key)))
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
