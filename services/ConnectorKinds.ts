/**
 * The kinds of connector that can be configured. An app that embeds mem adds its own.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { ConnectorError } from "../src/domain/ConnectorErrors.ts"
import type { ConnectorName } from "../src/domain/Ids.ts"
import type { SourceType } from "../src/domain/SyncReport.ts"
import type { SourceConnector } from "./SourceConnector.ts"

/**
 * A kind of connector: its word in `connectors.yaml`, the options it takes there, and how an instance is made. What
 * an instance holds open is released with the scope. A secret is asked for in `make`, never before.
 *
 * @since 0.1.0
 * @category models
 */
export interface ConnectorKind<Config, Encoded> {
  readonly kind: string
  readonly source_type: SourceType
  readonly config: Schema.Schema<Config, Encoded>
  readonly make: (
    name: ConnectorName,
    config: Config
  ) => Effect.Effect<SourceConnector["Type"], ConnectorError, Scope.Scope>
}

/**
 * A kind as it stands in the collection: `open` decodes the options by the kind's own schema and makes the instance,
 * so the collection need not know the type of anybody's options.
 *
 * @since 0.1.0
 * @category models
 */
export interface RegisteredKind {
  readonly kind: string
  readonly source_type: SourceType
  readonly open: (
    name: ConnectorName,
    options: unknown
  ) => Effect.Effect<SourceConnector["Type"], ConnectorError, Scope.Scope>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class ConnectorKinds extends Context.Tag("mem/ConnectorKinds")<ConnectorKinds, {
  /** The words that may stand behind `kind:`, sorted. */
  readonly names: ReadonlyArray<string>
  readonly get: (kind: string) => Option.Option<RegisteredKind>
}>() {}
