/**
 * Puts a file in the place of another one, or of none, in one step: whoever looks sees all of the old or all of the new,
 * and so does whoever comes after a crash.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { dirname } from "node:path"
import type { LogFs } from "../../services/LogFs.ts"
import { Sha256 } from "../../src/domain/Ids.ts"
import type { LogFsError } from "../../src/domain/LogErrors.ts"
import { writeAll } from "../LogFs/WriteAll.ts"
import { notFoundIs } from "./SegmentBytes.ts"

/**
 * Takes the bytes that come next; its value is how many there are now.
 *
 * @since 0.1.0
 * @category models
 */
export type Append = (bytes: Uint8Array) => Effect.Effect<number, LogFsError>

/**
 * Writes the file anew, by what `content` appends; its value is the sha256 of that. The file and its folder's entry are
 * on disk when this returns.
 *
 * @since 0.1.0
 * @category writing
 */
export const rewrite = (
  fs: LogFs["Type"],
  path: string,
  content: (append: Append) => Effect.Effect<void, LogFsError>
): Effect.Effect<Sha256, LogFsError> => {
  const temporary = `${path}.tmp`
  const forget = notFoundIs(undefined)(fs.unlink(temporary))
  const write = Effect.scoped(Effect.gen(function*() {
    const file = yield* fs.open(temporary, "create")
    const hash = createHash("sha256")
    let size = 0
    yield* content((bytes) =>
      Effect.map(writeAll(file, temporary, size, bytes), () => {
        hash.update(bytes)
        return size += bytes.length
      })
    )
    yield* file.sync
    return Sha256.make(hash.digest("hex"))
  }))
  return Effect.gen(function*() {
    // A run that was cut short may have left one.
    yield* forget
    const sha256 = yield* write
    yield* fs.rename(temporary, path)
    yield* fs.syncDir(dirname(path))
    return sha256
  }).pipe(
    Effect.tapError(() => Effect.ignore(forget)),
    Effect.uninterruptible
  )
}
