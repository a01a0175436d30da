/**
 * Whether somebody writes to the log now, or seems to.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { LogLock } from "../../../services/LogLock.ts"
import type { Finding } from "../../domain/DoctorReport.ts"
import { about } from "./About.ts"

const ofLock = about("lock")

/**
 * @since 0.1.0
 * @category checks
 */
export const checkLock: Effect.Effect<Finding, never, LogLock> = Effect.flatMap(LogLock, ({ state }) => state).pipe(
  Effect.map((state) => {
    switch (state._tag) {
      case "Free":
        return ofLock("ok", "nobody writes to the log now")
      case "Left":
        return ofLock("note", "it was left by a process that is gone; the next sync takes it over")
      case "Held": {
        const { command, host, path, pid, started_at } = state.holder
        const who = `process ${pid} ("${command}", since ${started_at})`
        return state.here
          ? ofLock("note", `${who} writes to the log now`)
          : ofLock(
            "note",
            `${who} of ${host} holds it, and from here nobody can tell whether that still runs`,
            `if it does not, remove ${path}: another host's lock is never taken over`
          )
      }
    }
  }),
  Effect.catchAll(({ message }) => Effect.succeed(ofLock("problem", message)))
)
