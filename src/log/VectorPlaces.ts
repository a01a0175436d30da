/**
 * Where the vectors stand that a fold of the log has come upon. It holds places only, never vectors.
 *
 * @since 0.1.0
 */
import type { LocatedRecord, LogPosition } from "../../services/LogReader.ts"
import type { VectorKind } from "../../services/VectorIndex.ts"
import type { Sha256 } from "../domain/Ids.ts"

/**
 * It grows in place: a copy a line would be quadratic.
 *
 * @since 0.1.0
 * @category models
 */
export interface VectorPlaces {
  readonly take: (line: LocatedRecord) => void
  /** Where the last vector of a text stands. */
  readonly positionOf: (kind: VectorKind, text: Sha256) => LogPosition | undefined
}

const keyOf = ({ dims, model }: VectorKind, text: Sha256): string => `${text} ${dims} ${model}`

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): VectorPlaces => {
  const positions = new Map<string, LogPosition>()
  return {
    take: ({ position, record }) => {
      if (record.kind === "vector") positions.set(keyOf(record.body, record.body.embed_sha256), position)
    },
    positionOf: (kind, text) => positions.get(keyOf(kind, text))
  }
}
