/**
 * How a segment begins: with the sha256 of the one before, in a file that is there whole or not at all.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import type { LogFile, LogFs } from "../../services/LogFs.ts"
import { Sha256 } from "../../src/domain/Ids.ts"
import type { LogFsError, LogPoisoned, LogWriteError } from "../../src/domain/LogErrors.ts"
import { nameOf } from "../../src/log/SegmentFile.ts"
import { writeAll } from "../LogFs/WriteAll.ts"
import { poison, writeError } from "./WriteFailure.ts"

const readBytes = 4 * 1024 * 1024

/**
 * Of all bytes of a file.
 *
 * @since 0.1.0
 * @category reading
 */
export const sha256Of = (file: LogFile): Effect.Effect<Sha256, LogFsError> =>
  Effect.gen(function*() {
    const hash = createHash("sha256")
    let at = 0
    for (;;) {
      const bytes = yield* file.read(at, readBytes)
      if (bytes.length === 0) return Sha256.make(hash.digest("hex"))
      hash.update(bytes)
      at += bytes.length
    }
  })

/**
 * Makes the file with its first line, on disk. Where that fails it is taken away again: nothing in it was acknowledged,
 * and the log ends with the segment before. What cannot be taken away, the next recovery does.
 *
 * @since 0.1.0
 * @category writing
 */
export const begin = (
  fs: LogFs["Type"],
  folder: string,
  segment: number,
  line: Uint8Array
): Effect.Effect<LogFile, LogWriteError | LogPoisoned, Scope.Scope> =>
  Effect.gen(function*() {
    const path = `${folder}/${nameOf(segment)}`
    const file = yield* Effect.mapError(fs.open(path, "create"), writeError())
    yield* Effect.mapError(writeAll(file, path, 0, line), writeError()).pipe(
      Effect.zipRight(Effect.mapError(Effect.zipRight(file.sync, fs.syncDir(folder)), poison)),
      Effect.tapError(() => Effect.ignore(Effect.zipRight(fs.unlink(path), fs.syncDir(folder))))
    )
    return file
  })
