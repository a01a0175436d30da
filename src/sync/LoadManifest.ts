/**
 * What was known of a connector's documents: its manifest where that can be trusted, else what the log says.
 *
 * A progress file is the sign that commits may be ahead of the manifest: it is there before the first of them, and goes
 * when the manifest holds them all. Without one the manifest is taken as it is, and of the log only the last line is
 * read; with one, what was written since it began.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type LogPosition, LogReader, type LogReadError } from "../../services/LogReader.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import type { ConnectorName, DocId } from "../domain/Ids.ts"
import type { ManifestEntry } from "../domain/Manifest.ts"
import type { ManifestError } from "../domain/StoreErrors.ts"
import { lastSeq } from "../log/Gap.ts"
import { manifestOf } from "../log/Live.ts"
import { live } from "./LogView.ts"
import * as ManifestTail from "./ManifestTail.ts"

/**
 * The entries; whether the file on disk says otherwise; how many of them a run that was cut short had committed; and
 * the end of the log that they hold.
 *
 * @since 0.1.0
 * @category models
 */
export interface LoadedManifest {
  readonly entries: ReadonlyMap<DocId, ManifestEntry>
  readonly differs: boolean
  readonly resumed: number
  readonly end: Option.Option<LogPosition>
}

type Entries = ReadonlyMap<DocId, ManifestEntry>

/** The log decides which documents there are; of one and the same version the file knows the later revision. */
const overlay = (file: Entries, log: Entries): Entries =>
  new Map([...log].map(([id, entry]) => {
    const known = file.get(id)
    const same = known?.seq !== undefined && known.seq === entry.seq && known.excluded === entry.excluded
    return [id, same ? known : entry] as const
  }))

const whole = (connector: ConnectorName, file: Entries) =>
  Effect.map(live, (state) => overlay(file, manifestOf(state, connector)))

const behind = (connector: ConnectorName, file: Entries, from: LogPosition) =>
  Effect.flatMap(LogReader, ({ records }) =>
    Effect.map(
      Stream.runFold(records(from), ManifestTail.from(connector, file), ManifestTail.step),
      ({ entries }): Entries => entries
    ))

/** What was written since the run that was cut short began, where that is known and the log still has the place. */
const sinceBegun = (connector: ConnectorName, file: Entries) =>
  Effect.gen(function*() {
    const lines = yield* Effect.flatMap(ProgressStore, (store) => store.load(connector))
    const [first] = lines
    const from = first !== undefined && "to_do" in first ? first.from : undefined
    if (from === undefined) return yield* whole(connector, file)
    return yield* Effect.catchTag(behind(connector, file, from), "LogDamaged", () => whole(connector, file))
  })

/**
 * @since 0.1.0
 * @category loading
 */
export const loadManifest = (
  connector: ConnectorName
): Effect.Effect<LoadedManifest, ManifestError | LogReadError, ManifestStore | ProgressStore | LogReader> =>
  Effect.gen(function*() {
    const found = yield* Effect.flatMap(ManifestStore, (store) => store.load(connector))
    const cutShort = yield* Effect.flatMap(ProgressStore, (store) => store.exists(connector))
    const last = yield* Effect.flatMap(LogReader, (reader) => reader.last)
    const seq = Option.match(last, { onNone: () => 0, onSome: ({ record }) => lastSeq(record) })
    const end = Option.map(last, ({ length, position }) => ({ ...position, offset: position.offset + length }))
    const file: Entries = Option.getOrElse(found, () => new Map())
    const ahead = [...file.values()].some((entry) => entry.seq !== undefined && entry.seq > seq)
    if (Option.isSome(found) && !cutShort && !ahead) return { entries: file, differs: false, resumed: 0, end }
    if (ahead) {
      yield* Effect.logWarning(`the manifest of ${connector} is ahead of the log; what the log lacks is synced again`)
    }
    const entries = yield* Option.isSome(found) && cutShort && !ahead
      ? sinceBegun(connector, file)
      : whole(connector, file)
    const committed = [...entries].filter(([id, entry]) => file.get(id)?.seq !== entry.seq).length
    return { entries, differs: true, resumed: cutShort ? committed : 0, end: Option.none() }
  })
