/**
 * What can go wrong with the log. Each of these ends the run; none is ever caught as one document's failure.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Why the file system refused: the disk is full, a quota or size limit is reached, the device failed, the place is
 * read-only or not permitted, too many files are open, it is not there, or something else.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FsReason = Schema.Literal(
  "NoSpace",
  "Quota",
  "FileTooLarge",
  "DeviceError",
  "ReadOnly",
  "PermissionDenied",
  "TooManyOpenFiles",
  "NotFound",
  "AlreadyExists",
  "Unknown"
)
/**
 * @since 0.1.0
 * @category schemas
 */
export type FsReason = typeof FsReason.Type

/**
 * What a person can do about each reason.
 *
 * @since 0.1.0
 * @category formatting
 */
export const advice: Readonly<Record<FsReason, string>> = {
  NoSpace: "the disk is full; free some space and run the command again",
  Quota: "the disk quota is used up; free some space or raise it, and run the command again",
  FileTooLarge: "the file would exceed a size limit (ulimit -f); raise it and run the command again",
  DeviceError: "the device reported an input/output error; check the disk before you go on",
  ReadOnly: "the file system is read-only; remount it writable, or choose another home with --home",
  PermissionDenied: "permission denied; run as the owner of the memory home, or mend its permissions",
  TooManyOpenFiles: "too many files are open; raise the limit (ulimit -n) and run the command again",
  NotFound: "it is not there; check the path",
  AlreadyExists: "it is there already; move it away if it is not needed",
  Unknown: "the system gave no reason that is known here; mend what it says, and run the command again"
}

/**
 * The system's own words, where the reason says nothing.
 *
 * @since 0.1.0
 * @category formatting
 */
export const inItsWords = ({ cause, reason }: { readonly cause?: unknown; readonly reason: FsReason }): string =>
  reason === "Unknown" && cause !== undefined ? ` (${String(cause)})` : ""

/**
 * One operation on one path failed.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogFsError extends Schema.TaggedError<LogFsError>("mem/LogFsError")("LogFsError", {
  operation: Schema.String,
  path: Schema.String,
  reason: FsReason,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `cannot ${this.operation} ${this.path}: ${advice[this.reason]}${inItsWords(this)}`
  }
}

/**
 * The log could not be appended to. What was not acknowledged is not stored; everything before it is. `needed` and
 * `free` are in bytes.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogWriteError extends Schema.TaggedError<LogWriteError>("mem/LogWriteError")("LogWriteError", {
  path: Schema.String,
  reason: FsReason,
  needed: Schema.optional(Schema.Number),
  free: Schema.optional(Schema.Number),
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    const bytes = this.needed === undefined || this.free === undefined
      ? ""
      : ` (${this.needed} bytes needed, ${this.free} free)`
    return `cannot append to ${this.path}${bytes}: ${advice[this.reason]}${
      inItsWords(this)
    }. What was stored before is safe; the next sync goes on from there`
  }
}

/**
 * A write or fsync failed in a way that leaves the file's state unknown, or somebody else wrote to it. Nothing more is
 * appended by this process.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogPoisoned extends Schema.TaggedError<LogPoisoned>("mem/LogPoisoned")("LogPoisoned", {
  path: Schema.String,
  reason: Schema.optional(FsReason),
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    const { cause, path, reason } = this
    const words = reason === undefined
      ? cause === undefined ? "" : String(cause)
      : advice[reason] + inItsWords({ cause, reason })
    const why = words === "" ? "" : ` (${words})`
    return `${path} is in doubt, so nothing more is written to it${why}; run the command again: it recovers the log first`
  }
}

/**
 * Another process writes this log.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogLocked extends Schema.TaggedError<LogLocked>("mem/LogLocked")("LogLocked", {
  path: Schema.String,
  pid: Schema.Int,
  host: Schema.String,
  command: Schema.String,
  started_at: Schema.String
}) {
  override get message(): string {
    return `${this.path} is held by process ${this.pid} on ${this.host} ("${this.command}", since ${this.started_at}); wait for it, or run "mem doctor" if that process is gone`
  }
}

/**
 * Bytes that had been on disk no longer are what they were. Writing is refused; reading works up to this place.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogDamaged extends Schema.TaggedError<LogDamaged>("mem/LogDamaged")("LogDamaged", {
  path: Schema.String,
  offset: Schema.Number,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.path} is damaged at byte ${this.offset}: ${this.detail}. Nothing was written; run "mem doctor --repair" to keep all that is still good`
  }
}

/**
 * A log that a newer version of mem wrote.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogTooNew extends Schema.TaggedError<LogTooNew>("mem/LogTooNew")("LogTooNew", {
  path: Schema.String,
  offset: Schema.Number,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.path} has a line at byte ${this.offset} that this version does not know (${this.detail}); install the version of mem that wrote it, or a newer one`
  }
}

/**
 * A record above the size that the log takes. `bytes` and `limit` are those of its line.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogRecordTooLarge extends Schema.TaggedError<LogRecordTooLarge>("mem/LogRecordTooLarge")(
  "LogRecordTooLarge",
  { kind: Schema.String, bytes: Schema.Number, limit: Schema.Number }
) {
  override get message(): string {
    return `a ${this.kind} record of ${this.bytes} bytes is above the log's limit of ${this.limit}; leave out what it came from, or split it at the source`
  }
}
