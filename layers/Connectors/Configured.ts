/**
 * The connectors of a `connectors.yaml`. A kind that nobody knows is a mistake of the file, and nothing is done;
 * whatever else is wrong with a connector shows when it is opened, and stops no other one.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import { ConnectorKinds, type RegisteredKind } from "../../services/ConnectorKinds.ts"
import { type ConfiguredConnector, Connectors } from "../../services/Connectors.ts"
import type { FetchLimits, SourceConnector } from "../../services/SourceConnector.ts"
import { keyPath } from "../../src/config/KeyPath.ts"
import { Origin } from "../../src/config/Origin.ts"
import { ConnectorError, ConnectorsFileError } from "../../src/domain/ConnectorErrors.ts"
import type { ConnectorOptions, ConnectorsFile } from "../../src/domain/ConnectorsFile.ts"
import type { ConnectorName } from "../../src/domain/Ids.ts"

const quoted = (names: Iterable<string>): string => [...names].map((name) => JSON.stringify(name)).join(", ")

const withLimits = (connector: SourceConnector["Type"], limits: FetchLimits): SourceConnector["Type"] => {
  const { kind, name } = connector
  const list: typeof connector.list = (known) => connector.list(known)
  return connector.source_type === "document"
    ? { source_type: "document", name, kind, limits, list, fetch: (ref) => connector.fetch(ref) }
    : { source_type: "session", name, kind, limits, list, records: (ref, cursor) => connector.records(ref, cursor) }
}

/**
 * Opens nothing yet. What the file says of limits goes before the kind's own; the last scope that holds a connector
 * closes it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  file: ConnectorsFile
): Effect.Effect<Connectors["Type"], ConnectorsFileError, ConnectorKinds | Scope.Scope> =>
  Effect.gen(function*() {
    const kinds = yield* ConnectorKinds
    const kindAt = (
      path: ReadonlyArray<string>,
      kind: string
    ): Effect.Effect<RegisteredKind, ConnectorsFileError> =>
      Option.match(kinds.get(kind), {
        onSome: Effect.succeed,
        onNone: () =>
          new ConnectorsFileError({
            file: file.file,
            line: file.lineOf(path),
            key_path: keyPath(path),
            detail: `there is no kind of connector ${JSON.stringify(kind)}; known: ${quoted(kinds.names)}`
          })
      })

    yield* Effect.forEach(file.chunking.keys(), (kind) => kindAt(["chunking", kind], kind))
    const entries = yield* Effect.forEach(file.connectors, (options) =>
      Effect.gen(function*() {
        const kind = yield* kindAt(["connectors", options.name, "kind"], options.kind)
        const path = ["connectors", options.name, "scrub"]
        if (options.scrub !== undefined && kind.source_type === "document") {
          return yield* new ConnectorsFileError({
            file: file.file,
            line: file.lineOf(path),
            key_path: keyPath(path),
            detail: `secrets are taken out of sessions only, and ${kind.kind} has documents`
          })
        }
        return [options.name, { kind, options }] as const
      }))
    const byName: ReadonlyMap<ConnectorName, { readonly kind: RegisteredKind; readonly options: ConnectorOptions }> =
      new Map(entries)
    const origin = { file: file.file, lineOf: (path: ReadonlyArray<PropertyKey>) => file.lineOf(path) }

    const instances = yield* RcMap.make({
      lookup: (name: ConnectorName) => {
        const entry = byName.get(name)
        return entry === undefined
          ? new ConnectorError({
            connector: name,
            operation: "open",
            detail: `${file.file} has no connector of this name`,
            advice: byName.size === 0 ? "add one there" : `choose one of ${quoted(byName.keys())}, or add it there`,
            retryable: false
          })
          : entry.kind.open(name, entry.options.options).pipe(
            Effect.provideService(Origin, origin),
            Effect.map((connector) => withLimits(connector, { ...connector.limits, ...entry.options.limits }))
          )
      }
    })

    return Connectors.of({
      configured: entries.map(([name, { kind }]): ConfiguredConnector => ({
        name,
        kind: kind.kind,
        source_type: kind.source_type
      })),
      get: (name) => RcMap.get(instances, name)
    })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (file: ConnectorsFile): Layer.Layer<Connectors, ConnectorsFileError, ConnectorKinds> =>
  Layer.scoped(Connectors, make(file))
