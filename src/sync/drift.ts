/**
 * `mem drift`: what a sync would do, and with `estimate` what it would cost. The same comparison as a sync's, by
 * readers alone: it cannot write, lock or embed, by type.
 *
 * The estimate is exact, not a rule of thumb: it fetches what a sync would fetch, cuts it, and asks the embedder which
 * of the texts it would have to be given.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type ConfiguredConnector, Connectors } from "../../services/Connectors.ts"
import { Embedder } from "../../services/Embedder.ts"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import type { ProgressStore } from "../../services/ProgressStore.ts"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
import type { ConnectorError } from "../domain/ConnectorErrors.ts"
import { ConnectorDrift, DriftDocuments, DriftReport, Estimate } from "../domain/Drift.ts"
import type { EmbedderError } from "../domain/EmbedderErrors.ts"
import type { ConnectorName } from "../domain/Ids.ts"
import type { ManifestError } from "../domain/StoreErrors.ts"
import { ReportedError, SkippedDocument } from "../domain/SyncReport.ts"
import type { Ahead } from "../memory/Ahead.ts"
import { chosen, type UnknownConnector } from "./Chosen.ts"
import { type Diff, diff, type Known, type Listed } from "./Diff.ts"
import { type Chunking, chunking, type DocumentPolicy, type Piece } from "./DocumentPolicy.ts"
import { type GuardOptions, refusal } from "./Guard.ts"
import { loadManifest } from "./LoadManifest.ts"
import { live } from "./LogView.ts"
import { prepare } from "./Prepare.ts"
import { readListing, unreadableRoots } from "./ReadListing.ts"
import { bytesAhead, estimate as estimateSessions } from "./session/SessionDrift.ts"
import { compare } from "./session/SessionRun.ts"
import { type Prepared, tasksOf } from "./Work.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface DriftOptions {
  /** The connectors to look at; all of them where it is absent. */
  readonly only?: ReadonlyArray<ConnectorName>
  readonly policyOf: (connector: ConfiguredConnector) => DocumentPolicy
  /** Whether secrets are taken out of a connector's sessions: they are where it is absent. */
  readonly scrubOf?: (connector: ConfiguredConnector) => boolean
  readonly guards: GuardOptions
  readonly maxDocumentBytes: number
  readonly estimate: boolean
  /** Is told what would be archived of sessions, with `estimate`. */
  readonly ahead?: Ahead
}

/**
 * Whatever ends a drift.
 *
 * @since 0.1.0
 * @category errors
 */
export type DriftError = LogReadError | ManifestError | EmbedderError | UnknownConnector

type Readers = Embedder | LogReader | ManifestStore | ProgressStore

interface Cost {
  readonly documents: number
  readonly passages: number
  readonly tokens: number
  readonly embedTokens: number
}

const nothing: Cost = { documents: 0, passages: 0, tokens: 0, embedTokens: 0 }

const sum = (pieces: Iterable<Piece>): number => {
  let tokens = 0
  for (const { passage } of pieces) tokens += passage.tokens
  return tokens
}

/** `seen` are the texts that are counted already; it grows, for a copy a document would be quadratic. */
const addDocument =
  (embedder: Embedder["Type"], seen: Set<string>) =>
  (cost: Cost, { pieces }: Prepared): Effect.Effect<Cost, EmbedderError> =>
    Effect.gen(function*() {
      const missing = new Set(yield* embedder.missing(pieces.map(({ text }) => text).filter((text) => text !== "")))
      const asked = pieces.filter(({ embed_sha256, text }) => missing.has(text) && !seen.has(embed_sha256))
      const once = new Map(asked.map((piece) => [piece.embed_sha256, piece]))
      for (const sha of once.keys()) seen.add(sha)
      return {
        documents: cost.documents + 1,
        passages: cost.passages + pieces.length,
        tokens: cost.tokens + sum(pieces),
        embedTokens: cost.embedTokens + sum(once.values())
      }
    })

const estimate = (connector: DocumentConnector, changes: Diff, cut: Chunking, options: DriftOptions) =>
  Effect.gen(function*() {
    const embedder = yield* Embedder
    const { maxDocumentBytes } = options
    const one = prepare({
      connector,
      chunking: cut,
      live: yield* Effect.cached(live),
      maxDocumentBytes,
      embedder: embedder.fingerprint,
      pace: identity
    })
    const texts = new Set<string>()
    const cost = yield* Stream.fromIterable(tasksOf(changes)).pipe(
      Stream.mapEffect(one, { concurrency: connector.limits.max_concurrent_fetches, unordered: true }),
      Stream.filterMap(Either.getRight),
      Stream.runFoldEffect(nothing, addDocument(embedder, texts))
    )
    const price = embedder.usd_per_million_tokens
    return new Estimate({
      documents: cost.documents,
      passages: cost.passages,
      tokens: cost.tokens,
      embed_texts: texts.size,
      ...(price === undefined ? {} : { cost_usd: cost.embedTokens * price / 1_000_000 })
    })
  })

