/**
 * Writes protocol buffers: as much of the format as the graph needs. A message is a list of byte arrays, so that weights
 * of many megabytes are copied once, at the very end.
 *
 * @since 0.1.0
 */

/**
 * The bytes of a message, in order.
 *
 * @since 0.1.0
 * @category models
 */
export type Message = ReadonlyArray<Uint8Array>

const wire = { varint: 0, delimited: 2, fixed32: 5 } as const

const varint = (value: number): Uint8Array => {
  const bytes: Array<number> = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Uint8Array.of(...bytes, Number(rest))
}

const tag = (field: number, type: number): Uint8Array => varint(field * 8 + type)

/**
 * How many bytes it has.
 *
 * @since 0.1.0
 * @category sizes
 */
export const size = (message: Message): number => message.reduce((sum, bytes) => sum + bytes.length, 0)

/**
 * A whole number; negative ones take ten bytes.
 *
 * @since 0.1.0
 * @category fields
 */
export const int = (field: number, value: number): Message => [tag(field, wire.varint), varint(value)]

/**
 * A number in single precision.
 *
 * @since 0.1.0
 * @category fields
 */
export const float = (field: number, value: number): Message => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setFloat32(0, value, true)
  return [tag(field, wire.fixed32), bytes]
}

/**
 * A message within a message, or bytes.
 *
 * @since 0.1.0
 * @category fields
 */
export const nested = (field: number, message: Message): Message => [
  tag(field, wire.delimited),
  varint(size(message)),
  ...message
]

/**
 * @since 0.1.0
 * @category fields
 */
export const text = (field: number, value: string): Message => nested(field, [Buffer.from(value)])
