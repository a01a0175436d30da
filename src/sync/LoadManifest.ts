/**
 * What was known of a connector's documents: its manifest where that can be trusted, else what the log says.
 *
 * A progress file is the sign that commits may be ahead of the manifest: it is there before the first of them, and goes
 * when the manifest holds them all. Without one the manifest is taken as it is, and of the log only the last line is
 * read.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import type { ConnectorName, DocId } from "../domain/Ids.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import type { ManifestError } from "../domain/StoreErrors.ts"
import { manifestOf } from "../log/Live.ts"
import { live } from "./LogView.ts"

/**
 * The entries; whether the file on disk says otherwise; how many of them a run that was cut short had committed.
 *
 * @since 0.1.0
 * @category models
 */
export interface LoadedManifest {
  readonly entries: ReadonlyMap<DocId, ManifestEntry>
  readonly differs: boolean
  readonly resumed: number
}

type Entries = ReadonlyMap<DocId, ManifestEntry>

/** The log decides which documents there are; of one and the same version the file knows the later revision. */
const overlay = (file: Entries, log: Entries): Entries =>
  new Map([...log].map(([id, entry]) => {
    const known = file.get(id)
    const same = known?.seq !== undefined && known.seq === entry.seq && known.excluded === entry.excluded
    return [id, same ? known : entry] as const
  }))

const fromLog = (connector: ConnectorName, file: Entries, cutShort: boolean) =>
  Effect.map(live, (state): LoadedManifest => {
    const entries = overlay(file, manifestOf(state, connector))
    const ahead = [...entries].filter(([id, { seq }]) => file.get(id)?.seq !== seq).length
    return { entries, differs: true, resumed: cutShort ? ahead : 0 }
  })

/**
 * @since 0.1.0
 * @category loading
 */
export const loadManifest = (
  connector: ConnectorName
): Effect.Effect<LoadedManifest, ManifestError | LogReadError, ManifestStore | ProgressStore | LogReader> =>
  Effect.gen(function*() {
    const file = yield* Effect.flatMap(ManifestStore, (store) => store.load(connector))
    const cutShort = yield* Effect.flatMap(ProgressStore, (store) => store.exists(connector))
    const last = yield* Effect.flatMap(LogReader, (reader) => reader.last)
    const end = Option.match(last, { onNone: () => 0, onSome: ({ record }) => record.seq })
    const entries: Entries = Option.getOrElse(file, () => new Map())
    if (Option.isNone(file) || cutShort) return yield* fromLog(connector, entries, cutShort)
    const ahead = [...entries.values()].some(({ seq }) => seq !== undefined && seq > end)
    if (!ahead) return { entries, differs: false, resumed: 0 }
    yield* Effect.logWarning(`the manifest of ${connector} is ahead of the log; what the log lacks is synced again`)
    return yield* fromLog(connector, entries, false)
  })
