/**
 * `mem doctor`: every check that can be made. The log against itself, manifests and index against the log, sources
 * whether they can be read. By readers alone; what goes wrong with one check is a finding, and the others go on.
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
import { LogReader } from "../../services/LogReader.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { Projection } from "../../services/Projection.ts"
import { type Check, Finding, type FindingLevel } from "../domain/DoctorReport.ts"
import type { ConnectorName, DocId } from "../domain/Ids.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import { apply, empty, type Live, manifestOf } from "../log/Live.ts"
import { catchUp } from "./CatchUp.ts"
import { readListing } from "./ReadListing.ts"
import { digest } from "./rebuild.ts"

type Entries = ReadonlyMap<DocId, ManifestEntry>

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`

const about = (check: Check, subject?: string) => (level: FindingLevel, message: string, advice?: string): Finding =>
  new Finding({
    check,
    level,
    ...(subject === undefined ? {} : { subject }),
    message,
    ...(advice === undefined ? {} : { advice })
  })

const repair = "run \"mem doctor --repair\""

/** The log's state, where all of it is good. */
interface CheckedLog {
  readonly findings: ReadonlyArray<Finding>
  readonly live: Option.Option<Live>
}

const ofLog = about("log")

/**
 * Every line of the log, from first to last.
 *
 * @since 0.1.0
 * @category checks
 */
export const checkLog: Effect.Effect<CheckedLog, never, LogReader> = Effect.gen(function*() {
  const reader = yield* LogReader
  const segments = yield* reader.segments
  const read = yield* Stream.runFold(
    reader.records(),
    { live: empty, records: 0, good: 0 },
    ({ good, live, records }, line) => ({
      live: apply(live, line)[0],
      records: records + 1,
      good: good + line.length
    })
  )
  const torn = segments.reduce((sum, { bytes }) => sum + bytes, 0) - read.good
  return {
    live: Option.some(read.live),
    findings: [
      ofLog(
        "ok",
        `${plural(read.records, "record")} in ${plural(segments.length, "segment")}, all checksums are right`
      ),
      ...(torn > 0
        ? [ofLog("note", `it ends in ${torn} bytes of a write that was never finished; the next sync moves them aside`)]
        : [])
    ]
  }
}).pipe(
  Effect.catchAll((error) =>
    Effect.succeed({
      live: Option.none<Live>(),
      findings: [
        error._tag === "LogDamaged"
          ? ofLog(
            "damage",
            `${error.path} is damaged at byte ${error.offset}: ${error.detail}`,
            "keep a copy of the folder log as it is; what stands before that place can still be read and searched. "
              + "This version cannot mend a log yet"
          )
          : ofLog("problem", error.message)
      ]
    })
  )
)

const same = (file: ManifestEntry | undefined, log: ManifestEntry | undefined): boolean =>
  file !== undefined && log !== undefined && file.content_hash === log.content_hash
  && file.chunk_count === log.chunk_count && file.excluded === log.excluded
  && (file.seq === undefined || file.seq === log.seq)

/**
 * The documents of which manifest and log do not say the same.
 *
 * @since 0.1.0
 * @category comparing
 */
export const differing = (file: Entries, log: Entries): ReadonlyArray<DocId> =>
  [...new Set([...file.keys(), ...log.keys()])].filter((id) => !same(file.get(id), log.get(id))).sort()

/**
 * The manifest as the log has it. Of one and the same version the file knows the later revision.
 *
 * @since 0.1.0
 * @category comparing
 */
export const mended = (file: Entries, log: Entries): Entries =>
  new Map([...log].map(([id, entry]) => {
    const known = file.get(id)
    return [id, known !== undefined && same(known, entry) ? known : entry] as const
  }))

const few = (ids: ReadonlyArray<string>): string =>
  ids.slice(0, 3).join(", ") + (ids.length > 3 ? ` and ${ids.length - 3} more` : "")

const checkManifest = (name: ConnectorName, live: Live) =>
  Effect.gen(function*() {
    const of = about("manifest", name)
    const file = yield* Effect.flatMap(ManifestStore, ({ load }) => load(name))
    const log = manifestOf(live, name)
    if (yield* Effect.flatMap(ProgressStore, ({ exists }) => exists(name))) {
      return of("note", "a sync runs now, or was cut short: the next one goes on from the log")
    }
    if (Option.isNone(file)) {
      return log.size === 0
        ? of("note", "nothing was synced yet")
        : of(
          "problem",
          `it is missing or garbled, and the log has ${plural(log.size, "document")}`,
          `${repair}, or the next sync reads it from the log`
        )
    }
    const ids = differing(file.value, log)
    return ids.length === 0
      ? of("ok", `${plural(log.size, "document")}, as in the log`)
      : of("problem", `it differs from the log in ${plural(ids.length, "document")}: ${few(ids)}`, repair)
  }).pipe(
    Effect.catchAll(({ message }) => Effect.succeed(about("manifest", name)("problem", message)))
  )

