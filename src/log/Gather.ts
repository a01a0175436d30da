/**
 * Puts the lines of the log together into what counts: whole groups, and lines that count alone. Pure.
 *
 * A group counts once its commit is read with the right number of lines; a group that was cut off, or that another line
 * broke into, never does. A vector counts by itself, whatever became of its group.
 *
 * A group of memory alone is no version of a document: whatever its commit names, it makes its lines count, and nothing
 * else.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Option from "effect/Option"
import type { LocatedRecord, LogPosition } from "../../services/LogReader.ts"
import type { Seq } from "../domain/Ids.ts"
import type { Commit, Exclusion, Vector } from "../domain/Reference.ts"
import { nextSeq } from "./Gap.ts"

/**
 * A group that is whole: its commit, and the lines before it.
 *
 * @since 0.1.0
 * @category models
 */
export interface WholeGroup {
  readonly _tag: "Group"
  readonly commit: Commit
  readonly seq: Seq
  readonly lines: ReadonlyArray<LocatedRecord>
}

/**
 * What a line makes count.
 *
 * @since 0.1.0
 * @category models
 */
export type Counted =
  | WholeGroup
  | { readonly _tag: "Memory"; readonly lines: ReadonlyArray<LocatedRecord> }
  | { readonly _tag: "Vector"; readonly vector: Vector; readonly position: LogPosition }
  | { readonly _tag: "Exclusion"; readonly exclusion: Exclusion }

interface OpenGroup {
  readonly txn: number
  readonly lines: Chunk.Chunk<LocatedRecord>
}

/**
 * The group whose commit is still to come.
 *
 * @since 0.1.0
 * @category models
 */
export type Open = Option.Option<OpenGroup>

/** A first line begins anew: who reads on from an earlier place sees the group's lines again. */
const join = (open: Open, line: LocatedRecord): Open => {
  const { seq, txn } = line.record
  if (txn === undefined) return Option.none()
  if (seq === txn) return Option.some({ txn, lines: Chunk.of(line) })
  const lines = Option.match(Option.filter(open, (group) => group.txn === txn), {
    onNone: () => Chunk.empty<LocatedRecord>(),
    onSome: (group) => Chunk.append(group.lines, line)
  })
  return Option.some({ txn, lines })
}

const isMemory = ({ record: { kind } }: LocatedRecord): boolean => kind === "memory" || kind === "artifact"

/**
 * Takes in one line: what is open behind it, and what it made count.
 *
 * @since 0.1.0
 * @category folding
 */
export const gather = (open: Open, line: LocatedRecord): readonly [Open, Option.Option<Counted>] => {
  const { position, record } = line
  if (record.kind === "commit") {
    const lines = record.txn === record.seq
      ? []
      : Option.match(Option.filter(open, ({ txn }) => txn === record.txn), {
        onNone: () => [],
        onSome: ({ lines }) => Chunk.toReadonlyArray(lines)
      })
    if (lines.length !== record.body.n) return [Option.none(), Option.none()]
    return [
      Option.none(),
      Option.some(
        lines.length > 0 && lines.every(isMemory)
          ? { _tag: "Memory", lines }
          : { _tag: "Group", commit: record.body, seq: record.seq, lines }
      )
    ]
  }
  const next = join(open, line)
  if (record.kind === "vector") return [next, Option.some({ _tag: "Vector", vector: record.body, position })]
  // One that belongs to a group counts with its commit.
  if (isMemory(line)) {
    return [next, record.txn === undefined ? Option.some({ _tag: "Memory", lines: [line] }) : Option.none()]
  }
  return record.kind === "exclusion" && record.txn === undefined
    ? [next, Option.some({ _tag: "Exclusion", exclusion: record.body })]
    : [next, Option.none()]
}

/**
 * Parts lines into those that later ones cannot change, and the group at their end whose commit is still to come. Who
 * folds the first part alone has folded whole groups only. `waiting` is what was left open before; it is dropped where
 * the lines do not go on from it, for then they are read anew.
 *
 * @since 0.1.0
 * @category folding
 */
export const settle = (
  waiting: ReadonlyArray<LocatedRecord>,
  more: ReadonlyArray<LocatedRecord>
): { readonly settled: ReadonlyArray<LocatedRecord>; readonly waiting: ReadonlyArray<LocatedRecord> } => {
  const before = waiting.at(-1)
  const first = more[0]
  if (first === undefined) return { settled: [], waiting }
  const lines = before !== undefined && first.record.seq === nextSeq(before.record) ? [...waiting, ...more] : more
  const txn = lines.at(-1)?.record.txn
  const start = lines.findLastIndex(({ record }) => record.txn !== txn || record.kind === "commit") + 1
  const open = txn !== undefined && lines[start]?.record.seq === txn
  return open
    ? { settled: lines.slice(0, start), waiting: lines.slice(start) }
    : { settled: lines, waiting: [] }
}
