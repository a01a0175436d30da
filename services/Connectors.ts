/**
 * The configured connectors, by name. Each is opened on its own and fails alone.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ConnectorError } from "../src/domain/ConnectorErrors.ts"
import type { ConnectorName } from "../src/domain/Ids.ts"
import type { SourceType } from "../src/domain/SyncReport.ts"
import type { SourceConnector } from "./SourceConnector.ts"

/**
 * What is known of a connector before it is opened.
 *
 * @since 0.1.0
 * @category models
 */
export interface ConfiguredConnector {
  readonly name: ConnectorName
  readonly kind: string
  readonly source_type: SourceType
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Connectors extends Context.Tag("mem/Connectors")<Connectors, {
  /** All of them, in the order of the configuration. */
  readonly configured: ReadonlyArray<ConfiguredConnector>
  /** The instance of that name, opened once and shared until the scopes that asked for it close. */
  readonly get: (name: ConnectorName) => Effect.Effect<SourceConnector["Type"], ConnectorError, Scope.Scope>
}>() {}