/** Of a connector that is configured no more, too. */
const namesIn = (live: Live, configured: ReadonlyArray<ConfiguredConnector>): ReadonlyArray<ConnectorName> => [
  ...new Set([
    ...configured.map(({ name }) => name),
    ...[...HashMap.values(live.documents)].map(({ commit }) => commit.connector)
  ])
]

/**
 * The manifest of each connector against the log.
 *
 * @since 0.1.0
 * @category checks
 */
export const checkManifests = (
  live: Live
): Effect.Effect<ReadonlyArray<Finding>, never, Connectors | ManifestStore | ProgressStore> =>
  Effect.flatMap(
    Connectors,
    ({ configured }) => Effect.forEach(namesIn(live, configured), (name) => checkManifest(name, live))
  )

const ofIndex = about("index")
const again = `${repair}, "mem sync" or "mem rebuild --from-log"`

/**
 * The index against a fold of the log that was made just now, in `fresh`.
 *
 * @since 0.1.0
 * @category checks
 */
export const checkIndex = (
  live: Live,
  fresh: Effect.Effect<Projection["Type"]>
): Effect.Effect<Finding, never, LogReader | Projection> =>
  Effect.gen(function*() {
    if (Option.isNone(live.last)) return ofIndex("note", "there is nothing to search yet")
    // What would be a warning to a reader of the index is a finding here.
    const { behind, state } = yield* Effect.flatMap(Projection, ({ status }) => status).pipe(
      Logger.withMinimumLogLevel(LogLevel.None)
    )
    switch (state) {
      case "missing":
        return ofIndex("problem", "it is not there; searching makes one in memory each time", again)
      case "foreign":
        return ofIndex("problem", "it was made from another log, and is not used", again)
      case "damaged":
        return ofIndex("problem", "it is damaged, and is not used", again)
      case "behind":
        return ofIndex("note", `it is ${plural(behind, "record")} behind the log; the next sync brings it up`)
      case "current": {
        const found = yield* digest
        const projection = yield* fresh
        const wanted = yield* Effect.zipRight(catchUp, digest).pipe(Effect.provideService(Projection, projection))
        return found.state_sha256 === wanted.state_sha256
          ? ofIndex("ok", `${plural(found.live_chunks, "passage")}, as the log has them`)
          : ofIndex("problem", "it does not say what the log says", again)
      }
    }
  }).pipe(Effect.catchAll(({ message }) => Effect.succeed(ofIndex("problem", message, again))))

const checkSource = ({ name }: ConfiguredConnector) =>
  Effect.scoped(Effect.gen(function*() {
    const of = about("source", name)
    const connector = yield* Effect.flatMap(Connectors, ({ get }) => get(name))
    const known = yield* Effect.flatMap(ManifestStore, ({ load }) => load(name))
    const listing = yield* connector.list(Option.getOrElse(known, () => new Map()))
    const { refs, roots, skipped } = yield* readListing(listing)
    const bad = roots.filter(({ status }) => status !== "readable")
    if (bad.length > 0) {
      return of(
        "problem",
        bad.map(({ status, uri }) => `${uri} is ${status}`).join(", "),
        "make it readable, or take it out of connectors.yaml"
      )
    }
    if (refs.size === 0) return of("note", "no document is there; see its options in connectors.yaml")
    return of("ok", `${plural(refs.size, "document")} can be listed, ${skipped.size} left out`)
  })).pipe(
    Effect.catchAll(({ message }) => Effect.succeed(about("source", name)("problem", message)))
  )

/**
 * Each source: whether it opens, and can be listed to its end.
 *
 * @since 0.1.0
 * @category checks
 */
export const checkSources: Effect.Effect<ReadonlyArray<Finding>, never, Connectors | ManifestStore> = Effect.flatMap(
  Connectors,
  ({ configured }) => Effect.forEach(configured, checkSource, { concurrency: 4 })
)

/**
 * All of them. `fresh` makes an empty projection, to fold the log into.
 *
 * @since 0.1.0
 * @category programs
 */
export const doctor = (
  fresh: Effect.Effect<Projection["Type"]>
): Effect.Effect<
  ReadonlyArray<Finding>,
  never,
  Connectors | LogReader | ManifestStore | ProgressStore | Projection
> =>
  Effect.gen(function*() {
    const log = yield* checkLog
    const derived = yield* Option.match(log.live, {
      onNone: () => Effect.succeed([]),
      onSome: (live) =>
        Effect.map(
          Effect.all([checkManifests(live), checkIndex(live, fresh)]),
          ([manifests, index]) => [...manifests, index]
        )
    })
    return [...log.findings, ...derived, ...(yield* checkSources)]
  })
