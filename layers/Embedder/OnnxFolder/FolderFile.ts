/**
 * The small files of a model's folder: JSON that others wrote, of which only what is used is looked at.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { firstIssue } from "../../../src/config/KeyPath.ts"
import type { EmbedderError } from "../../../src/domain/EmbedderErrors.ts"
import { messageOf } from "../Local/Message.ts"
import { unusableFolder } from "./Failure.ts"

/**
 * Whether a file or folder could not be read because there is none.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")

/**
 * The text of a file, if there is one.
 *
 * @since 0.1.0
 * @category reading
 */
export const textOf = (folder: string, name: string): Effect.Effect<string | undefined, EmbedderError> =>
  Effect.tryPromise({ try: () => readFile(join(folder, name), "utf8"), catch: (cause) => cause }).pipe(
    Effect.catchAll((cause) =>
      isMissing(cause)
        ? Effect.succeed(undefined)
        : Effect.fail(unusableFolder(`${join(folder, name)} cannot be read: ${messageOf(cause)}`))
    )
  )

/**
 * What such a file says, or what is wrong with it; nothing where there is none.
 *
 * @since 0.1.0
 * @category reading
 */
export const contentOf = <A, I>(
  folder: string,
  name: string,
  schema: Schema.Schema<A, I>
): Effect.Effect<A | undefined, EmbedderError> =>
  Effect.flatMap(textOf(folder, name), (text) =>
    text === undefined
      ? Effect.succeed(undefined)
      : Either.mapLeft(Schema.decodeUnknownEither(Schema.parseJson(schema))(text), (error) => {
        const { detail, path } = firstIssue(error)
        const key = path.length === 0 ? "" : `${path.map(String).join(".")}: `
        return unusableFolder(`${join(folder, name)} cannot be understood: ${key}${detail}`)
      }))
