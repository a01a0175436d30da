/**
 * Manifests against the log.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { ConfiguredConnector } from "../../../services/Connectors.ts"
import { Connectors } from "../../../services/Connectors.ts"
import { ManifestStore } from "../../../services/ManifestStore.ts"
import { ProgressStore } from "../../../services/ProgressStore.ts"
import type { Finding } from "../../domain/DoctorReport.ts"
import type { ConnectorName, DocId } from "../../domain/Ids.ts"
import type { ManifestEntry } from "../../domain/Manifest.ts"
import { type Live, manifestOf } from "../../log/Live.ts"
import { plural } from "../../text/Amounts.ts"
import { about, few, repair } from "./About.ts"

type Entries = ReadonlyMap<DocId, ManifestEntry>

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
