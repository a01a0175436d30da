/**
 * The bytes of a file that was named on the command line, `-` being standard input.
 *
 * @since 0.1.0
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { RecordSourceError } from "../domain/ConnectorErrors.ts"

const reasons: ReadonlyMap<string, string> = new Map([
  ["NotFound", "no such file"],
  ["PermissionDenied", "permission denied"],
  ["BadResource", "not a file"]
])

const unreadable = (source: string) => (error: PlatformError): RecordSourceError =>
  new RecordSourceError({
    source,
    detail: error._tag === "SystemError" ? reasons.get(error.reason) ?? error.message : error.message,
    advice: "check the path, and that it is a file which you may read",
    cause: error
  })

const stdin: Stream.Stream<Uint8Array, RecordSourceError> = NodeStream.fromReadable(
  () => process.stdin,
  (cause) =>
    new RecordSourceError({
      source: "-",
      detail: `cannot read standard input (${String(cause)})`,
      advice: "check what feeds it",
      cause
    })
)

/**
 * The bytes, in the pieces that the system gives. Nothing is read before the stream runs.
 *
 * @since 0.1.0
 * @category constructors
 */
export const bytesOf = (file: string): Stream.Stream<Uint8Array, RecordSourceError, FileSystem.FileSystem> =>
  file === "-"
    ? stdin
    : Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => Stream.mapError(fs.stream(file), unreadable(file))))
