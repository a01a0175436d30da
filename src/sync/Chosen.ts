/**
 * Which of the configured connectors a run is about.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ConfiguredConnector, Connectors } from "../../services/Connectors.ts"
import { ConnectorName } from "../domain/Ids.ts"

/**
 * A connector was named that is not configured.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnknownConnector extends Schema.TaggedError<UnknownConnector>("mem/UnknownConnector")("UnknownConnector", {
  connector: ConnectorName,
  configured: Schema.Array(ConnectorName)
}) {
  override get message(): string {
    const known = this.configured.length === 0 ? "none is configured" : `there are ${this.configured.join(", ")}`
    return `there is no connector "${this.connector}": ${known}; name one of them, or configure it`
  }
}

/**
 * Those that are named, in the order of the configuration; all of them where nothing is said.
 *
 * @since 0.1.0
 * @category programs
 */
export const chosen = (
  only: ReadonlyArray<ConnectorName> | undefined
): Effect.Effect<ReadonlyArray<ConfiguredConnector>, UnknownConnector, Connectors> =>
  Effect.gen(function*() {
    const { configured } = yield* Connectors
    if (only === undefined) return configured
    const names = configured.map(({ name }) => name)
    const unknown = only.find((name) => !names.includes(name))
    if (unknown !== undefined) return yield* new UnknownConnector({ connector: unknown, configured: names })
    return configured.filter(({ name }) => only.includes(name))
  })
