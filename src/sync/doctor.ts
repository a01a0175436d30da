/**
 * `mem doctor`: every check that can be made. The log against itself, manifests and index against the log, sources
 * whether they can be read. By readers alone; what goes wrong with one check is a finding, and the others go on.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Connectors } from "../../services/Connectors.ts"
import type { LogLock } from "../../services/LogLock.ts"
import type { LogReader } from "../../services/LogReader.ts"
import type { ManifestStore } from "../../services/ManifestStore.ts"
import type { ProgressStore } from "../../services/ProgressStore.ts"
import type { Projection } from "../../services/Projection.ts"
import type { Finding } from "../domain/DoctorReport.ts"
import { checkIndex } from "./checks/IndexCheck.ts"
import { checkLock } from "./checks/LockCheck.ts"
import { checkLog } from "./checks/LogCheck.ts"
import { checkManifests } from "./checks/ManifestCheck.ts"
import { checkSources } from "./checks/SourceCheck.ts"

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
  Connectors | LogLock | LogReader | ManifestStore | ProgressStore | Projection
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
    return [...log.findings, yield* checkLock, ...derived, ...(yield* checkSources)]
  })
