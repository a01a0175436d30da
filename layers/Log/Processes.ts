/**
 * Who this process is, and whether another one still lives: what a lock has to know. A process id alone says little,
 * since the system gives it out again; with the boot and the start time it names one process for good.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import process from "node:process"

/**
 * A process, as a lock file names it. `boot_id` and `start_ticks` are empty where the system does not tell them.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ProcessIdentity extends Schema.Class<ProcessIdentity>("mem/ProcessIdentity")({
  pid: Schema.Int,
  boot_id: Schema.String,
  start_ticks: Schema.String,
  host: Schema.String,
  command: Schema.String
}) {}

/**
 * This process, and what can be told of others on this host.
 *
 * @since 0.1.0
 * @category models
 */
export interface Processes {
  readonly self: ProcessIdentity
  /** Whether that process of this host still runs. In doubt it does. */
  readonly lives: (other: ProcessIdentity) => Effect.Effect<boolean>
}

const readText = (path: string): Option.Option<string> =>
  Option.liftThrowable(() => readFileSync(path, "utf8").trim())()

/** Of a process that has ended, and that its parent has not yet asked about. */
const ended: ReadonlySet<string | undefined> = new Set(["Z", "X"])

/**
 * Field 22 of `/proc/PID/stat`, counted behind the command, which may hold blanks and brackets itself. None of a process
 * that has ended.
 */
const startTicks = (pid: number): Option.Option<string> =>
  Option.flatMap(readText(`/proc/${pid}/stat`), (stat) => {
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return ended.has(state) ? Option.none() : Option.fromNullable(fields[18])
  })

/** Only "no such process" says that there is none: one of another user's lives, and may not be signalled. */
const answersSignals = (pid: number): boolean =>
  Either.match(Either.try(() => process.kill(pid, 0)), {
    onLeft: (error) => !(Predicate.hasProperty(error, "code") && error.code === "ESRCH"),
    onRight: () => true
  })

const bootId = (): string => Option.getOrElse(readText("/proc/sys/kernel/random/boot_id"), () => "")

const describe = (pid: number): ProcessIdentity =>
  new ProcessIdentity({
    pid,
    boot_id: bootId(),
    start_ticks: Option.getOrElse(startTicks(pid), () => ""),
    host: hostname(),
    command: process.argv.slice(1).join(" ")
  })

/**
 * As the operating system tells it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const live: Processes = {
  // Looked at by who needs it: most commands take no lock.
  get self() {
    return describe(process.pid)
  },
  lives: (other) =>
    Effect.sync(() => {
      if (other.boot_id !== bootId()) return false
      return other.start_ticks === ""
        ? answersSignals(other.pid)
        : Option.contains(startTicks(other.pid), other.start_ticks)
    })
}
