/**
 * A system may take fewer bytes than it is given. Whoever needs all of them written asks here.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { LogFile } from "../../services/LogFs.ts"
import { LogFsError } from "../../src/domain/LogErrors.ts"

/**
 * Writes all of the bytes: one write may take fewer than it is given.
 *
 * @since 0.1.0
 * @category writing
 */
export const writeAll = (
  file: LogFile,
  path: string,
  offset: number,
  bytes: Uint8Array
): Effect.Effect<void, LogFsError> =>
  bytes.length === 0
    ? Effect.void
    : Effect.flatMap(file.write(offset, bytes), (written) =>
      written > 0
        ? writeAll(file, path, offset + written, bytes.subarray(written))
        : Effect.fail(
          new LogFsError({ operation: "write", path, reason: "Unknown", cause: "the write took none of the bytes" })
        ))
