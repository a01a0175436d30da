/**
 * Manifests as files: `<home>/log/connectors/<name>.manifest.jsonl`, an entry a line, sorted by id, and
 * `<name>.failed.jsonl` beside it. Each is replaced in one step.
 *
 * Reading never writes: a garbled manifest is moved aside, to `.bad`, by the save that replaces it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { LogFs } from "../../services/LogFs.ts"
import { ManifestStore } from "../../services/ManifestStore.ts"
import { Cursor } from "../../src/domain/Cursor.ts"
import type { ConnectorName, DocId } from "../../src/domain/Ids.ts"
import { FailedEntry, ManifestEntry } from "../../src/domain/Manifest.ts"
import { connectorFile, ifNotFound, orManifestError, replace } from "./AtomicFile.ts"
import { read, slices } from "./JsonLines.ts"

/** JSON.stringify takes of nested objects, too, only the members that it is told. */
const cursorMembers = Object.keys(Cursor.fields)

/**
 * `home` is the memory home, the folder that holds `log`.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly home: string
}

interface Keyed {
  readonly doc_id: DocId
}

/** Whole, or nothing: a line that cannot be read, or an id that comes twice, makes all of it doubtful. */
const keyed = <A extends Keyed, E>(
  lines: Stream.Stream<Option.Option<A>, E>
): Effect.Effect<Option.Option<ReadonlyMap<DocId, A>>, E> =>
  Effect.suspend(() => {
    const entries = new Map<DocId, A>()
    const add = (line: Option.Option<A>): boolean =>
      Option.exists(line, (entry) => !entries.has(entry.doc_id) && entries.set(entry.doc_id, entry).size > 0)
    return Effect.map(
      Stream.runFold(lines, true, (whole, line) => add(line) && whole),
      (whole) => whole ? Option.some(entries) : Option.none()
    )
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ home }: Options): Effect.Effect<ManifestStore["Type"], never, LogFs> =>
  Effect.gen(function*() {
    const fs = yield* LogFs
    const turn = yield* Effect.makeSemaphore(1)
    /** Whether the manifest on disk is garbled, as far as it was looked at. */
    const garbled = new Map<ConnectorName, boolean>()

    const entriesOf = <A extends Keyed, I>(path: string, schema: Schema.Schema<A, I>) =>
      keyed(read(fs, path, schema)).pipe(
        Effect.map((entries) => ({ missing: false, entries })),
        ifNotFound(() => Effect.succeed({ missing: true, entries: Option.none<ReadonlyMap<DocId, A>>() })),
        orManifestError(path, "read")
      )

    const write = (
      path: string,
      schema: { readonly fields: object },
      entries: ReadonlyMap<DocId, object>,
      aside?: string
    ) =>
      Effect.suspend(() => replace(fs, path, slices([...Object.keys(schema.fields), ...cursorMembers], entries), aside))
        .pipe(
          orManifestError(path, "write")
        )

    const load: ManifestStore["Type"]["load"] = (connector) =>
      Effect.map(
        entriesOf(connectorFile(home, connector, "manifest"), ManifestEntry),
        ({ entries, missing }) => {
          garbled.set(connector, !missing && Option.isNone(entries))
          return entries
        }
      )

    return ManifestStore.of({
      load,
      save: (connector, entries) =>
        turn.withPermits(1)(Effect.gen(function*() {
          const path = connectorFile(home, connector, "manifest")
          if (!garbled.has(connector)) yield* load(connector)
          yield* write(path, ManifestEntry, entries, garbled.get(connector) === true ? `${path}.bad` : undefined)
          garbled.set(connector, false)
        })),
      loadFailed: (connector) =>
        Effect.map(
          entriesOf(connectorFile(home, connector, "failed"), FailedEntry),
          ({ entries }) => Option.getOrElse(entries, () => new Map<DocId, FailedEntry>())
        ),
      saveFailed: (connector, entries) =>
        turn.withPermits(1)(write(connectorFile(home, connector, "failed"), FailedEntry, entries))
    })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<ManifestStore, never, LogFs> =>
  Layer.effect(ManifestStore, make(options))
