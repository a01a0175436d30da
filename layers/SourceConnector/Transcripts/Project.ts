/**
 * Which project a session belongs to: the folder that the agent worked in, as the first lines of its transcript say.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { isObject, type JsonObject } from "../../../src/transcript/Json.ts"
import { parse } from "../../../src/transcript/Salvage.ts"
import { Files } from "../../RecordSource/Transcript/File.ts"
import { foldLines } from "../../RecordSource/Transcript/Position.ts"

/** What stands before the first message may be long: the instructions of an agent. */
const stretch = 64 * 1024
const mostRead = 4 * stretch

/**
 * The working folder that the head of a file names. Of a file that cannot be read nothing is known.
 *
 * @since 0.1.0
 * @category reading
 */
export const cwdIn = (
  path: string,
  cwdOf: (line: JsonObject) => string | undefined
): Effect.Effect<string | undefined> =>
  Effect.gen(function*() {
    const file = yield* (yield* Files).open(path)
    let cwd: string | undefined = undefined
    for (let to = stretch; cwd === undefined && to <= mostRead; to *= 2) {
      cwd = yield* foldLines(file, 0, Math.min(to, file.size), cwd, (found: string | undefined, line) => {
        if (found !== undefined || line._tag !== "Line") return found
        const json = Either.getOrUndefined(parse(line.bytes))
        return isObject(json) ? cwdOf(json) : undefined
      })
      if (to >= file.size) break
    }
    return cwd
  }).pipe(Effect.scoped, Effect.orElseSucceed(() => undefined))
