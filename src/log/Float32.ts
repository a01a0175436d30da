/**
 * A vector as the log writes it: base64 of little-endian float32, a third of the size of a JSON array and several
 * times as fast to read. Byte order is written out, so a log moves between machines.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"

const bytesPerValue = 4

/**
 * @since 0.1.0
 * @category encoding
 */
export const encode = (values: Float32Array): string => {
  const bytes = Buffer.alloc(values.length * bytesPerValue)
  values.forEach((value, i) => bytes.writeFloatLE(value, i * bytesPerValue))
  return bytes.toString("base64")
}

/**
 * The vector, or what is wrong with it: it must be base64 of exactly `dims` values.
 *
 * @since 0.1.0
 * @category decoding
 */
export const decode = (data: string, dims: number): Either.Either<Float32Array, string> => {
  const bytes = Buffer.from(data, "base64")
  return bytes.length === dims * bytesPerValue && bytes.toString("base64") === data
    ? Either.right(Float32Array.from({ length: dims }, (_, i) => bytes.readFloatLE(i * bytesPerValue)))
    : Either.left(`${data.length} characters are not the base64 of ${dims} float32 values`)
}

/** The bounds of what a float32 holds in full precision. */
const smallest = 2 ** -126
const largest = 2 ** 127

/**
 * Whether a vector points anywhere: of one without length, or with a value that is no number, no cosine can be taken,
 * and a search must not meet it.
 *
 * @since 0.1.0
 * @category checking
 */
export const hasDirection = (values: Float32Array): boolean => {
  let square = 0
  for (const value of values) square += value * value
  return square >= smallest && square <= largest
}

/**
 * The vector, if it is whole and points anywhere: what a projection takes of the log's vectors.
 *
 * @since 0.1.0
 * @category decoding
 */
export const usable = (data: string, dims: number): Either.Either<Float32Array, string> =>
  Either.filterOrLeft(decode(data, dims), hasDirection, () => "it has no direction")
