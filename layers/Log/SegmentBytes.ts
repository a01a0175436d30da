/**
 * Which segment files there are, and their bytes as a stream.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { LogFile, LogFs } from "../../services/LogFs.ts"
import type { LogFsError } from "../../src/domain/LogErrors.ts"
import { numbersIn } from "../../src/log/SegmentFile.ts"

const readBytes = 1024 * 1024

/**
 * What takes the place of something that is not there.
 *
 * @since 0.1.0
 * @category combinators
 */
export const notFoundIs =
  <B>(instead: B) => <A>(self: Effect.Effect<A, LogFsError>): Effect.Effect<A | B, LogFsError> =>
    Effect.catchIf(self, ({ reason }) => reason === "NotFound", () => Effect.succeed(instead))

/**
 * The numbers of the segments that are there, oldest first; none before the first write.
 *
 * @since 0.1.0
 * @category reading
 */
export const segmentNumbers = (fs: LogFs["Type"], folder: string): Effect.Effect<ReadonlyArray<number>, LogFsError> =>
  fs.list(folder).pipe(Effect.map(numbersIn), notFoundIs([]))

/**
 * The bytes of a file from there to where it ends now.
 *
 * @since 0.1.0
 * @category reading
 */
export const bytesFrom = (file: LogFile, offset: number): Stream.Stream<Uint8Array, LogFsError> =>
  Stream.unfoldEffect(offset, (at) =>
    Effect.map(
      file.read(at, readBytes),
      (bytes) => bytes.length === 0 ? Option.none() : Option.some([bytes, at + bytes.length] as const)
    ))
