/**
 * A file of the model, which is used only if it is the one that it should be.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { sha256Of } from "./Digest.ts"
import { messageOf } from "./Message.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ModelFile {
  readonly path: string
  readonly sha256: string
}

const compared = ({ path, sha256 }: ModelFile, found: string): Either.Either<void, string> =>
  found === sha256
    ? Either.void
    : Either.left(`${path} is damaged or another version: its sha256 is ${found}, it should be ${sha256}`)

const unreadable = ({ path }: ModelFile) => (cause: unknown) =>
  Either.left(`${path} cannot be read: ${messageOf(cause)}`)

/**
 * Its bytes, or why they cannot be used.
 *
 * @since 0.1.0
 * @category reading
 */
export const read = (file: ModelFile): Promise<Either.Either<Uint8Array, string>> =>
  readFile(file.path).then(
    (bytes) => Either.map(compared(file, createHash("sha256").update(bytes).digest("hex")), () => bytes),
    unreadable(file)
  )

/**
 * Why it cannot be used, if it cannot. It may be larger than what is to be held in memory.
 *
 * @since 0.1.0
 * @category reading
 */
export const verify = (file: ModelFile): Promise<Either.Either<void, string>> =>
  sha256Of(file.path).then((found) => compared(file, found), unreadable(file))
