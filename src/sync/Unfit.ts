/**
 * What cannot be a document, whatever names it: too large, binary, no UTF-8. It is left out with the reason, and not
 * fetched again while its state is the same. Pure.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"

/** How far a NUL is looked for, as git does. */
const sniffed = 8192

const binary = "binary: a NUL is among its first bytes"
const notText = "not UTF-8 text"

/**
 * Why a document of more than `limit` bytes is left out.
 *
 * @since 0.1.0
 * @category reasons
 */
export const tooLarge = (limit: number): string => `larger than ${limit} bytes`

/**
 * Whether it was left out for its size alone, under another limit: it may be taken now.
 *
 * @since 0.1.0
 * @category reasons
 */
export const hadOtherLimit = (reason: string, limit: number): boolean =>
  /^larger than \d+ bytes$/.test(reason) && reason !== tooLarge(limit)

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * The text of fetched bytes, byte order mark included, or why there is none.
 *
 * @since 0.1.0
 * @category decoding
 */
export const textOf = (bytes: Uint8Array, limit: number): Either.Either<string, string> =>
  bytes.length > limit
    ? Either.left(tooLarge(limit))
    : bytes.subarray(0, sniffed).includes(0)
    ? Either.left(binary)
    : Either.try({ try: () => utf8.decode(bytes), catch: () => notText })