const none = new DriftDocuments({ new: [], changed: [], stale: [], moved: [], removed: [] })

const failed = ({ name }: ConfiguredConnector, error: ReportedError): ConnectorDrift =>
  new ConnectorDrift({
    name,
    status: "failed",
    error,
    new: 0,
    changed: 0,
    stale: 0,
    moved: 0,
    unchanged: 0,
    removed: 0,
    documents: none
  })

const described = (name: ConnectorName, known: Known, listed: Listed, changes: Diff, options: DriftOptions) => {
  const refused = refusal(known, listed, changes, options.guards)
  const error = Option.orElse(
    Option.map(refused, (message) => new ReportedError({ code: "MassRemoval", message })),
    () => Option.map(unreadableRoots(listed), ({ error }) => error)
  )
  const removed = [...changes.removed, ...changes.outside]
  return {
    name,
    status: Option.isSome(refused) ? "refused" as const : "ok" as const,
    ...(Option.isNone(error) ? {} : { error: error.value }),
    new: changes.new.length,
    changed: changes.changed.length,
    stale: changes.stale.length,
    moved: changes.moved.length,
    unchanged: changes.unchanged.length,
    removed: removed.length,
    documents: new DriftDocuments({
      new: changes.new.map(({ doc_id }) => doc_id),
      changed: changes.changed.map(({ ref }) => ref.doc_id),
      stale: changes.stale.map(({ ref }) => ref.doc_id),
      moved: changes.moved.map(({ ref }) => ref.doc_id),
      removed: removed.map(({ doc_id }) => doc_id)
    }),
    skipped: changes.skipped.map(({ doc_id, reason }) => new SkippedDocument({ doc_id, reason })),
    ...(listed.remark === undefined ? {} : { remark: listed.remark })
  }
}

const one = (
  configured: ConfiguredConnector,
  options: DriftOptions
): Effect.Effect<ConnectorDrift, DriftError | ConnectorError, Connectors | Readers> =>
  Effect.scoped(Effect.gen(function*() {
    const connector = yield* Effect.flatMap(Connectors, ({ get }) => get(configured.name))
    const manifests = yield* ManifestStore
    const embedder = yield* Embedder
    const { entries } = yield* loadManifest(configured.name)
    const known: Known = { entries, failed: yield* manifests.loadFailed(configured.name) }
    const listed = yield* Effect.flatMap(connector.list(entries), readListing)
    const unreadable = unreadableRoots(listed)
    if (Option.isSome(unreadable) && unreadable.value.all) return failed(configured, unreadable.value.error)
    if (connector.source_type === "session") {
      const { changes, tasks } = compare(known, listed)
      const found = { ...described(configured.name, known, listed, changes, options), bytes: bytesAhead(tasks) }
      const given = { scrub: options.scrubOf?.(configured) ?? true, ahead: options.ahead }
      return options.estimate
        ? new ConnectorDrift({ ...found, estimate: yield* estimateSessions(connector, tasks, given) })
        : new ConnectorDrift(found)
    }
    const cut = chunking(options.policyOf(configured), embedder.counter)
    const changes = diff(known, listed, {
      pipelineOf: cut.pipelineOf,
      embedder: embedder.fingerprint,
      maxDocumentBytes: options.maxDocumentBytes
    })
    const found = described(configured.name, known, listed, changes, options)
    return options.estimate
      ? new ConnectorDrift({ ...found, estimate: yield* estimate(connector, changes, cut, options) })
      : new ConnectorDrift(found)
  }))

const drifts = (drift: ConnectorDrift): boolean =>
  drift.new + drift.changed + drift.stale + drift.moved + drift.removed > 0

/**
 * What a sync with the same options would do.
 *
 * @since 0.1.0
 * @category programs
 */
export const drift = (options: DriftOptions): Effect.Effect<DriftReport, DriftError, Connectors | Readers> =>
  Effect.gen(function*() {
    const wanted = yield* chosen(options.only)
    const connectors = yield* Effect.forEach(
      wanted,
      (connector) =>
        Effect.catchTag(
          one(connector, options),
          "ConnectorError",
          ({ _tag, message }) => Effect.succeed(failed(connector, new ReportedError({ code: _tag, message })))
        )
    )
    return new DriftReport({
      command: "drift",
      ok: connectors.every(({ status }) => status === "ok"),
      drift: connectors.some(drifts),
      connectors
    })
  })
