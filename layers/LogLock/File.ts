/**
 * The lock as the file that it is, `log/LOCK`, judged as a writer would judge it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { LogFs } from "../../services/LogFs.ts"
import { type LockState, LogLock } from "../../services/LogLock.ts"
import { contentOf, worthOf } from "../Log/LockFile.ts"
import { pathsOf } from "../Log/Paths.ts"
import * as Processes from "../Log/Processes.ts"

/**
 * `home` is the memory home, the folder that holds `log`; `processes` are those of this host.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly home: string
  readonly processes?: Processes.Processes
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  { home, processes = Processes.live }: Options
): Effect.Effect<LogLock["Type"], never, LogFs> =>
  Effect.map(LogFs, (fs) => {
    const path = pathsOf(home).lock
    return LogLock.of({
      state: Effect.gen(function*() {
        const found = yield* contentOf(fs, path)
        if (Option.isNone(found)) return { _tag: "Free" } satisfies LockState
        const worth = yield* worthOf(processes, path, found.value)
        return worth._tag === "Held"
          ? { _tag: "Held", holder: worth.error, here: worth.error.host === processes.self.host } satisfies LockState
          : { _tag: "Left", path } satisfies LockState
      })
    })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LogLock, never, LogFs> => Layer.effect(LogLock, make(options))
