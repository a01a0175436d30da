/**
 * The sha256 of files that may be gigabytes, read in parts.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import { open } from "node:fs/promises"

const partBytes = 4 * 1024 * 1024

/**
 * Rejects where the file cannot be read.
 *
 * @since 0.1.0
 * @category hashing
 */
export const sha256Of = async (path: string): Promise<string> => {
  const file = await open(path)
  try {
    const hash = createHash("sha256")
    const part = Buffer.allocUnsafe(partBytes)
    for (;;) {
      const { bytesRead } = await file.read(part, 0, partBytes)
      if (bytesRead === 0) return hash.digest("hex")
      hash.update(part.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}
