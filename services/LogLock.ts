/**
 * Looks who holds the log's lock. It takes nothing and waits for nobody: a check that something is wrong, not the lock
 * itself.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LogFsError, LogLocked } from "../src/domain/LogErrors.ts"

/**
 * `Held` names the holder as a refusal would; `here` is whether it is a process of this host. `Left` is a lock that
 * nobody holds: its process is gone, or never finished it.
 *
 * @since 0.1.0
 * @category models
 */
export type LockState =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Held"; readonly holder: LogLocked; readonly here: boolean }
  | { readonly _tag: "Left"; readonly path: string }

/**
 * @since 0.1.0
 * @category tags
 */
export class LogLock extends Context.Tag("mem/LogLock")<LogLock, {
  readonly state: Effect.Effect<LockState, LogFsError>
}>() {}
