/**
 * Notes, before the first commit of a run, that commits may be ahead of the manifest from here on, and from where in
 * the log.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ProgressStore } from "../../services/ProgressStore.ts"
import type { ConnectorName } from "../domain/Ids.ts"
import type { ManifestError } from "../domain/StoreErrors.ts"
import type { LoadedManifest } from "./LoadManifest.ts"

/**
 * `to_do` is how many documents the run is about to store.
 *
 * @since 0.1.0
 * @category programs
 */
export const beginRun = (
  connector: ConnectorName,
  { end }: Pick<LoadedManifest, "end">,
  to_do: number
): Effect.Effect<void, ManifestError, ProgressStore> =>
  Effect.gen(function*() {
    const { append, begin } = yield* ProgressStore
    yield* begin(connector)
    yield* append(connector, { to_do, ...Option.match(end, { onNone: () => ({}), onSome: (from) => ({ from }) }) })
  })
