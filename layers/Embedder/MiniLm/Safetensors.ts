/**
 * Reads a safetensors file: eight bytes of header length, a JSON header, then the values of all tensors. Nothing is
 * copied: a tensor's bytes are a view of the file's.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"

/**
 * @since 0.1.0
 * @category models
 */
export interface Tensor {
  /** `F16`, `F32`, `I64` … */
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly bytes: Uint8Array
}

const lengthBytes = 8

const sizes: ReadonlyMap<string, number> = new Map([["F16", 2], ["BF16", 2], ["F32", 4], ["F64", 8], ["I64", 8]])

const isCounts = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0)

const headerOf = (bytes: Uint8Array): Either.Either<object, string> =>
  Either.flatMap(
    Either.try({
      try: (): unknown => JSON.parse(Buffer.from(bytes).toString("utf8")),
      catch: () => "its header is no JSON"
    }),
    (header) => Predicate.isRecord(header) ? Either.right(header) : Either.left("its header is no JSON object")
  )

const tensorOf = (values: Uint8Array, name: string, entry: unknown): Either.Either<Tensor, string> => {
  const wrong = Either.left(`its tensor ${name} is not described as it should be`)
  if (!Predicate.hasProperty(entry, "dtype") || !Predicate.isString(entry.dtype)) return wrong
  if (!Predicate.hasProperty(entry, "shape") || !isCounts(entry.shape)) return wrong
  if (!Predicate.hasProperty(entry, "data_offsets") || !isCounts(entry.data_offsets)) return wrong
  const { data_offsets: [start = 0, end = 0], dtype, shape } = entry
  const length = shape.reduce((product, n) => product * n, sizes.get(dtype) ?? Number.NaN)
  return end - start === length && end <= values.length
    ? Either.right({ dtype, shape, bytes: values.subarray(start, end) })
    : wrong
}

/**
 * The tensors by name, or what is wrong with the file.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parse = (file: Uint8Array): Either.Either<ReadonlyMap<string, Tensor>, string> =>
  Either.gen(function*() {
    if (file.length < lengthBytes) return yield* Either.left("it is too short")
    const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true))
    if (length > file.length - lengthBytes) return yield* Either.left("it is shorter than its header says")
    const header = yield* headerOf(file.subarray(lengthBytes, lengthBytes + length))
    const values = file.subarray(lengthBytes + length)
    const tensors = new Map<string, Tensor>()
    for (const [name, entry] of Object.entries(header)) {
      if (name !== "__metadata__") tensors.set(name, yield* tensorOf(values, name, entry))
    }
    return tensors
  })
