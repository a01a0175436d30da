/**
 * A file of the model, which is used only if it is the one that it should be.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { messageOf } from "./Message.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ModelFile {
  readonly path: string
  readonly sha256: string
}

/**
 * Its bytes, or why they cannot be used.
 *
 * @since 0.1.0
 * @category reading
 */
export const read = ({ path, sha256 }: ModelFile): Promise<Either.Either<Uint8Array, string>> =>
  readFile(path).then(
    (bytes) => {
      const found = createHash("sha256").update(bytes).digest("hex")
      return found === sha256
        ? Either.right(bytes)
        : Either.left(`${path} is damaged or another version: its sha256 is ${found}, it should be ${sha256}`)
    },
    (cause) => Either.left(`${path} cannot be read: ${messageOf(cause)}`)
  )
