/**
 * What a failed operation on the disk means to whoever appends: the write did not happen, or nobody knows.
 *
 * @since 0.1.0
 */
import { type LogFsError, LogPoisoned, LogWriteError } from "../../src/domain/LogErrors.ts"

/**
 * Nothing was written, or all of it was taken back. `needed` and `free` are in bytes.
 *
 * @since 0.1.0
 * @category errors
 */
export const writeError = (needed?: number, free?: number) => ({ cause, path, reason }: LogFsError): LogWriteError =>
  new LogWriteError({ path, reason, needed, free, cause })

/**
 * What the page cache says now proves nothing.
 *
 * @since 0.1.0
 * @category errors
 */
export const poison = ({ cause, path, reason }: LogFsError): LogPoisoned => new LogPoisoned({ path, reason, cause })
