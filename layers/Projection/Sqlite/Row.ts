/**
 * Values as rows hold them. Reading one that was never written so throws, which is damage.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Sha256 } from "../../../src/domain/Ids.ts"

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/**
 * @since 0.1.0
 * @category encoding
 */
export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/**
 * @since 0.1.0
 * @category encoding
 */
export const hashBytes = (hash: Sha256): Uint8Array => Buffer.from(hash, "hex")

/**
 * A text as it is searched for words.
 *
 * @since 0.1.0
 * @category encoding
 */
export const words = (text: string): string => text.replaceAll("\0", " ")

/**
 * Bytes that are text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Utf8 = Schema.transform(Schema.Uint8ArrayFromSelf, Schema.String, {
  strict: true,
  decode: (bytes) => decoder.decode(bytes),
  encode: utf8
})

/**
 * Bytes that are a sha256.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Hash = Schema.transform(Schema.Uint8ArrayFromSelf, Sha256, {
  strict: true,
  decode: (bytes) => Buffer.from(bytes).toString("hex"),
  encode: (hash) => hashBytes(Sha256.make(hash))
})

/**
 * A column of rowids.
 *
 * @since 0.1.0
 * @category reading
 */
export const ids: (rows: ReadonlyArray<unknown>) => ReadonlyArray<number> = (() => {
  const rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int })))
  return (found) => rows(found).map(({ id }) => id)
})()
