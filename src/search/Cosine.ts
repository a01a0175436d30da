/**
 * How alike two vectors point. Pure.
 *
 * @since 0.1.0
 */

/**
 * From -1 to 1; both must have a direction, and one length. The second one is as bytes of little-endian float32, as an
 * index keeps it.
 *
 * @since 0.1.0
 * @category comparing
 */
export const cosine = (a: Float32Array, b: Uint8Array): number => {
  const view = new DataView(b.buffer, b.byteOffset, b.byteLength)
  let dot = 0
  let squareOfA = 0
  let squareOfB = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0
    const y = view.getFloat32(i * 4, true)
    dot += x * y
    squareOfA += x * x
    squareOfB += y * y
  }
  return dot / Math.sqrt(squareOfA * squareOfB)
}
