/**
 * The tree that the entries of a pi session make: whoever goes back and asks anew leaves a branch behind. What is on the
 * way from the last entry to the root was kept; the rest was said as well, and then abandoned.
 *
 * Nearly every entry hangs on the one before. So the tree is held as runs of such, each a text of ids: of a session of
 * 200 MB that is a few MB.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { isObject, textIn } from "../Json.ts"
import { parse } from "../Salvage.ts"

/**
 * Entries each of which hangs on the one before, every id between two line feeds; the first one hangs on what is the
 * last before the place `end` in an earlier run.
 *
 * @since 0.1.0
 * @category models
 */
export interface Run {
  readonly ids: string
  readonly parent: { readonly run: number; readonly end: number } | undefined
}

/**
 * The runs so far, the open one, and its last entry.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tree {
  readonly closed: ReadonlyArray<Run>
  readonly open: Run
  readonly leaf: string | undefined
}

const runFrom = (parent: Run["parent"]): Run => ({ ids: "\n", parent })

/**
 * @since 0.1.0
 * @category constructors
 */
export const empty: Tree = { closed: [], open: runFrom(undefined), leaf: undefined }

/** A session that was taken back more often is no longer followed: none of it is called abandoned. */
const mostRuns = 1024

/** How pi itself begins an entry; the rest of the line need not be looked at then. */
const usual = /^\{"type":"[a-z_]{1,64}","id":"([^"\\]{1,64})","parentId":(?:null|"([^"\\]{1,64})"),/
const longestBegin = 256

const idsIn = (bytes: Uint8Array): readonly [id: string | undefined, parent: string | undefined] => {
  const begin = usual.exec(Buffer.from(bytes.subarray(0, longestBegin)).toString("latin1"))
  if (begin !== null) return [begin[1], begin[2]]
  const json = Either.getOrUndefined(parse(bytes))
  // A header has an id too, and no place in the tree.
  return isObject(json) && json["type"] !== "session"
    ? [textIn(json["id"]), textIn(json["parentId"])]
    : [undefined, undefined]
}

const endOf = ({ ids }: Run, id: string): number => {
  const at = ids.lastIndexOf(`\n${id}\n`)
  return at < 0 ? -1 : at + id.length + 2
}

/** Where this entry stands, the latest of its name; undefined if it is not there. */
const find = (runs: ReadonlyArray<Run>, id: string): Run["parent"] => {
  const run = runs.findLastIndex((one) => endOf(one, id) >= 0)
  const found = runs[run]
  return found === undefined ? undefined : { run, end: endOf(found, id) }
}

/**
 * Adds what a line says of the tree. A parent that is not there, in a line that is damaged, is taken to have followed
 * upon what stood before.
 *
 * @since 0.1.0
 * @category combinators
 */
export const add = (tree: Tree, line: Uint8Array): Tree => {
  const { closed, leaf, open } = tree
  const [id, parent] = idsIn(line)
  if (id === undefined || id.includes("\n") || closed.length >= mostRuns) return tree
  const follow = (run: Run) => ({ ...run, ids: `${run.ids}${id}\n` })
  // Who begins in the middle knows the first parent by name at least.
  if (leaf === undefined) {
    const before = parent === undefined || parent.includes("\n") ? open : { ...open, ids: `\n${parent}\n` }
    return { closed, open: follow(before), leaf: id }
  }
  if (leaf === parent) return { closed, open: follow(open), leaf: id }
  const runs = [...closed, open]
  const at = parent === undefined ? undefined : find(runs, parent)
  return parent !== undefined && at === undefined
    ? { closed, open: follow(open), leaf: id }
    : { closed: runs, open: follow(runFrom(at)), leaf: id }
}

const idsOf = (ids: string): ReadonlyArray<string> => ids.split("\n").filter((id) => id !== "")

/**
 * The entries that are not on the way to the last one.
 *
 * @since 0.1.0
 * @category getters
 */
export const abandoned = ({ closed, open }: Tree): ReadonlySet<string> => {
  const left = new Set<string>()
  if (closed.length === 0 || closed.length >= mostRuns) return left
  const kept = [open.ids]
  let { parent } = open
  for (const [run, { ids, parent: before }] of [...closed.entries()].reverse()) {
    const end = parent?.run === run ? parent.end : 0
    kept.push(ids.slice(0, end))
    for (const id of idsOf(ids.slice(end))) left.add(id)
    if (end > 0) parent = before
  }
  // An id may have been given twice.
  for (const ids of kept) for (const id of idsOf(ids)) left.delete(id)
  return left
}
