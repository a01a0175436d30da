/**
 * What a lock file says, and what that is worth: its holder lives, its holder is gone, or it was never finished.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { LogFs } from "../../services/LogFs.ts"
import { type LogFsError, LogLocked } from "../../src/domain/LogErrors.ts"
import { type Processes, ProcessIdentity } from "./Processes.ts"
import { notFoundIs } from "./SegmentBytes.ts"

/**
 * The holder of a lock. The nonce tells two locks of one process apart.
 *
 * @since 0.1.0
 * @category schemas
 */
export class LockFile extends Schema.Class<LockFile>("mem/LockFile")({
  ...ProcessIdentity.fields,
  nonce: Schema.String,
  started_at: Schema.String
}) {}

const json = Schema.parseJson(LockFile)

/**
 * @since 0.1.0
 * @category encoding
 */
export const encode: (lock: LockFile) => string = Schema.encodeSync(json)

const decode = Schema.decodeEither(json)

/**
 * `Held` is in force, `Gone` and `Unfinished` are not.
 *
 * @since 0.1.0
 * @category models
 */
export type Worth =
  | { readonly _tag: "Held"; readonly error: LogLocked }
  | { readonly _tag: "Gone" }
  | { readonly _tag: "Unfinished" }

/**
 * What this content of a lock file is worth. Only a process of this very host can be known to be gone.
 *
 * @since 0.1.0
 * @category judging
 */
export const worthOf = (processes: Processes, path: string, content: string): Effect.Effect<Worth> =>
  Either.match(decode(content), {
    onLeft: () => Effect.succeed<Worth>({ _tag: "Unfinished" }),
    onRight: (lock) => {
      const { command, host, pid, started_at } = lock
      const held: Worth = { _tag: "Held", error: new LogLocked({ path, pid, host, command, started_at }) }
      return host !== processes.self.host
        ? Effect.succeed(held)
        : Effect.map(processes.lives(lock), (lives): Worth => lives ? held : { _tag: "Gone" })
    }
  })

const mostBytes = 64 * 1024

/**
 * The content of a lock file; none where it is not there (any more).
 *
 * @since 0.1.0
 * @category reading
 */
export const contentOf = (fs: LogFs["Type"], path: string): Effect.Effect<Option.Option<string>, LogFsError> =>
  Effect.scoped(Effect.gen(function*() {
    const file = yield* fs.open(path, "read")
    return Option.some(new TextDecoder().decode(yield* file.read(0, mostBytes)))
  })).pipe(notFoundIs(Option.none()))
