/**
 * Outputs of tools that Claude Code found too large for a line: it saves them in a folder of the session and keeps how
 * they begin. A transcript can name any path, and nothing but that folder is ever opened for it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { basename, dirname, join } from "node:path"
import { Sha256 } from "../../../src/domain/Ids.ts"
import { Origin, Record } from "../../../src/domain/Record.ts"
import { type SessionItem, SourceWarning } from "../../../src/domain/SessionRead.ts"
import type { Elsewhere } from "../../../src/transcript/Reader.ts"
import { Files } from "./File.ts"
import { bytesOf } from "./Position.ts"

/** A Record of more could hardly be logged. */
const maxBytes = 16 * 1024 * 1024

const results = "tool-results"

const utf8 = new TextDecoder("utf-8")

const lost = ({ record: { origin } }: Elsewhere, why: string): ReadonlyArray<SessionItem> =>
  origin === undefined ? [] : [
    new SourceWarning({
      path: origin.path,
      byte_offset: origin.byte_offset,
      byte_length: origin.byte_length,
      reason: "bad",
      detail: `of an output only the beginning is kept: ${why}`.toWellFormed()
    })
  ]

/** The bytes of the file that the transcript names, and its path here; or why not. */
const savedBytes = (sessionFolder: string | undefined, saved: string) =>
  Effect.gen(function*() {
    const named = dirname(saved)
    const isOwn = sessionFolder !== undefined && basename(named) === results
      && basename(dirname(named)) === basename(sessionFolder)
    if (!isOwn) return yield* Effect.fail(`${saved} is not in the folder of the session`)
    const folder = join(sessionFolder, results)
    const path = join(folder, basename(saved))
    const files = yield* Files
    const read = Effect.gen(function*() {
      const [real, parent] = yield* Effect.all([files.realPath(folder), files.realPath(dirname(sessionFolder))])
      const isLinked = real !== join(parent, basename(sessionFolder), results)
      const file = yield* files.open(path)
      return isLinked || file.size > maxBytes ? undefined : yield* bytesOf(file, 0, file.size)
    })
    const bytes = yield* Effect.mapError(Effect.scoped(read), ({ code }) => `${path} cannot be read (${code})`)
    return bytes === undefined
      ? yield* Effect.fail(`${path} is reached by a link, or larger than ${maxBytes} bytes`)
      : { bytes, path }
  })

/**
 * What a saved output becomes: a Record with all of it, or a warning that it is not kept.
 *
 * @since 0.1.0
 * @category reading
 */
export const fetchSaved =
  (sessionFolder: string | undefined) => (elsewhere: Elsewhere): Effect.Effect<ReadonlyArray<SessionItem>> =>
    Effect.match(savedBytes(sessionFolder, elsewhere.saved), {
      onFailure: (why) => lost(elsewhere, why),
      onSuccess: ({ bytes, path }) => {
        const text = utf8.decode(bytes)
        const origin = new Origin({
          path,
          byte_offset: 0,
          byte_length: bytes.length,
          line_sha256: Sha256.make(hash("sha256", bytes, "hex"))
        })
        return text === "" ? [] : [new Record({ ...elsewhere.record, text, origin }, { disableValidation: true })]
      }
    })
