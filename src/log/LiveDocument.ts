/**
 * What a group does to its document: the step of the fold for one document, whatever keeps the documents. Pure.
 *
 * A version replaces all of the old one, whatever its tombstones name; a commit of vectors alone leaves the passages as
 * they are.
 *
 * @since 0.1.0
 */
import type { LogPosition } from "../../services/LogReader.ts"
import type { ChunkId } from "../domain/Ids.ts"
import type { Record } from "../domain/Record.ts"
import type { Reference } from "../domain/Reference.ts"
import type { WholeGroup } from "./Gather.ts"

/**
 * What has to be known of a document before a line that concerns it. One that was removed is kept only where it is
 * excluded.
 *
 * @since 0.1.0
 * @category models
 */
export interface Known {
  readonly excluded: boolean
  readonly removed: boolean
  readonly chunk_ids: ReadonlyArray<ChunkId>
}

/**
 * A document that the log says nothing of.
 *
 * @since 0.1.0
 * @category constants
 */
export const unknown: Known = { excluded: false, removed: false, chunk_ids: [] }

/**
 * A passage that a group brings, and where its line stands.
 *
 * @since 0.1.0
 * @category models
 */
export interface Added {
  readonly reference: Reference
  readonly position: LogPosition
}

/**
 * A Record that a group of a session archives, and where its line stands.
 *
 * @since 0.1.0
 * @category models
 */
export interface Archived {
  readonly record: Record
  readonly position: LogPosition
}

/**
 * What becomes of the document: whether it is kept at all, which of its passages go, and which come. The Records of a
 * session only come: all of them go with the session alone.
 *
 * @since 0.1.0
 * @category models
 */
export interface Step {
  readonly excluded: boolean
  readonly kept: boolean
  readonly removed: ReadonlyArray<ChunkId>
  readonly added: ReadonlyArray<Added>
  readonly records: ReadonlyArray<Archived>
}

/** Of lines that name one and the same passage, the last. */
const passagesOf = ({ lines }: WholeGroup): ReadonlyArray<Added> => [
  ...new Map(
    lines.flatMap(({ position, record }) =>
      record.kind === "reference" ? [[record.body.chunk_id, { reference: record.body, position }] as const] : []
    )
  ).values()
]

/**
 * The step of a whole group.
 *
 * @since 0.1.0
 * @category folding
 */
export const commit = (known: Known, group: WholeGroup): Step => {
  const gone = group.commit.removed === true
  const excluded = group.lines.reduce(
    (before, { record }) => record.kind === "exclusion" ? record.body.excluded : before,
    known.excluded
  )
  const added = gone ? [] : passagesOf(group)
  const replaces = gone || added.length > 0 || group.commit.chunk_count === 0
  const tombstoned = new Set(
    group.lines.flatMap(({ record }) => record.kind === "tombstone" ? [record.body.chunk_id] : [])
  )
  const removed = replaces ? known.chunk_ids : known.chunk_ids.filter((id) => tombstoned.has(id))
  const records = gone
    ? []
    : group.lines.flatMap(({ position, record }) => record.kind === "record" ? [{ record: record.body, position }] : [])
  return { excluded, kept: !gone || excluded, removed, added, records }
}

/**
 * Whether a document is still kept when an exclusion was said or taken back: one that may come back after its removal
 * is unknown again, so that the next sync finds it new.
 *
 * @since 0.1.0
 * @category folding
 */
export const keptThrough = (excluded: boolean, { removed }: Pick<Known, "removed">): boolean => excluded || !removed
